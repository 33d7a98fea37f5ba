"""What a table's paytables come to: how often each line hits and what the house keeps, as exact fractions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

from handreplay.core.cards import DECK
from handreplay.core.money import Cents
from handreplay.errors import HandreplayError
from handreplay.games import game_of
from handreplay.games.counting import hand_counts
from handreplay.games.game import CardGroup, Game, Wager, odds_words, words
from handreplay.games.paytables import Paytable, chosen
from handreplay.games.site_wagers import GROUPS
from handreplay.games.table import LooksAt, Odds, TableRules

CARDS_OF: dict[CardGroup, str] = {"hand": "player's", "dealer": "dealer's", "community": "community"}


@dataclass(frozen=True, slots=True)
class LineOdds:
    """One line of a paytable. `hands` are those of a deck that it pays."""

    hand: str
    pays: str
    hands: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PaytableOdds:
    """One paytable in force. `total` hands of a deck; `edge` is what the house keeps of a stake.

    `edge` is None where it hangs on decisions, on another hand or on an amount; `note` says on what. `meter_share` is
    what each dollar of a meter gives back for a stake of one dollar.
    """

    wager: str
    title: str
    paytable: Paytable
    cards: str
    total: int
    lines: tuple[LineOdds, ...]
    edge: Fraction | None = None
    meter_share: Fraction | None = None
    note: str | None = None

    @property
    def hits(self) -> int:
        return sum(line.hands for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class BestPlay:
    """The house edge of a base wager for a player who decides as well as can be, in units of that wager."""

    wager: str
    title: str
    edge: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOdds:
    table: TableRules
    game: Game
    paytables: tuple[PaytableOdds, ...]
    best_play: tuple[BestPlay, ...]
    not_worked_out: tuple[str, ...]  # wagers whose edge hangs on more deals than are gone through here


def with_best_play(told: TableOdds, edges: Mapping[str, Fraction]) -> TableOdds:
    """The same with the edges of the base wagers together, in the first of them, by the words for what they hang on."""
    names = ", ".join(told.not_worked_out)
    wager = told.game.limited[0]
    title = f"{names} together, in the {told.game.wager(wager).title}"
    best = [
        BestPlay(wager=wager, title=f"{title}, {words}" if words else title, edge=edge) for words, edge in edges.items()
    ]
    return replace(told, best_play=(*told.best_play, *best), not_worked_out=())


def table_odds(table: TableRules, meter_cents: Cents | None = None) -> TableOdds:
    """Every paytable that the profile names, over every hand.

    Raises ProfileError as `game_of` does, HandreplayError for a meter where no paytable pays a share of one.
    """
    game = game_of(table)
    found: list[PaytableOdds] = []
    told: set[str] = set()
    for wager in game.wagers:
        for key in wager.paytables:
            if key not in told:
                told.add(key)
                found += [_odds_of(game, wager, key, paytable, meter_cents) for paytable in chosen(table, key)]
    if meter_cents is not None and not any(paytable.meter_share for paytable in found):
        raise HandreplayError("a meter was given, but no figure of this profile hangs on one; leave --meter out")
    if game.envy is not None:
        carrier = game.wager(game.envy_with)
        found += [_odds_of(game, carrier, game.envy, paytable, None) for paytable in chosen(table, game.envy)]
    best = game.best_play(table) if game.best_play else {}
    return TableOdds(
        table=table,
        game=game,
        paytables=tuple(found),
        best_play=tuple(BestPlay(wager=name, title=title, edge=edge) for (name, title), edge in best.items()),
        not_worked_out=_not_worked_out(game, {name for name, _ in best}),
    )


def _not_worked_out(game: Game, worked_out: set[str]) -> tuple[str, ...]:
    names = [wager.title for wager in game.wagers if wager.role in ("base", "later") and not wager.by_paytable_alone]
    return () if worked_out else tuple(names)


def _odds_of(game: Game, wager: Wager, key: str, paytable: Paytable, meter_cents: Cents | None) -> PaytableOdds:
    looks_at, ranking = game.ranked.get(key) or game.ranked[wager.paytables[0]]
    if looks_at == "loser":
        return PaytableOdds(
            wager=key,
            title=_title(wager, key),
            paytable=paytable,
            cards="the lower of the player's and the dealer's hand",
            total=0,
            lines=(),
            note="hangs on two hands at once, which is not worked out here",
        )
    total = _card_count(game, looks_at)
    hits: dict[Odds, int] = dict.fromkeys(paytable.entries, 0)
    for labels, count in hand_counts(ranking, total):
        line = paytable.line(labels)
        if line is not None:
            hits[line] += count
    hands = comb(len(DECK), total)
    edge, share, note = _edge(wager, key, paytable, hits, hands, meter_cents)
    return PaytableOdds(
        wager=key,
        title=_title(wager, key),
        paytable=paytable,
        cards=_cards(game, looks_at, ranking),
        total=hands,
        lines=tuple(LineOdds(line.hand, odds_words(line), count) for line, count in hits.items()),
        edge=edge,
        meter_share=share,
        note=note,
    )


def _title(wager: Wager, key: str) -> str:
    return wager.title if key == wager.name else words(key).capitalize()


def _card_count(game: Game, looks_at: LooksAt) -> int:
    sizes = {"hand": game.hand_cards, "dealer": game.dealer_cards, "community": game.community_cards}
    return sum(sizes[group] for group in GROUPS[looks_at])


def _cards(game: Game, looks_at: LooksAt, ranking: str) -> str:
    sizes = {"hand": game.hand_cards, "dealer": game.dealer_cards, "community": game.community_cards}
    parts = " and ".join(f"{CARDS_OF[group]} {sizes[group]}" for group in GROUPS[looks_at])
    return f"{ranking} hands of the {parts} cards"


def _edge(
    wager: Wager, key: str, paytable: Paytable, hits: dict[Odds, int], hands: int, meter_cents: Cents | None
) -> tuple[Fraction | None, Fraction | None, str | None]:
    """What the house keeps, what a dollar of the meter gives back, and what the figure leaves out."""
    if key == "envy":
        return None, None, "for each other player's hand"
    if not wager.by_paytable_alone or key != wager.name:
        return None, None, wager.edge_note
    if any(line.kind == "fixed_usd" for line in hits):
        return None, None, "hangs on the stake, since it has fixed amounts"
    gone = wager.role == "progressive"  # the stake is in the tray: what is paid is all that comes back
    back = Fraction(0) if gone else Fraction(sum(hits.values()), hands)
    meter = Fraction(0)
    for line, count in hits.items():
        share = Fraction(count, hands) * Fraction(line.num, line.den)
        if line.kind == "percent_of_meter":
            meter += share
        elif line.kind != "push":
            back += share
    if not meter:
        return 1 - back, None, wager.edge_note
    if meter_cents is None:
        return 1 - back, meter, "without the meter's part"
    return 1 - back - meter * Fraction(meter_cents, 100), meter, "for a stake of one dollar, the meter's part included"
