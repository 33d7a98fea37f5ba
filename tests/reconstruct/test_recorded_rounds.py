"""The recorded rounds of all five games and three ways of dealing, seen by perfect eyes, come out as they were."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from handreplay.config import load_profile
from handreplay.core.events import (
    CardPlaced,
    ChipsChanged,
    DeckChanged,
    DeckShuffled,
    Declared,
    FootageGap,
    Round,
    StubCounted,
)
from handreplay.core.observations import ZoneSeen
from handreplay.core.roundlog import read_rounds
from handreplay.pipeline import deal_of
from handreplay.reconstruct.assemble import TableView
from handreplay.reconstruct.rounds import rounds
from tests.rules.cases import recorded

from .simulate import observed
from .test_rounds import essence, known, zones_of

NO_CARDS = (ChipsChanged, DeckChanged, DeckShuffled, Declared, FootageGap, StubCounted)
# A card picked up every 0.2 s, burnt 0.3 s before.
FASTER_THAN_HANDS = ("DR01-interleaved", "wpt/MD04-seats-swapped", "wpt/MD02-", "uth569/MD03-two-face-up-after-deal")
NOT_LOOKED_FOR = ("EX03",)  # the faces of burns
COUNTED_IN_PLAIN_SIGHT = ("MD01", "uth653a/PY04-void-one-taken")  # a card too many, and never turned up


def told(made: Round) -> Counter[tuple[object, ...]]:
    return Counter(essence(event) for event in made.events if not isinstance(event, NO_CARDS))


def packets(made: Round) -> list[tuple[str, list[str]]]:
    """The hands in the rack from the bottom up. Within one that is picked up as one, the order does not show."""
    hands: list[tuple[str, list[str]]] = []
    for card in made.rack:
        if not hands or hands[-1][0] != card.hand:
            hands.append((card.hand, []))
        hands[-1][1].append(str(known(card.identity)))
    return [(hand, sorted(cards)) for hand, cards in hands]


def cases(*without: str) -> list[str]:
    names = []
    for name in sorted(recorded()):
        if not any(part in name for part in without):
            names.append(name)
    return names


def rebuilt(name: str, folder: Path, *, squared: bool) -> tuple[tuple[Round, ...], list[Round]]:
    case = recorded()[name]
    (folder / "table.toml").write_text(case["table"])
    (folder / "rounds.jsonl").write_text(case["log"])
    table = load_profile(folder / "table.toml").rules()
    truth = read_rounds(folder / "rounds.jsonl")
    view = TableView(table.table, table.game, deal_of(table))
    return truth, list(rounds(observed(list(truth), zones_of(truth), squared=squared), view))


@pytest.mark.parametrize("name", cases(*FASTER_THAN_HANDS, *NOT_LOOKED_FOR))
def test_cards_laid_loosely_come_out_as_they_were(name: str, tmp_path: Path) -> None:
    truth, found = rebuilt(name, tmp_path, squared=False)
    assert [told(made) for made in found] == [told(made) for made in truth]
    assert [packets(made) for made in found] == [packets(made) for made in truth]


@pytest.mark.parametrize("name", cases(*FASTER_THAN_HANDS, *NOT_LOOKED_FOR, *COUNTED_IN_PLAIN_SIGHT))
def test_cards_squared_up_come_out_as_they_were(name: str, tmp_path: Path) -> None:
    truth, found = rebuilt(name, tmp_path, squared=True)
    assert [told(made) for made in found] == [told(made) for made in truth]
    assert [packets(made) for made in found] == [packets(made) for made in truth]


def test_cards_that_leave_the_shoe_unseen_are_no_burns(tmp_path: Path) -> None:
    _, (made,) = rebuilt("fcp/NEAR-tie-pays", tmp_path, squared=True)
    assert [card.hand for card in made.rack[:4]] == ["unused"] * 4
    assert sum(isinstance(event, CardPlaced) and event.zone == "rack" for event in made.events) == 4


def test_a_back_that_seems_to_have_shifted_is_no_card_too_many(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(recorded()["uth653a/NEAR-three-x"]["table"])
    (tmp_path / "rounds.jsonl").write_text(recorded()["uth653a/NEAR-three-x"]["log"])
    table = load_profile(tmp_path / "table.toml").rules()
    truth = read_rounds(tmp_path / "rounds.jsonl")
    view = TableView(table.table, table.game, deal_of(table))
    looks = observed(list(truth), zones_of(truth))
    dealt = max(event.t for event in truth[0].events if isinstance(event, CardPlaced) and event.face == "down")
    seat = next(event.zone for event in truth[0].events if isinstance(event, CardPlaced))
    last = [look for look in looks if isinstance(look, ZoneSeen) and look.zone == seat and look.start <= dealt][-1]
    for shift_mm in (0.0, 4.5):
        corners = tuple((x + shift_mm, y) for x, y in last.cards[0].corners_mm)
        again = replace(last, start=dealt + 0.2, end=dealt + 0.2, cards=(replace(last.cards[0], corners_mm=corners),))
        found = list(rounds(sorted([*looks, again], key=lambda look: look.start), view))
        assert [told(made) for made in found] == [told(made) for made in truth]
