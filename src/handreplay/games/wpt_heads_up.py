"""World Poker Tour Heads-Up Hold 'Em under 58 Pa. Code ch. 677a.

Only 677a.11 could be read: decisions, reveal and comparison. The odds are the site's own and stand in the profile.
"""

from dataclasses import replace
from fractions import Fraction

from handreplay.errors import ProfileError
from handreplay.games.best_play import OnBoards, returns
from handreplay.games.game import (
    EXPOSED_CARDS,
    FORFEITED,
    UNSETTLED,
    Decision,
    Due,
    Game,
    Multiples,
    Question,
    Section,
    Setting,
    Wager,
    against,
    compare,
)
from handreplay.games.hands import FIVE_CARD, Ranked, pocket
from handreplay.games.holdem import best, rank
from handreplay.games.paytables import chosen
from handreplay.games.table import TableRules

CHAPTER = "58 Pa. Code 677a.12"


DEALER_WITHOUT_PAIR = Setting(
    name="dealer_without_pair",
    question="what happens when the dealer has less than a pair",
    answers=("ante_pushes", "folds"),
    chapter="ante_pushes",
)
ODDS_WHEN_DEALER_FOLDS = Setting(
    name="odds_when_dealer_folds",
    question='what the Odds gets when a dealer without a pair folds; needed with dealer_without_pair = "folds"',
    answers=("pushes", "plays", "open"),
)
BAD_BEAT_FROM = Setting(
    name="bad_beat_from",
    question="the lowest losing hand that is paid the Bad Beat odds",
    answers=("straight", "three_of_a_kind", "two_pair"),
    chapter="straight",
)
FIRST_RAISE = Setting(name="first_raise", question="multiples of the Ante of a Raise before the Flop", multiples=True)


def due(question: Question) -> Due:
    """What the rules give a wager of a seat that was dealt in (677a.11(h), (i))."""
    if question.wager == "pocket_bonus":
        return question.by_table("pocket_bonus", pocket(question.hand))
    player = rank(question.hand, question.community)
    if question.wager == "trips_plus":
        return UNSETTLED if player is None else question.by_table("trips_plus", player.labels)
    if question.folded:
        return FORFEITED
    dealer = rank(question.dealer, question.community)
    higher = compare(player, dealer)
    if higher is None or player is None or dealer is None:
        return UNSETTLED
    if not dealer.reaches("pair"):
        if question.wager == "ante":
            return Due("push", why="the dealer has less than a pair")
        if DEALER_WITHOUT_PAIR.of(question.table) == "folds":
            return _dealer_folds(question, player, higher)
    why = against(player, dealer)
    if higher == 0:
        return Due("push", why=why)
    if question.wager == "odds":
        return _odds(question, player, higher, why)
    return question.even_money(why) if higher > 0 else Due("lose", why=why)


def _dealer_folds(question: Question, player: Ranked, higher: int) -> Due:
    """A house in which a dealer without a pair is out of the round."""
    if question.wager == "raise":
        return question.even_money("the dealer has less than a pair and folds")
    match ODDS_WHEN_DEALER_FOLDS.of(question.table):
        case "pushes":
            return Due("push", why="the dealer has less than a pair and folds")
        case "plays":
            return _odds(question, player, higher, "the dealer has less than a pair")
        case _:
            return Due("unsettled", None, why="the house has not said what the Odds gets when the dealer folds")


def _odds(question: Question, player: Ranked, higher: int, why: str) -> Due:
    if higher > 0:
        return question.by_table("odds", player.labels, otherwise="push")
    if higher == 0:
        return Due("push", why=why)
    enough = player.reaches(str(BAD_BEAT_FROM.of(question.table)))
    return question.by_table("bad_beat", player.labels) if enough else Due("lose", why=why)


def adapted(game: Game, table: TableRules) -> Game:
    """The game with the site's answers where it settles what sources leave open."""
    if DEALER_WITHOUT_PAIR.of(table) == "folds" and not ODDS_WHEN_DEALER_FOLDS.of(table):
        raise ProfileError(
            f"table {table.table}: options.odds_when_dealer_folds is missing; where a dealer without a pair folds, "
            'no source says what the Odds gets: "pushes", "plays", or "open" to have it told as not known'
        )
    low = _below(table, str(BAD_BEAT_FROM.of(table)))
    if low and "bad_beat_from" not in table.options:
        raise ProfileError(
            f"table {table.table}: options.bad_beat_from is missing; the Bad Beat paytable pays {low}, and 677a.11 "
            "pays a straight or better"
        )
    first = FIRST_RAISE.of(table)
    if not isinstance(first, tuple) or not first:
        return game
    return replace(game, decisions=(replace(game.decisions[0], multiples=Multiples(first)), *game.decisions[1:]))


def on_boards(table: TableRules) -> OnBoards:
    """What its best play hangs on. Raises ProfileError where the house leaves open what a dealer who folds does."""
    folds, then = DEALER_WITHOUT_PAIR.of(table) == "folds", ODDS_WHEN_DEALER_FOLDS.of(table)
    if folds and then == "open":
        raise ProfileError(
            f'table {table.table}: options.odds_when_dealer_folds is "open"; the best play hangs on it: '
            'choose "pushes" or "plays"'
        )
    odds, bad_beat = chosen(table, "odds")[0], chosen(table, "bad_beat")[0]
    least = str(BAD_BEAT_FROM.of(table))

    def lost(hand: Ranked) -> Fraction:
        return returns(bad_beat, hand.labels, otherwise=-1) if hand.reaches(least) else Fraction(-1)

    return OnBoards(
        won=lambda hand: returns(odds, hand.labels), lost=lost, dealer_folds=folds, second_plays=then != "pushes"
    )


def _below(table: TableRules, rank_: str) -> str | None:
    """A hand of the Bad Beat paytable below that rank."""
    hands = (line.hand for paytable in chosen(table, "bad_beat") for line in paytable.entries)
    lower = FIVE_CARD[: FIVE_CARD.index(rank_)]
    return next((hand for hand in hands if hand in lower), None)


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
                edge_note="hands as they come; it is paid where the hand beats the dealer's (Bad Beat: loses to it)",
            ),
            Wager(
                name="pocket_bonus",
                title="Pocket Bonus",
                role="side",
                hangs_on=("hand",),
                odds=Section(f"{CHAPTER}(d)", "text"),
                lost_by_fold=False,
                paytables=("pocket_bonus",),
                by_paytable_alone=True,
            ),
            Wager(
                name="trips_plus",
                title="Trips Plus",
                role="side",
                hangs_on=("hand", "community"),
                odds=Section(f"{CHAPTER}(e)", "text"),
                lost_by_fold=False,
                paytables=("trips_plus",),
                by_paytable_alone=True,
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
        ranked={
            "odds": ("hand+community", "five-card"),
            "bad_beat": ("hand+community", "five-card"),
            "trips_plus": ("hand+community", "five-card"),
            "pocket_bonus": ("hand", "two-card"),
        },
        long_play=on_boards,
        settings=(*EXPOSED_CARDS, DEALER_WITHOUT_PAIR, ODDS_WHEN_DEALER_FOLDS, BAD_BEAT_FROM, FIRST_RAISE),
        adapt=adapted,
    ),
)
