"""A game that the product does not know, made of one value: every rule judges it without a line of its own."""

from dataclasses import replace

import pytest

import handreplay.games as games
from handreplay.core.findings import Audit
from handreplay.games.game import (
    FORFEITED,
    UNSETTLED,
    Decision,
    Due,
    Game,
    Multiples,
    Question,
    Section,
    Wager,
    against,
    compare,
)
from handreplay.games.hands import Ranked, best_three, three_card
from handreplay.games.odds import table_odds
from handreplay.games.table import Odds, TableRules, WrittenPaytable
from handreplay.rules import audit_rounds
from handreplay.rules.pages import page_text
from handreplay.rules.typed_settlement import settle_typed
from tests.rules import story as stories
from tests.rules.story import Story


def rank(hand: tuple[str, ...], _: tuple[str, ...]) -> Ranked | None:
    return three_card(hand)


def due(question: Question) -> Due:
    if question.wager == "trio":
        ranked = rank(question.hand, ())
        return question.by_table("trio", ranked.labels) if ranked else UNSETTLED
    if question.folded:
        return FORFEITED
    player, dealer = rank(question.hand, ()), rank(question.dealer, ())
    higher = compare(player, dealer)
    if higher is None or player is None or dealer is None:
        return UNSETTLED
    why = against(player, dealer)
    if higher == 0:
        return Due("push", why=why)
    return question.even_money(why) if higher > 0 else Due("lose", why=why)


HOUSE = Section("the house's rules", "house")
DUEL = Game(
    name="duel",
    rules="house-duel",
    title="Duel",
    wagers=(
        Wager(name="ante", title="Ante", role="base", hangs_on=("hand", "dealer"), odds=HOUSE),
        Wager(name="play", title="Play", role="later", hangs_on=("hand", "dealer"), odds=HOUSE),
        Wager(
            name="trio",
            title="Trio",
            role="side",
            hangs_on=("hand",),
            odds=HOUSE,
            lost_by_fold=False,
            paytables=("trio",),
            by_paytable_alone=True,
        ),
    ),
    qualifying=(frozenset({"ante"}),),
    limited=("ante",),
    asked_with="ante",
    later="play",
    decisions=(Decision("after the deal", 0, Multiples((2,))),),
    hand_cards=3,
    dealer_cards=3,
    due=due,
    rank_player=rank,
    rank_dealer=rank,
    best=lambda hand, _: best_three(hand),
    ranked={"trio": ("hand", "three-card")},
)


@pytest.fixture(autouse=True)
def _sixth_game(monkeypatch: pytest.MonkeyPatch) -> None:
    known = (*games.all_games(), DUEL)
    monkeypatch.setattr(games, "all_games", lambda: known)
    monkeypatch.setattr("handreplay.rules.pages.all_games", lambda: known)
    monkeypatch.setitem(stories.GAMES, "house-duel", "duel")
    monkeypatch.setitem(stories.LETTERS, "house-duel", {"trio": "site"})


def duel(**changes: object) -> Story:
    line = Odds("pair", 1, 1, "to")
    seats = {
        1: {"hand": "Kd Kh 4s", "ante": 25, "trio": 5, "later": (50, 0)},
        3: {"hand": "9h 4h 2s", "ante": 25, "later": (50, 0)},
        4: {"hand": "2c 8d 7s", "ante": 50, "trio": 10},
    }
    return Story("house-duel", seats, "Qd Jc 3c", written=(WrittenPaytable("trio", "site", (line,)),), **changes)


def codes(audit: Audit) -> list[tuple[str, int | None, str | None]]:
    return [(finding.code, finding.seat, finding.wager) for finding in audit.findings]


def test_its_rounds_are_judged() -> None:
    assert codes(duel().audit()) == []
    wrong = duel()
    wrong.done = {(1, "play"): 2500, (3, "ante"): "leave"}
    assert codes(wrong.audit()) == [("PY03", 3, "ante"), ("PY01", 1, "play")]
    swapped = duel()
    deal = swapped.phases["deal"]
    deal[0], deal[1] = deal[1], deal[0]
    assert codes(swapped.audit()) == [("MD04", 3, None)]
    shown = duel()
    card = shown.names["dealer"][0]
    shown.phases["deal"] += [shown.turn(card), shown.turn(card, "down")]
    shown.broken_off = "deal"
    assert codes(shown.audit()) == [("EX01", None, None)]
    sized = duel()
    sized = Story("house-duel", {1: sized.seats[1] | {"later": (25, 0)}}, "Qd Jc 3c", written=sized.table.written)
    assert codes(sized.audit()) == [("WG02", 1, "play")]


def test_its_hands_can_be_typed_counted_and_explained() -> None:
    own: TableRules = replace(duel().table, dealing="manual-shoe")
    told = settle_typed(["dealer Qd Jc 3c 1: Kd Kh 4s ante 25 play 50 trio 5"], own)
    assert [(row.wager, row.expected.result) for row in told.rows] == [
        ("ante", "win"),
        ("play", "win"),
        ("trio", "win"),
    ]
    (trio,) = table_odds(own).paytables
    assert trio.lines[0].hands == 3744 and trio.edge is not None
    assert "Duel (house-duel): play: after the deal 2x Ante" in page_text("WG02", "duel")
    assert audit_rounds([duel().told()], own).rounds[0].verdict == "clean"
