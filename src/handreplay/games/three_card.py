"""Three Card Poker under 58 Pa. Code ch. 649a, as far as public sources cite it by paragraph."""

from dataclasses import replace
from fractions import Fraction

from handreplay.games.best_play import play_or_fold
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
from handreplay.games.hands import Ranked, best_three, five_card, three_card
from handreplay.games.paytables import chosen
from handreplay.games.table import TableRules

CHAPTER = "58 Pa. Code 649a.12"
QUALIFIES_FROM = (0, 10, 1, 0)  # queen, three, two: high card, then places among the ranks


def _rank(hand: tuple[str, ...], _: tuple[str, ...]) -> Ranked | None:
    """A suited ace, king and queen is the highest straight flush and nothing more in this game."""
    ranked = three_card(hand)
    if ranked is None or ranked.rank != "mini_royal":
        return ranked
    return Ranked("straight_flush", ranked.strength, ranked.labels)


def _best(hand: tuple[str, ...], _: tuple[str, ...]) -> tuple[str, ...]:
    return best_three(hand)


def _qualifies(dealer: Ranked) -> bool:
    """Queen high or better."""
    return dealer.strength >= QUALIFIES_FROM


PAIR_PLUS_ON_FOLD = Setting(
    name="pair_plus_on_fold", question="what a fold does to Pair Plus", answers=("lost", "plays"), chapter="lost"
)
SIX_CARD_ON_FOLD = Setting(
    name="fold_keeps_six_card_bonus",
    question="whether the Six Card Bonus outlives a fold",
    answers=(True, False),
    chapter=True,
)
WRONG_COUNT = Setting(
    name="pair_plus_on_wrong_count",
    question="what a wrong number of cards, which voids the round, does to Pair Plus",
    answers=("returned", "plays"),
    chapter="returned",
)


def due(question: Question) -> Due:
    """What the rules give a wager of a seat that was dealt in."""
    player, dealer = _rank(question.hand, ()), _rank(question.dealer, ())
    if question.wager == "six_card_bonus":
        return _six_card_bonus(question)
    if question.folded and (question.wager != "pair_plus" or PAIR_PLUS_ON_FOLD.of(question.table) == "lost"):
        return FORFEITED
    if player is None:
        return UNSETTLED
    if question.wager == "pair_plus":
        return question.by_table("pair_plus", player.labels)
    higher = compare(player, dealer)
    if higher is None or dealer is None:
        return UNSETTLED
    qualified = _qualifies(dealer)
    why = against(player, dealer) if qualified else "the dealer has less than queen high"
    if question.wager == "ante":
        won = higher > 0 or not qualified
        return question.with_bonus("ante_bonus", player.labels, "win" if won else "push" if not higher else "lose", why)
    if not qualified or higher == 0:
        return Due("push", why=why)
    return question.even_money(why) if higher > 0 else Due("lose", why=why)


def _six_card_bonus(question: Question) -> Due:
    """The best five of the player's three and the dealer's three. The profile says whether it outlives a fold."""
    if question.folded and SIX_CARD_ON_FOLD.of(question.table) is False:
        return FORFEITED
    if len(question.hand) != 3 or len(question.dealer) != 3:
        return UNSETTLED
    ranked = five_card(question.hand + question.dealer)
    return UNSETTLED if ranked is None else question.by_table("six_card_bonus", ranked.labels)


def best_play(table: TableRules) -> dict[tuple[str, str], Fraction]:
    edge = play_or_fold(_rank, QUALIFIES_FROM, chosen(table, "ante_bonus")[0])
    return {("ante", "Ante with its bonus, in the Ante"): edge}


def adapted(game: Game, table: TableRules) -> Game:
    """The game with the site's answers where it settles what sources leave open."""
    lost = {
        "pair_plus": PAIR_PLUS_ON_FOLD.of(table) == "lost",
        "six_card_bonus": SIX_CARD_ON_FOLD.of(table) is False,
    }
    wagers = tuple(replace(w, lost_by_fold=lost.get(w.name, w.lost_by_fold)) for w in game.wagers)
    plays_on = {"MD01": ("pair_plus",)} if WRONG_COUNT.of(table) == "plays" else {}
    return replace(game, wagers=wagers, plays_on=plays_on)


GAMES = (
    Game(
        name="three-card-poker",
        rules="pa-649a",
        title="Three Card Poker",
        wagers=(
            Wager(
                name="ante",
                title="Ante",
                role="base",
                hangs_on=("hand", "dealer"),
                odds=Section(f"{CHAPTER}(a), (b)", "cited"),
                paytables=("ante_bonus",),
                edge_note="paid on the Ante of a player with a Play, win or lose",
            ),
            Wager(
                name="play",
                title="Play",
                role="later",
                hangs_on=("hand", "dealer"),
                odds=Section(f"{CHAPTER}(a)", "cited"),
            ),
            Wager(
                name="pair_plus",
                title="Pair Plus",
                role="base",
                hangs_on=("hand",),
                odds=Section(f"{CHAPTER}(d)", "cited"),
                paytables=("pair_plus",),
                optional=True,
                by_paytable_alone=True,
                edge_note="for a hand that is not folded",
            ),
            Wager(
                name="six_card_bonus",
                title="Six Card Bonus",
                role="side",
                hangs_on=("hand", "dealer"),
                odds=Section(CHAPTER, "general"),
                lost_by_fold=False,
                paytables=("six_card_bonus",),
                by_paytable_alone=True,
            ),
        ),
        qualifying=(frozenset({"ante"}), frozenset({"pair_plus"})),
        limited=("ante",),
        asked_with="ante",
        later="play",
        decisions=(Decision("after the deal", 0, Multiples((1,))),),
        hand_cards=3,
        dealer_cards=3,
        due=due,
        rank_player=_rank,
        rank_dealer=_rank,
        best=_best,
        ranked={
            "ante_bonus": ("hand", "three-card"),
            "pair_plus": ("hand", "three-card"),
            "six_card_bonus": ("hand+dealer", "five-card"),
        },
        best_play=best_play,
        settings=(*EXPOSED_CARDS, PAIR_PLUS_ON_FOLD, SIX_CARD_ON_FOLD, WRONG_COUNT),
        adapt=adapted,
    ),
)
