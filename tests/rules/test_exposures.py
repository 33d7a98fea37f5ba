"""EX: faces that showed and must not, and what is due after them."""

from dataclasses import replace

import pytest

from handreplay.core.events import CardPlaced, ChipsChanged, StubMoved
from tests.rules.rounds import ALL, HOLDEM, WITH_DEALER, ordinary
from tests.rules.story import Story


def glimpse(story: Story, phase: str, place: int = 0, card: int = 0, stays: bool = False) -> None:
    name = story.names["dealer"][card]
    shown = [story.turn(name)] if stays else [story.turn(name), story.turn(name, "down")]
    story.phases[phase][place:place] = shown


@pytest.mark.parametrize("rules", WITH_DEALER)
@pytest.mark.parametrize("stays", [False, True])
def test_a_dealers_card_that_shows_too_early_voids_the_round(rules: str, stays: bool) -> None:
    story = ordinary(rules)
    glimpse(story, "decision 0", stays=stays)
    story.phases["decision 0"] = story.phases["decision 0"][: 1 if stays else 2]
    story.broken_off = "decision 0"
    trips = [("PY03", 1, "trips", 500), ("PY03", 4, "trips", 1000)] if rules in ("pa-569", "pa-653a") else []
    expected = [("EX01", None, None, 0)]
    if trips:  # Trips plays: the board should have been completed
        assert story.codes()[0] == expected[0] and {code for code, *_ in story.codes()} == {"EX01", "MD07"}
    else:
        assert story.codes() == expected


@pytest.mark.parametrize("rules", ("pa-569", "pa-653a"))
def test_trips_is_settled_on_a_completed_board_after_an_exposed_card(rules: str) -> None:
    story = ordinary(rules)
    glimpse(story, "decision 0")
    for decision in ("decision 1", "decision 2"):
        story.phases[decision] = []
    story.phases["reveal"] = []
    audit = story.audit()
    assert [finding.code for finding in audit.findings] == ["EX01"]
    rows = {(row.seat, row.wager): row for row in audit.rounds[0].settlement}
    assert rows[(1, "ante")].expected.result == "returned"
    assert rows[(1, "trips")].expected.result == rows[(1, "trips")].observed.result == "lose"


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_forfeits_of_players_who_folded_before_come_back_too(rules: str) -> None:
    story = ordinary(rules)
    last = f"decision {len(story.game.decisions) - 1}"
    fold = [event for event in story.phases[last] if isinstance(event, ChipsChanged) and event.actor == "dealer"]
    other = [event for event in story.phases[last] if event not in fold and isinstance(event, ChipsChanged)]
    story.phases[last] = [*fold, story.turn(story.names["dealer"][0]), *other[:0]]
    story.seats[3].pop("later")
    story.lies[f"seat3.{story.game.later}"] = 0
    story.broken_off = last
    taken = [code for code, seat, wager, _ in story.codes() if seat == 4 and wager not in (None, "trips")]
    forfeits = [w for w in story.game.wagers if w.lost_by_fold and w.role == "base" and w.name in story.seats[4]]
    assert taken == ["PY04"] * len(forfeits)


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_a_round_played_on_after_a_glimpse_is_settled_without_right(rules: str) -> None:
    story = ordinary(rules)
    glimpse(story, "decision 0")
    story.played_on = True
    assert [code for code, *_ in story.codes()] == ["EX01", "MD09"]


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_a_dealers_card_dealt_face_up_is_exposed(rules: str) -> None:
    story = ordinary(rules)
    deal = story.phases["deal"]
    place = next(n for n, e in enumerate(deal) if isinstance(e, CardPlaced) and e.zone == "dealer.cards")
    card = deal[place]
    assert isinstance(card, CardPlaced)
    deal[place] = replace(card, face="up", identity=story.identity(card.card))
    story.broken_off = "deal"
    assert "EX01" in [code for code, *_ in story.codes()]


def test_the_dealers_sixth_card_lies_open_by_rule() -> None:
    story = ordinary("pa-641a")
    assert story.codes() == []
    glimpse(story, "decision 0", card=4)
    story.played_on = True
    assert story.codes()[0] == ("EX01", None, None, 0)


@pytest.mark.parametrize("rules", HOLDEM)
def test_the_dealer_may_show_once_every_player_has_raised(rules: str) -> None:
    story = ordinary(rules)
    seats = {1: story.seats[1], 3: story.seats[3] | {"later": (75 if rules != "pa-569" else 100, 0)}}
    early = Story(rules, seats, "Qd Jc", "Kh 7h 2h As 3c")
    early.phases["decision 0"] += early.phases["reveal"]
    early.phases["reveal"] = []
    assert early.codes() == []


def test_players_who_are_never_asked_do_not_keep_the_dealer_waiting() -> None:
    seats = {2: {"hand": "Kd Kh 4s", "pair_plus": 5}, 5: {"hand": "9h 4h 2h", "ante": 25, "later": (25, 0)}}
    assert Story("pa-649a", seats, "Qd Jc 3c").codes() == []


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_a_fold_that_nobody_saw_is_no_exposure(rules: str) -> None:
    story = ordinary(rules)
    last = f"decision {len(story.game.decisions) - 1}"
    fold = [e for e in story.phases[last] if isinstance(e, ChipsChanged) and e.actor == "dealer"]
    story.phases[last] = [event for event in story.phases[last] if event not in fold]
    for event in fold:
        story.lies[event.zone] = 5000 if not event.zone.endswith("pair_plus") else 1000
    story.played_on = True  # the dealer takes what was forfeited with the rest
    assert story.codes() == []


@pytest.mark.parametrize("rules", ALL)
def test_an_exposed_stub_is_reported(rules: str) -> None:
    story = ordinary(rules)
    for phase in story.phases.values():
        phase[:] = [replace(e, exposed=True) if isinstance(e, StubMoved) else e for e in phase]
    assert story.codes() == [("EX02", None, None, 0)]


@pytest.mark.parametrize("rules", HOLDEM)
def test_a_burn_that_shows_is_reported_and_still_a_burn(rules: str) -> None:
    story = ordinary(rules)
    burn = story.phases["board 1"][0]
    assert isinstance(burn, CardPlaced)
    story.phases["board 1"][0] = replace(burn, face="up")
    assert story.codes() == [("EX03", None, None, 0)]


@pytest.mark.parametrize("rules", ALL)
def test_a_players_own_card_may_show(rules: str) -> None:
    story = ordinary(rules)
    name = story.names["seat1"][0]
    story.phases["decision 0"][:0] = [story.turn(name), story.turn(name, "down")]
    assert story.codes() == []
