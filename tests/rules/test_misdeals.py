"""MD: what goes wrong with the cards, how a void round is handled, and what the log of a shift shows."""

from dataclasses import replace

import pytest

from handreplay.core.events import CardMoved, CardPlaced, DeckChanged, DeckShuffled, StubCounted
from handreplay.core.readings import Known, Unreadable
from handreplay.rules import audit_rounds
from tests.rules.rounds import ALL, HOLDEM, WITH_DEALER, base, ordinary
from tests.rules.story import Story, declared


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("dealing", ["hand", "manual-shoe", "automated-shoe"])
def test_an_ordinary_round_is_clean(rules: str, dealing: str) -> None:
    assert ordinary(rules, dealing=dealing).codes() == []


def extra_card(story: Story, hand: str) -> None:
    deal = story.phases["deal"]
    zone = "community" if hand == "community" else f"{hand}.cards"
    place = next(n for n, event in enumerate(deal) if isinstance(event, CardPlaced) and event.zone == zone)
    deal.insert(place + 1, story.place(hand))


@pytest.mark.parametrize("rules", ALL)
def test_a_card_too_many_is_one_finding_when_everything_goes_back(rules: str) -> None:
    story = ordinary(rules)
    extra_card(story, "seat3")
    story.broken_off = "deal"
    assert story.codes() == [("MD01", 3, None, 0)]


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_a_card_too_many_for_the_dealer_names_no_seat(rules: str) -> None:
    story = ordinary(rules)
    extra_card(story, "dealer")
    story.broken_off = "deal"
    assert story.codes() == [("MD01", None, None, 0)]


@pytest.mark.parametrize("rules", ALL)
def test_a_card_too_few_is_one_finding_when_everything_goes_back(rules: str) -> None:
    story = ordinary(rules)
    last = max(n for n, e in enumerate(story.phases["deal"]) if isinstance(e, CardPlaced) and e.zone == "seat3.cards")
    del story.phases["deal"][last]
    story.names["seat3"].pop()
    story.broken_off = "deal"
    assert story.codes() == [("MD01", 3, None, 0)]


@pytest.mark.parametrize("rules", HOLDEM)
def test_a_void_round_that_is_settled_gets_one_variance_for_all_of_it(rules: str) -> None:
    story = ordinary(rules)
    extra_card(story, "dealer")
    story.phases["reveal"].append(story.turn(story.names["dealer"][-1]))
    story.played_on = True
    findings = {finding.code: finding for finding in story.audit().findings}
    assert set(findings) == {"MD01", "MD09"}
    rows = story.audit().rounds[0].settlement
    assert all(row.expected.result == "returned" for row in rows)
    paid = sum(
        (row.observed.pay_cents or 0) - (row.staked_cents or 0) * (row.observed.result == "lose") for row in rows
    )
    assert findings["MD09"].variance_cents == paid != 0


@pytest.mark.parametrize("rules", ALL)
def test_one_wager_taken_in_a_round_handed_back_is_wrongly_collected(rules: str) -> None:
    story = ordinary(rules)
    extra_card(story, "seat3")
    story.broken_off = "deal"
    story.done[(1, base(rules))] = "take"
    assert set(story.codes()) == {("MD01", 3, None, 0), ("PY04", 1, base(rules), -2500)}


def face_up(story: Story, to: str, place: int = 2) -> None:
    card = story.place("found", "up", zone="shoe")
    face = "5c" if len(story.names["found"]) == 1 else "6c"
    story.phases["deal"][place:place] = [
        replace(card, identity=Known(face, 1.0)),
        CardMoved(t=0, card=card.card, source="shoe", to=to, actor="dealer"),
    ]


@pytest.mark.parametrize("rules", ALL)
def test_one_card_found_face_up_and_racked_is_clean(rules: str) -> None:
    story = ordinary(rules)
    face_up(story, "rack")
    assert story.codes() == []


@pytest.mark.parametrize("rules", ALL)
def test_one_card_found_face_up_that_was_not_seen_to_go_anywhere_is_a_question(rules: str) -> None:
    story = ordinary(rules)
    face_up(story, "rack")
    story.phases["deal"] = [event for event in story.phases["deal"] if not isinstance(event, CardMoved)]
    (finding,) = story.audit().findings
    assert (finding.code, finding.status, finding.variance_cents) == ("MD02", "review", 0)


@pytest.mark.parametrize("rules", ALL)
def test_two_cards_found_face_up_void_the_round_and_hide_unfinished_hands(rules: str) -> None:
    story = ordinary(rules)
    face_up(story, "rack")
    face_up(story, "rack")
    story.phases["deal"] = story.phases["deal"][:7]
    story.broken_off = "deal"
    assert [code for code, *_ in story.codes()] == ["MD03"]


@pytest.mark.parametrize("rules", ALL)
def test_faces_in_the_shoe_that_no_picture_shows_to_go_are_a_question_and_void_nothing(rules: str) -> None:
    story = ordinary(rules)
    story.extra["extra"] = {"read_from": "footage"}
    for _ in range(2):
        face_up(story, "rack")
    story.phases["deal"] = [event for event in story.phases["deal"] if not isinstance(event, CardMoved)]
    findings = story.audit().findings
    assert [f.status for f in findings if f.code == "MD03"] == ["review"]
    assert [f.code for f in findings if f.code.startswith(("PY", "MD09")) and f.status != "review"] == []


@pytest.mark.parametrize("rules", ("pa-569", "pa-653a"))
def test_trips_plays_when_the_second_face_up_card_comes_after_the_hands(rules: str) -> None:
    story = ordinary(rules)
    end = len(story.phases["deal"])
    face_up(story, "rack", end)
    face_up(story, "rack", end)
    for decision in ("decision 0", "decision 1", "decision 2"):
        story.phases[decision] = []  # the round is void: nobody decides any more
    audit = story.audit()
    assert [finding.code for finding in audit.findings] == ["MD03"]
    due = {(row.seat, row.wager): row.expected.result for row in audit.rounds[0].settlement}
    assert due[(4, "trips")] == "lose" and due[(1, "ante")] == "returned"


@pytest.mark.parametrize("rules", ALL)
def test_two_seats_dealt_in_the_wrong_order_name_the_one_dealt_too_soon(rules: str) -> None:
    story = ordinary(rules)
    deal = story.phases["deal"]
    first = next(n for n, event in enumerate(deal) if event.zone == "seat3.cards")  # type: ignore[attr-defined]
    other = next(n for n, event in enumerate(deal) if event.zone == "seat4.cards")  # type: ignore[attr-defined]
    deal[first], deal[other] = deal[other], deal[first]
    assert story.codes() == [("MD04", 4, None, 0)]


def test_let_it_ride_community_cards_come_after_the_players_third_card() -> None:
    story = ordinary("pa-643a")
    deal = story.phases["deal"]
    deal.insert(3, deal.pop(-2))
    assert story.codes() == [("MD04", None, None, 0)]


@pytest.mark.parametrize("rules", ALL)
def test_a_seat_with_wagers_and_no_cards_was_left_out(rules: str) -> None:
    story = ordinary(rules)
    wagers = dict.fromkeys(story.game.qualifying[0], 25)
    told = {seat: dict(told) for seat, told in story.seats.items()} | {6: wagers}
    left_out = Story(rules, told, " ".join(story.faces["dealer"]), " ".join(story.faces["community"]))
    assert left_out.codes() == [("MD05", 6, None, 0)]


@pytest.mark.parametrize("rules", HOLDEM)
@pytest.mark.parametrize("board", ["board 1", "board 2"])
def test_a_missing_burn_and_a_double_burn_are_one_finding_each(rules: str, board: str) -> None:
    missing = ordinary(rules)
    del missing.phases[board][0]
    double = ordinary(rules)
    double.phases[board].insert(0, double.place("rack"))
    assert missing.codes() == double.codes() == [("MD06", None, None, 0)]


@pytest.mark.parametrize("rules", ("pa-641a", "pa-643a", "pa-649a"))
def test_games_without_burns_have_none(rules: str) -> None:
    story = ordinary(rules)
    story.phases["deal"].append(story.place("rack"))
    assert story.codes() == [("MD06", None, None, 0)]


@pytest.mark.parametrize(("rules", "count"), [("pa-641a", 4), ("pa-643a", 1)])
def test_what_an_automated_shoe_leaves_over_is_no_burn(rules: str, count: int) -> None:
    story = ordinary(rules, dealing="automated-shoe")
    story.phases["deal"] += [story.place("rack") for _ in range(count)]
    assert story.codes() == []
    story.phases["deal"].append(story.place("rack"))
    assert story.codes() == [("MD06", None, None, 0)]


@pytest.mark.parametrize("rules", HOLDEM)
def test_the_flop_before_the_last_hole_card_is_too_early(rules: str) -> None:
    story = ordinary(rules)
    story.phases["board 1"].append(story.phases["deal"].pop())
    codes = [code for code, *_ in story.codes()]
    assert "MD07" in codes and "MD04" not in codes


@pytest.mark.parametrize("rules", HOLDEM)
def test_a_community_card_face_down_is_the_wrong_way_up(rules: str) -> None:
    story = ordinary(rules)
    phase = story.phases["board 1"]
    card = phase[1]
    assert isinstance(card, CardPlaced)
    phase[1] = replace(card, face="down", identity=Unreadable("face down"))
    phase.append(story.turn(card.card))
    assert story.codes() == [("MD07", None, None, 0)]


@pytest.mark.parametrize("rules", HOLDEM)
def test_six_community_cards_are_one_too_many(rules: str) -> None:
    story = ordinary(rules)
    story.faces["community"].append("3s")
    story.phases["board 2"].append(story.place("community", "up"))
    assert story.codes() == [("MD07", None, None, 0)]


@pytest.mark.parametrize("rules", ALL)
def test_the_same_card_in_two_hands_is_named_with_both_places(rules: str) -> None:
    story = ordinary(rules)
    story.faces["seat3"][-1] = story.faces["seat1"][-1]
    (finding,) = (f for f in story.audit().findings if f.code == "MD08")
    assert "seat 1" in finding.message and "seat 3" in finding.message


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("phase", ["deal", "decision 0"])
def test_handing_everything_back_without_a_cause_is_one_finding(rules: str, phase: str) -> None:
    story = ordinary(rules)
    if phase == "decision 0" and len(story.game.decisions) == 1:
        story.phases[phase] = story.phases[phase][:1]  # the folds are still to come
    story.broken_off = phase
    assert [(code, seat) for code, seat, *_ in story.codes()] == [("MD10", None)]


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("cards", [1, 2, 5])
def test_a_deal_that_was_broken_off_has_no_fault_in_its_unfinished_hands(rules: str, cards: int) -> None:
    story = ordinary(rules)
    story.phases["deal"] = story.phases["deal"][:cards]
    story.broken_off = "deal"
    assert [code for code, *_ in story.codes()] == ["MD10"]


@pytest.mark.parametrize("rules", ALL)
def test_wagers_left_where_they_are_in_a_round_called_off_are_handed_back_too(rules: str) -> None:
    story = ordinary(rules)
    story.broken_off = "deal"
    for seat, told in story.seats.items():
        story.done |= {(seat, wager.name): "leave" for wager in story.game.wagers if wager.name in told}
    assert [code for code, *_ in story.codes()] == ["MD10"]


@pytest.mark.parametrize("rules", ALL)
def test_a_jammed_shoe_voids_the_round_and_has_no_code(rules: str) -> None:
    story = ordinary(rules, dealing="automated-shoe")
    story.phases["deal"] = [*story.phases["deal"][:3], declared("shoe_jam")]
    story.broken_off = "deal"
    assert story.codes() == []


def test_a_jam_that_is_played_on_is_md09_alone() -> None:
    story = ordinary("pa-653a", dealing="automated-shoe")
    story.phases["deal"].append(declared("shoe_jam"))
    story.played_on = True
    assert [code for code, *_ in story.codes()] == ["MD09"]


@pytest.mark.parametrize("what", ["round_void", "shuffler_jam"])
def test_what_an_operator_declares_does_not_void_a_round(what: str) -> None:
    story = ordinary("pa-653a")
    story.phases["deal"].append(declared(what))
    story.broken_off = "deal"
    assert [code for code, *_ in story.codes()] == ["MD10"]


@pytest.mark.parametrize("rules", ALL)
def test_a_stub_count_must_make_fifty_two(rules: str) -> None:
    for wrong in (0, 1):
        story = ordinary(rules)
        story.broken_off = "deal" if wrong else None
        end = story.phases["deal"] if wrong else next(p for n, p in story.phases.items() if n == "reveal")
        out = len(story.phases["deal"]) if wrong else story._count
        end.insert(len(end) if wrong else 0, StubCounted(t=0, count=52 - out - wrong, actor="dealer"))
        assert [code for code, *_ in story.codes()] == (["MD11"] if wrong else [])


def shift(count: int, **changes: object) -> list[Story]:
    stories = [ordinary("pa-653a", **changes) for _ in range(count)]
    for number, story in enumerate(stories, start=1):
        story.number = number
    return stories


def codes_of(stories: list[Story]) -> list[tuple[str, int]]:
    audit = audit_rounds([story.told() for story in stories], stories[0].table)
    return [(finding.code, finding.round) for finding in audit.findings]


def test_a_stub_count_is_overdue_at_every_fifth_round_without_one() -> None:
    assert codes_of(shift(11, shuffler_counts_deck=False)) == [("MD11", 5), ("MD11", 10)]
    assert codes_of(shift(11)) == []


def test_a_count_starts_the_five_rounds_again() -> None:
    stories = shift(8, shuffler_counts_deck=False)
    stories[3].phases["reveal"].insert(0, StubCounted(t=0, count=52 - stories[3]._count, actor="dealer"))
    assert codes_of(stories) == []


@pytest.mark.parametrize(("dealing", "hours"), [("hand", 4), ("manual-shoe", 8), ("automated-shoe", 8)])
def test_a_deck_is_overdue_once_until_it_is_changed(dealing: str, hours: int) -> None:
    stories = shift(5, dealing=dealing)
    for story, clock in zip(stories, (0, hours, hours + 1, hours + 2, 2 * hours + 3), strict=True):
        story.extra["clock_start"] = f"2026-11-30T{clock:02d}:00:00+00:00"
    assert codes_of(stories) == [("MD12", 3)]
    stories[3].phases["betting"].insert(0, DeckChanged(t=0, actor="dealer"))
    assert codes_of(stories) == [("MD12", 3), ("MD12", 5)]


def test_the_same_deck_twice_running_is_reported_only_where_two_decks_alternate() -> None:
    for decks, expected in ((2, [("MD13", 2)]), (1, [])):
        stories = shift(3, decks=decks)
        for story, back in zip(stories, (0, 0, 1), strict=True):
            story.phases["betting"].insert(0, DeckShuffled(t=0, back=back, actor="dealer"))
        assert codes_of(stories) == expected


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_cards_that_show_once_every_wager_is_gone_decide_nothing(rules: str) -> None:
    story = ordinary(rules)
    story.broken_off = "deal"
    round_ = story.told()
    racked = next(n for n, e in enumerate(round_.events) if isinstance(e, CardMoved))
    shown = [replace(story.turn(card), t=round_.events[racked].t - 0.5) for card in story.names["dealer"]]
    events = (*round_.events[:racked], *shown, *round_.events[racked:])
    audit = audit_rounds([replace(round_, events=events)], story.table)
    assert [finding.code for finding in audit.findings] == ["MD10"]


@pytest.mark.parametrize("rules", HOLDEM)
def test_a_flop_of_four_or_of_two_is_one_fault_and_the_burns_and_raises_around_it_are_none(rules: str) -> None:
    four, two = ordinary(rules), ordinary(rules)
    four.phases["board 1"].append(four.phases["board 2"].pop(1))
    two.phases["board 2"].insert(1, two.phases["board 1"].pop())
    assert four.codes() == two.codes() == [("MD07", None, None, 0)]


@pytest.mark.parametrize("rules", HOLDEM)
def test_a_burn_that_comes_one_card_late_is_one_fault(rules: str) -> None:
    story = ordinary(rules)
    turn = story.phases["board 2"]
    turn[0], turn[1] = turn[1], turn[0]
    round_ = story.told()
    (place,) = (n for n, e in enumerate(round_.events) if isinstance(e, CardPlaced) and e.card == turn[0].card)  # type: ignore[attr-defined]
    later = [replace(e, t=e.t + 5) if n >= place else e for n, e in enumerate(round_.events)]
    audit = audit_rounds([replace(round_, events=tuple(later))], story.table)
    assert [finding.code for finding in audit.findings] == ["MD06"]


@pytest.mark.parametrize("rules", ALL)
def test_a_card_drawn_in_error_and_not_exposed_is_the_next_card(rules: str) -> None:
    story = ordinary(rules)
    deal = story.phases["deal"]
    place = next(n for n, event in enumerate(deal) if event.zone == "seat3.cards")  # type: ignore[attr-defined]
    card = deal[place]
    assert isinstance(card, CardPlaced)
    moved = CardMoved(t=0, card=card.card, source="seat4.cards", to="seat3.cards", actor="dealer")
    deal[place : place + 1] = [replace(card, zone="seat4.cards"), moved]
    assert story.codes() == []


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_forfeits_collected_in_a_void_round_that_ends_with_the_dealers_hand_are_played_on(rules: str) -> None:
    story = ordinary(rules)
    folded = {seat: told for seat, told in story.seats.items() if seat == 4}
    lost = {name: amount for name, amount in folded[4].items() if name in ("hand", *story.game.qualifying[0])}
    alone = Story(rules, {4: lost}, " ".join(story.faces["dealer"]), " ".join(story.faces["community"]))
    end = len(alone.phases["deal"])
    face_up(alone, "rack", end)
    face_up(alone, "rack", end)
    assert [code for code, *_ in alone.codes()] == ["MD03", "MD09"]


@pytest.mark.parametrize("rules", WITH_DEALER)
def test_a_dealer_who_shows_the_hand_once_the_round_is_void_exposes_nothing(rules: str) -> None:
    story = ordinary(rules)
    end = len(story.phases["deal"])
    face_up(story, "rack", end)
    face_up(story, "rack", end)
    story.phases["deal"] += [story.turn(card) for card in story.names["dealer"][: story.game.dealer_open_from]]
    story.broken_off = "deal"
    expected = {"MD03"} | ({"PY03", "MD07"} if rules in ("pa-569", "pa-653a") else set())  # there Trips plays
    assert {code for code, *_ in story.codes()} <= expected


@pytest.mark.parametrize(("rules", "wager"), [("pa-641a", "aces_up"), ("pa-649a", "pair_plus")])
def test_the_only_wager_settled_before_the_dealer_shows_is_early_and_no_call_off(rules: str, wager: str) -> None:
    hand = "3h 7s 9s Tc Jd" if rules == "pa-641a" else "2s 7h 8h"
    story = Story(rules, {5: {"hand": hand, wager: 5}}, " ".join(ordinary(rules).faces["dealer"]))
    story.phases["decision 0"].append(story.changed(5, wager, 0, "dealer", to="tray"))
    assert story.codes() == [("PY07", 5, wager, 0)]
