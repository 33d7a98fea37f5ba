"""Four Card Poker under 58 Pa. Code ch. 641a, as proposed in 2011 (41 Pa.B. 3836)."""

from dataclasses import replace
from fractions import Fraction

from handreplay.games.best_play import FourOfSix
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
from handreplay.games.hands import Ranked, best_four, four_card
from handreplay.games.paytables import chosen
from handreplay.games.table import TableRules

CHAPTER = "58 Pa. Code 641a.12"


def _rank_player(hand: tuple[str, ...], _: tuple[str, ...]) -> Ranked | None:
    return four_card(hand) if len(hand) >= 5 else None


def _rank_dealer(hand: tuple[str, ...], _: tuple[str, ...]) -> Ranked | None:
    return four_card(hand) if len(hand) >= 6 else None


def _best(hand: tuple[str, ...], _: tuple[str, ...]) -> tuple[str, ...]:
    return best_four(hand)


ACES_UP_EQUALS_ANTE = Setting(
    name="aces_up_equals_ante",
    question="whether Ante and Aces Up must be equal when both are made",
    answers=(True, False),
    chapter=False,
)


def due(question: Question) -> Due:
    """What the rules give a wager of a seat that was dealt in (641a.11, 641a.12)."""
    if question.folded and question.wager != "aces_up":
        return FORFEITED
    player = _rank_player(question.hand, ())
    if player is None:
        return UNSETTLED
    if question.wager in ("aces_up", "progressive"):
        return question.by_table(question.wager, player.labels)
    dealer = _rank_dealer(question.dealer, ())
    higher = compare(player, dealer)
    if higher is None or dealer is None:
        return UNSETTLED
    why = against(player, dealer)
    won = higher >= 0  # an equal hand wins
    if question.wager == "play":
        return question.even_money(why) if won else Due("lose", why=why)
    return question.with_bonus("ante_bonus", player.labels, "win" if won else "lose", why)


def adapted(game: Game, table: TableRules) -> Game:
    """The game with the site's answers where it settles what sources leave open."""
    return replace(game, equal=("ante", "aces_up")) if ACES_UP_EQUALS_ANTE.of(table) is True else game


GAMES = (
    Game(
        name="four-card-poker",
        rules="pa-641a",
        title="Four Card Poker",
        wagers=(
            Wager(
                name="ante",
                title="Ante",
                role="base",
                hangs_on=("hand", "dealer"),
                odds=Section(f"{CHAPTER}(a), (b)", "proposed"),
                paytables=("ante_bonus",),
                edge_note="paid on the Ante of a player with a Play, win or lose",
            ),
            Wager(
                name="play",
                title="Play",
                role="later",
                hangs_on=("hand", "dealer"),
                odds=Section(f"{CHAPTER}(a)", "proposed"),
            ),
            Wager(
                name="aces_up",
                title="Aces Up",
                role="base",
                hangs_on=("hand",),
                odds=Section(f"{CHAPTER}(c)", "proposed"),
                lost_by_fold=False,
                paytables=("aces_up",),
                optional=True,
                by_paytable_alone=True,
            ),
            Wager(
                name="progressive",
                title="Progressive",
                role="progressive",
                hangs_on=("hand",),
                odds=Section(f"{CHAPTER}(d)", "proposed"),
                paytables=("progressive",),
                by_paytable_alone=True,
                edge_note="for a hand that is played; a fold loses it",
                capped=False,
            ),
        ),
        qualifying=(frozenset({"ante"}), frozenset({"aces_up"})),
        limited=("ante",),
        asked_with="ante",
        later="play",
        decisions=(Decision("after the deal", 0, Multiples(at_least=Fraction(1), up_to=Fraction(3))),),
        hand_cards=5,
        dealer_cards=6,
        dealer_open_from=5,
        unseen_in_shoe=4,
        due=due,
        rank_player=_rank_player,
        rank_dealer=_rank_dealer,
        best=_best,
        envy="envy",
        ranked=dict.fromkeys(("ante_bonus", "aces_up", "progressive", "envy"), ("hand", "four-card")),
        settings=(
            *EXPOSED_CARDS,
            ACES_UP_EQUALS_ANTE,
        ),
        adapt=adapted,
        long_play=lambda table: FourOfSix(chosen(table, "ante_bonus")[0]),
    ),
)
