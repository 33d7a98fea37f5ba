"""World Poker Tour Heads-Up Hold 'Em under 58 Pa. Code ch. 677a.

Only 677a.11 could be read: decisions, reveal and comparison. The odds are the site's own and stand in the profile.
"""

from fractions import Fraction

from handreplay.games.game import UNSETTLED, Decision, Due, Game, Multiples, Question, Section, Wager, compare
from handreplay.games.hands import Ranked, pocket
from handreplay.games.holdem import best, rank

CHAPTER = "58 Pa. Code 677a.12"


def due(question: Question) -> Due:
    """What the rules give a wager of a seat that was dealt in (677a.11(h), (i))."""
    if question.wager == "pocket_bonus":
        return question.by_table("pocket_bonus", pocket(question.hand))
    player = rank(question.hand, question.community)
    if question.wager == "trips_plus":
        return UNSETTLED if player is None else question.by_table("trips_plus", player.labels)
    if question.folded:
        return Due("lose")
    dealer = rank(question.dealer, question.community)
    higher = compare(player, dealer)
    if higher is None or player is None or dealer is None:
        return UNSETTLED
    if question.wager == "ante" and not dealer.reaches("pair"):
        return Due("push")
    if higher == 0:
        return Due("push")
    if question.wager == "odds":
        return _odds(question, player, higher)
    return question.even_money() if higher > 0 else Due("lose")


def _odds(question: Question, player: Ranked, higher: int) -> Due:
    if higher > 0:
        return question.by_table("odds", player.labels, otherwise="push")
    return question.by_table("bad_beat", player.labels) if player.reaches("straight") else Due("lose")


GAMES = (
    Game(
        name="wpt-heads-up-holdem",
        rules="pa-677a",
        title="World Poker Tour Heads-Up Hold 'Em",
        wagers=(
            Wager(
                name="ante",
                title="Ante",
                role="base",
                hangs_on=("hand", "dealer", "community"),
                odds=Section(f"{CHAPTER}(a)", "general"),
            ),
            Wager(
                name="raise",
                title="Raise",
                role="later",
                hangs_on=("hand", "dealer", "community"),
                odds=Section(f"{CHAPTER}(a)", "general"),
            ),
            Wager(
                name="odds",
                title="Odds",
                role="base",
                hangs_on=("hand", "dealer", "community"),
                odds=Section(f"{CHAPTER}(b), (c)", "general"),
                paytables=("odds", "bad_beat"),
            ),
            Wager(
                name="pocket_bonus",
                title="Pocket Bonus",
                role="side",
                hangs_on=("hand",),
                odds=Section(f"{CHAPTER}(d)", "text"),
                lost_by_fold=False,
                paytables=("pocket_bonus",),
            ),
            Wager(
                name="trips_plus",
                title="Trips Plus",
                role="side",
                hangs_on=("hand", "community"),
                odds=Section(f"{CHAPTER}(e)", "text"),
                lost_by_fold=False,
                paytables=("trips_plus",),
            ),
        ),
        qualifying=(frozenset({"ante", "odds"}),),
        limited=("ante",),
        equal=("ante", "odds"),
        asked_with="ante",
        later="raise",
        decisions=(
            Decision("before the Flop", 0, Multiples(up_to=Fraction(3))),
            Decision("after the Flop", 3, Multiples(up_to=Fraction(2))),
            Decision("after the Turn and River", 5, Multiples((1,))),
        ),
        hand_cards=2,
        dealer_cards=2,
        community_cards=5,
        burns_before=(0, 3),
        due=due,
        rank_player=rank,
        rank_dealer=rank,
        best=best,
    ),
)
