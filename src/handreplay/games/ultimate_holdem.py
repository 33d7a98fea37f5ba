"""Ultimate Texas Hold 'Em under 58 Pa. Code ch. 569 (temporary, 2010) and ch. 653a (permanent).

The two differ in the first Play Wager, in the Blind's paytables and in how well each point is known.
"""

from dataclasses import replace
from fractions import Fraction

from handreplay.core.money import Cents
from handreplay.games.best_play import OnBoards, returns
from handreplay.games.game import (
    EXPOSED_CARDS,
    FORFEITED,
    UNSETTLED,
    CardGroup,
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
from handreplay.games.hands import Ranked
from handreplay.games.holdem import best, rank
from handreplay.games.paytables import chosen, paid
from handreplay.games.table import TableRules

NAME = "ultimate-texas-holdem"
LIMIT_FLOOR_CENTS = 5_000_000  # 569.12(e)
NEEDS_A_WIN = "hands as they come; it is paid only where the hand beats the dealer's"
ALL_CARDS: tuple[CardGroup, ...] = ("hand", "dealer", "community")


TRIPS_ON_FOLD = Setting(
    name="trips_on_fold", question="what a fold does to Trips", answers=("plays", "lost"), chapter="plays"
)
TRIPS_AGAINST_HIGHER = Setting(
    name="trips_against_higher_dealer",
    question="what a winning Trips gets when the dealer's hand is higher (a player-banked room)",
    answers=("pays", "pushes"),
    chapter="pays",
)
FIRST_PLAY = Setting(name="first_play", question="multiples of the Ante of a Play before the Flop", multiples=True)


def due(question: Question) -> Due:
    """What the rules give a wager of a seat that was dealt in."""
    player = rank(question.hand, question.community)
    dealer = rank(question.dealer, question.community)
    if question.wager == "trips":
        return _trips(question, player, dealer)
    if question.folded:
        return FORFEITED
    higher = compare(player, dealer)
    if higher is None or player is None or dealer is None:
        return UNSETTLED
    if question.wager == "ante" and not dealer.reaches("pair"):
        return Due("push", why="the dealer has less than a pair")
    why = against(player, dealer)
    if higher == 0:
        return Due("push", why=why)
    if higher < 0:
        return Due("lose", why=why)
    if question.wager == "blind":
        return question.by_table("blind", player.labels, otherwise="push")
    return question.even_money(why)


def _trips(question: Question, player: Ranked | None, dealer: Ranked | None) -> Due:
    if question.folded and TRIPS_ON_FOLD.of(question.table) == "lost":
        return FORFEITED
    if player is None:
        return UNSETTLED
    own = question.by_table("trips", player.labels)
    if own.result != "win" or TRIPS_AGAINST_HIGHER.of(question.table) == "pays":
        return own
    higher = compare(player, dealer)
    if higher is None:
        return UNSETTLED
    return Due("push", why="the dealer's hand is higher (trips_against_higher_dealer)") if higher < 0 else own


def adapted(game: Game, table: TableRules) -> Game:
    """The game with the site's answers where it settles what sources leave open."""
    first = FIRST_PLAY.of(table)
    decisions = game.decisions
    if isinstance(first, tuple) and first:
        decisions = (replace(decisions[0], multiples=Multiples(first)), *decisions[1:])
    trips = game.wager("trips")
    lost = TRIPS_ON_FOLD.of(table) == "lost"
    every_card = TRIPS_AGAINST_HIGHER.of(table) == "pushes"
    trips = replace(trips, lost_by_fold=lost, hangs_on=ALL_CARDS if every_card else trips.hangs_on)
    wagers = tuple(trips if wager.name == "trips" else wager for wager in game.wagers)
    return replace(game, decisions=decisions, wagers=wagers)


def most_at_minimum(table: TableRules) -> Cents:
    """The most that one player can win in a round of minimum wagers, or $50,000 where that is more (569.12(e))."""
    stake = table.minimum_cents
    top = [max(paid(stake, e, table) or 0 for e in t.entries) for key in ("blind", "trips") for t in chosen(table, key)]
    return max(LIMIT_FLOOR_CENTS, stake + 4 * stake + sum(top))


def _wagers(chapter: str) -> tuple[Wager, ...]:
    even, blind, trips = ("b", "c", "d") if chapter == "569" else ("a", "b", "c")  # paragraphs of the odds section

    def odds(paragraph: str) -> Section:
        return Section(f"58 Pa. Code {chapter}.12({paragraph})", "text")

    return (
        Wager(name="ante", title="Ante", role="base", hangs_on=ALL_CARDS, odds=odds(even)),
        Wager(name="play", title="Play", role="later", hangs_on=ALL_CARDS, odds=odds(even)),
        Wager(
            name="blind",
            title="Blind",
            role="base",
            hangs_on=ALL_CARDS,
            odds=odds(blind),
            paytables=("blind",),
            edge_note=NEEDS_A_WIN,
        ),
        Wager(
            name="trips",
            title="Trips",
            role="side",
            hangs_on=("hand", "community"),
            odds=odds(trips),
            lost_by_fold=False,
            paytables=("trips",),
            by_paytable_alone=True,
        ),
    )


def on_boards(table: TableRules) -> OnBoards:
    """What its best play hangs on: the Blind is paid on a higher hand alone."""
    blind = chosen(table, "blind")[0]
    return OnBoards(won=lambda hand: returns(blind, hand.labels), lost=lambda _: Fraction(-1))


def _game(rules: str, first_play: Multiples) -> Game:
    return Game(
        name=NAME,
        rules=rules,
        title="Ultimate Texas Hold 'Em",
        wagers=_wagers(rules.removeprefix("pa-")),
        qualifying=(frozenset({"ante", "blind"}),),
        limited=("ante",),
        equal=("ante", "blind"),
        asked_with="ante",
        later="play",
        decisions=(
            Decision("before the Flop", 0, first_play),
            Decision("after the Flop", 3, Multiples((2,))),
            Decision("after the last two community cards", 5, Multiples((1,))),
        ),
        hand_cards=2,
        dealer_cards=2,
        community_cards=5,
        burns_before=(0, 3),
        plays_on={"EX01": ("trips",), "MD03 after the deal": ("trips",)},
        cap_at_least_cents=most_at_minimum,
        due=due,
        rank_player=rank,
        rank_dealer=rank,
        best=best,
        ranked={"blind": ("hand+community", "five-card"), "trips": ("hand+community", "five-card")},
        long_play=on_boards,
        settings=(*EXPOSED_CARDS, TRIPS_ON_FOLD, TRIPS_AGAINST_HIGHER, FIRST_PLAY),
        adapt=adapted,
    )


GAMES = (
    _game("pa-569", Multiples((4,))),
    _game("pa-653a", Multiples((3, 4))),
)
