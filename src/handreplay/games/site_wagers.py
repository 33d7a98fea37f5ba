"""Optional wagers that a chapter leaves to the site: what the profile's definition makes of cards and folds.

A Five Card Progressive, a bad-beat wager or any other bonus on somebody's cards needs no code of its own.
"""

from collections.abc import Callable
from dataclasses import replace

from handreplay.errors import ProfileError
from handreplay.games.game import FORFEITED, UNSETTLED, CardGroup, Due, Game, Question, Section, Wager, compare
from handreplay.games.hands import Ranked, five_card, four_card, pocket, three_card
from handreplay.games.paytables import chosen
from handreplay.games.table import LooksAt, Ranking, SiteWager, TableRules

GROUPS: dict[LooksAt, tuple[CardGroup, ...]] = {
    "hand": ("hand",),
    "hand+community": ("hand", "community"),
    "hand+dealer": ("hand", "dealer"),
    "dealer": ("dealer",),
    "dealer+community": ("dealer", "community"),
    "loser": ("hand", "dealer", "community"),
}
CARDS_RANKED: dict[Ranking, range] = {
    "two-card": range(2, 3),
    "three-card": range(3, 4),
    "four-card": range(4, 8),
    "five-card": range(5, 8),
}
EXPOSED = ("EX01", "MD03 after the deal")  # what 569.13 lets Trips play through


def with_site_wagers(game: Game, table: TableRules) -> Game:
    """The game with the wagers that the profile defines.

    Raises ProfileError for one that this game's cards cannot decide, or that has no paytable.
    """
    if not table.site_wagers:
        return game
    defined = {wager.name: wager for wager in table.site_wagers}
    for wager in table.site_wagers:
        _check(game, table, wager)
    envy = next((wager for wager in table.site_wagers if wager.envy), None)
    if envy is not None and game.envy is not None and game.envy in table.paytables and "progressive" not in defined:
        raise ProfileError(f"table {table.table}: wager {envy.name!r}: {game.title} has Envy Bonuses of its own")
    playing = tuple(wager.name for wager in table.site_wagers if wager.on_void == "plays")
    plays_on = {cause: (*game.plays_on.get(cause, ()), *playing) for cause in {*game.plays_on, *EXPOSED}}
    return replace(
        game,
        wagers=(
            *(wager for wager in game.wagers if wager.name not in defined),
            *(_wager(game, wager) for wager in table.site_wagers),
        ),
        plays_on=plays_on,
        due=_due(game.due, game, defined),
        ranked={**game.ranked, **{wager.name: (wager.looks_at, wager.ranking) for wager in table.site_wagers}},
        envy="envy" if envy is not None else game.envy,
        envy_with=envy.name if envy is not None else game.envy_with,
        envy_rank=_envy_rank(envy) if envy is not None else game.envy_rank,
    )


def _check(game: Game, table: TableRules, wager: SiteWager) -> None:
    where = f"table {table.table}: wager {wager.name!r}"
    own = next((known for known in game.wagers if known.name == wager.name), None)
    if own is not None and own.role in ("base", "later"):
        raise ProfileError(f"{where} is a wager of the game itself; give the site's own another name")
    count = _card_count(game, wager.looks_at)
    if not count:
        raise ProfileError(f"{where}: looks_at is {wager.looks_at!r}, and {game.title} has no such cards")
    if count not in CARDS_RANKED[wager.ranking] or (wager.looks_at == "loser" and wager.ranking != "five-card"):
        raise ProfileError(f"{where}: {wager.ranking} ranking does not fit the {count} cards of {wager.looks_at!r}")
    if not chosen(table, wager.name):
        raise ProfileError(f"{where}: [paytables] names no paytable for it, and none is assumed")
    if wager.envy and (wager.looks_at not in ("hand", "hand+community") or not chosen(table, "envy")):
        raise ProfileError(f"{where}: Envy Bonuses need looks_at of the player's own hand and a paytable for envy")
    kinds = {line.kind for paytable in chosen(table, wager.name) for line in paytable.entries}
    if wager.chips == "stay" and "for" in kinds:
        raise ProfileError(f'{where}: odds "for" go with chips = "tray"; a stake that stays is paid "to"')


def _card_count(game: Game, looks_at: LooksAt) -> int:
    """How many cards decide it; 0 where the game has none of a group. Both hands have as many for `loser`."""
    sizes = {"hand": game.hand_cards, "dealer": game.dealer_cards, "community": game.community_cards}
    groups = ("dealer", *(("community",) if game.community_cards else ())) if looks_at == "loser" else GROUPS[looks_at]
    counts = [sizes[group] for group in groups]
    return sum(counts) if all(counts) else 0


def _wager(game: Game, wager: SiteWager) -> Wager:
    groups = tuple(g for g in GROUPS[wager.looks_at] if g != "community" or game.community_cards)
    return Wager(
        name=wager.name,
        title=wager.title,
        role="progressive" if wager.chips == "tray" else "side",
        hangs_on=groups,
        odds=Section("the table profile", "house"),
        lost_by_fold=wager.on_fold == "lost",
        paytables=(wager.name,),
        capped=wager.counts_towards_limit,
        by_paytable_alone=True,
        edge_note="for a hand that is not folded" if wager.on_fold == "lost" else None,
    )


def _due(usual: Callable[[Question], Due], game: Game, defined: dict[str, SiteWager]) -> Callable[[Question], Due]:
    def due(question: Question) -> Due:
        wager = defined.get(question.wager)
        if wager is None:
            return usual(question)
        if question.folded and wager.on_fold == "lost":
            return FORFEITED
        if wager.looks_at == "loser":
            return _loser(game, question)
        sizes = {"hand": game.hand_cards, "dealer": game.dealer_cards, "community": game.community_cards}
        held = {"hand": question.hand, "dealer": question.dealer, "community": question.community}
        groups = GROUPS[wager.looks_at]
        if any(len(held[group]) < sizes[group] for group in groups):
            return UNSETTLED
        labels = labels_of(wager.ranking, tuple(card for group in groups for card in held[group][: sizes[group]]))
        return UNSETTLED if labels is None else question.by_table(wager.name, labels)

    return due


def _loser(game: Game, question: Question) -> Due:
    """The lower of the two hands; nothing loses where they are equal."""
    player = game.rank_player(question.hand, question.community)
    dealer = game.rank_dealer(question.dealer, question.community)
    higher = compare(player, dealer)
    if higher is None or player is None or dealer is None:
        return UNSETTLED
    if higher == 0:
        return Due("lose", why="the same hand as the dealer's, so that none is beaten")
    return question.by_table(question.wager, (dealer if higher > 0 else player).labels)


def labels_of(ranking: Ranking, cards: tuple[str, ...]) -> frozenset[str] | None:
    """The names under which a paytable may name the cards, ranked in that order; None where they are too few."""
    if ranking == "two-card":
        return pocket(cards) if len(cards) == 2 else None
    ranked = {"three-card": three_card, "four-card": four_card, "five-card": five_card}[ranking](cards)
    return ranked.labels if ranked else None


def _envy_rank(wager: SiteWager) -> Callable[[tuple[str, ...], tuple[str, ...]], Ranked | None]:
    def rank(hand: tuple[str, ...], community: tuple[str, ...]) -> Ranked | None:
        cards = hand if wager.looks_at == "hand" else hand + community
        return {"three-card": three_card, "four-card": four_card, "five-card": five_card}[wager.ranking](cards)

    return rank
