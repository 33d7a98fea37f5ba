"""What could not be read: confirmed only when every reading agrees, never a guess, never a false alarm."""

from dataclasses import replace
from typing import Any

import pytest

from handreplay.core.events import CardPlaced, CardTurned, ChipsChanged, Event, FootageGap, Round
from handreplay.core.findings import Audit
from handreplay.core.money import usd
from handreplay.core.readings import Known, Unreadable
from handreplay.rules import audit_rounds, exit_code
from tests.rules.rounds import ALL, HOLDEM, base, ordinary
from tests.rules.story import Story, pile


def judged(story: Story, change: Any) -> Audit:
    round_ = story.told()
    return audit_rounds([replace(round_, events=tuple(change(event) for event in round_.events))], story.table)


def said(audit: Audit) -> list[tuple[str, str, int | None]]:
    return [(finding.code, finding.status, finding.seat) for finding in audit.findings]


def unread(card: str, *candidates: tuple[str, float]) -> Any:
    def change(event: Event) -> Event:
        if isinstance(event, CardTurned) and event.card == card and event.face == "up":
            return replace(event, identity=Unreadable("glare", candidates), confidence=0.4)
        return event

    return change


def test_an_unread_card_that_changes_nothing_is_no_finding() -> None:
    seats = {3: {"hand": "Kd Ks", "ante": 25, "blind": 25, "later": (25, 2)}}
    story = Story("pa-653a", seats, "7d Jc", "Kh 7h 2h As 3c")  # any card makes kings up or better, and no straight
    assert said(judged(story, unread(story.names["seat3"][1]))) == []


def test_an_unread_card_that_decides_names_its_hand() -> None:
    story = ordinary("pa-653a")
    audit = judged(story, unread(story.names["seat3"][0]))
    assert said(audit) == [("FT03", "review", 3)] and exit_code(audit) == 3
    assert "what hangs on it: Seat 3 " in audit.findings[0].message
    assert audit.rounds[0].verdict == "review"
    row = next(row for row in audit.rounds[0].settlement if (row.seat, row.wager) == (3, "blind"))
    assert row.expected.result == "unsettled" and row.observed.result == "win"


def test_an_unread_card_of_the_dealers_or_of_the_board_names_no_seat() -> None:
    story = ordinary("pa-653a")
    assert said(judged(story, unread(story.names["dealer"][0]))) == [("FT03", "review", None)]


def test_candidates_that_agree_settle_a_card() -> None:
    story = ordinary("pa-653a")
    card = story.names["seat3"][0]  # nine of hearts, a flush with the four of hearts
    assert said(judged(story, unread(card, ("9h", 0.6), ("8h", 0.38)))) == []


def test_a_fault_by_every_candidate_is_probable_when_they_leave_something_open() -> None:
    story = ordinary("pa-653a")
    story.done[(3, "blind")] = 2500
    for share, status in ((0.3, "probable"), (0.38, "confirmed")):
        audit = judged(story, unread(story.names["seat3"][0], ("9h", 0.61), ("8h", share)))
        assert said(audit) == [("PY01", status, 3)]


def test_a_fault_by_the_likeliest_candidate_is_probable_and_the_card_is_named_too() -> None:
    story = ordinary("pa-653a")
    story.done[(3, "blind")] = 2500
    audit = judged(story, unread(story.names["seat3"][0], ("9h", 0.8), ("9c", 0.2)))
    codes = said(audit)
    assert ("PY01", "probable", 3) in codes and ("FT03", "review", 3) in codes


def test_when_the_likeliest_candidate_shows_no_fault_only_the_card_is_named() -> None:
    story = ordinary("pa-653a")
    audit = judged(story, unread(story.names["seat3"][0], ("9h", 0.6), ("9c", 0.3)))
    assert said(audit) == [("FT03", "review", 3)]


def test_a_card_seen_elsewhere_is_no_candidate() -> None:
    story = ordinary("pa-653a")
    audit = judged(story, unread(story.names["seat3"][0], ("9h", 0.5), ("Kh", 0.5)))  # Kh lies on the board
    assert said(audit) == []


def test_more_unread_cards_than_can_be_gone_through_are_named_not_guessed() -> None:
    story = ordinary("pa-649a")
    changes = [unread(card) for card in (*story.names["dealer"], story.names["seat1"][0])]

    def change(event: Event) -> Event:
        for one in changes:
            event = one(event)
        return event

    audit = judged(story, change)
    assert ("FT03", "review", None) in said(audit) and exit_code(audit) == 3


@pytest.mark.parametrize("confidence", [0.99, 0.97, 0.4])
def test_a_finding_is_as_sure_as_its_weakest_reading(confidence: float) -> None:
    story = ordinary("pa-653a")
    story.done[(3, "blind")] = 2500
    card = story.names["dealer"][0]

    def change(event: Event) -> Event:
        if isinstance(event, CardTurned) and event.card == card:
            return replace(event, identity=Known("7d", confidence), confidence=confidence)
        return event

    (finding,) = judged(story, change).findings
    status = "confirmed" if confidence >= 0.98 else "probable" if confidence >= 0.5 else "review"
    assert (finding.confidence, finding.status) == (confidence, status)


def chips_unread(zone: str, *candidates: tuple[int, float], after: int) -> Any:
    """A change of the zone that leaves `after` cents there could not be read; nor what the next one finds."""

    def change(event: Event) -> Event:
        if not isinstance(event, ChipsChanged) or event.zone != zone:
            return event
        if event.after == Known(pile(after), 1.0):
            unknown = Unreadable("glare", tuple((pile(amount), share) for amount, share in candidates))
            return replace(event, after=unknown, confidence=0.5)
        return replace(event, before=Unreadable("glare")) if event.before == Known(pile(after), 1.0) else event

    return change


@pytest.mark.parametrize("rules", ALL)
def test_a_payment_that_could_not_be_read_is_named_not_guessed(rules: str) -> None:
    story = ordinary(rules)
    wager = base(rules)
    paid = next(r.expected.pay_cents for r in story.audit().rounds[0].settlement if (r.seat, r.wager) == (1, wager))
    lies = 2500 + (paid or 0)
    audit = judged(story, chips_unread(f"seat1.{wager}", (lies, 0.5), (lies + 500, 0.45), after=lies))
    assert said(audit) == [("FT04", "review", 1)] and audit.rounds[0].verdict == "review"
    assert audit.findings[0].message.endswith(f"It should have been paid {usd(paid or 0)}.")


@pytest.mark.parametrize("candidates", [((1000, 0.5), (1500, 0.45)), ()])
def test_the_size_of_a_stake_that_is_taken_whole_does_not_matter(candidates: tuple[tuple[int, float], ...]) -> None:
    story = ordinary("pa-653a")
    audit = judged(story, chips_unread("seat4.trips", *candidates, after=1000))
    assert said(audit) == [] and audit.rounds[0].verdict == "clean"


def test_who_took_the_chips_is_asked_when_nobody_saw_it() -> None:
    story = ordinary("pa-653a")

    def change(event: Event) -> Event:
        if isinstance(event, ChipsChanged) and event.zone == "seat1.trips" and event.actor == "dealer":
            return replace(event, actor="unknown", to=None)
        return event

    assert said(judged(story, change)) == [("FT04", "review", 1)]


def with_gap(story: Story, start: float, end: float, drop: str = "") -> Round:
    """The round with a gap, in which the events of the zones that start with `drop` are lost."""
    round_ = story.told()
    kept = [
        event
        for event in round_.events
        if not (start <= event.t <= end and drop and getattr(event, "zone", "").startswith(drop))
    ]
    return replace(round_, events=tuple(sorted([*kept, FootageGap(t=start, until=end)], key=lambda e: e.t)))


@pytest.mark.parametrize("rules", ALL)
def test_a_gap_in_a_quiet_moment_leaves_the_round_incomplete_and_judged(rules: str) -> None:
    story = ordinary(rules)
    story.done[(1, base(rules))] = 500
    deal_end = float(len(story.phases["betting"]) + len(story.phases["deal"]))
    audit = audit_rounds([with_gap(story, deal_end + 0.2, deal_end + 0.8)], story.table)
    assert [code for code, *_ in said(audit)] == ["FT01", "PY01"]
    clean = audit_rounds([with_gap(ordinary(rules), deal_end + 0.2, deal_end + 0.8)], story.table)
    assert said(clean) == [("FT01", "review", None)]
    assert (clean.rounds[0].verdict, exit_code(clean)) == ("incomplete", 3)


@pytest.mark.parametrize("rules", ALL)
def test_what_was_paid_in_a_gap_is_not_known_and_no_fault(rules: str) -> None:
    story = ordinary(rules)
    round_ = story.told()
    zone = f"seat1.{base(rules)}"
    paid = next(e.t for e in reversed(round_.events) if isinstance(e, ChipsChanged) and e.zone == zone)
    audit = audit_rounds([with_gap(story, paid - 0.5, paid + 0.5, drop=zone)], story.table)
    assert said(audit) == [("FT01", "review", None)]
    row = next(r for r in audit.rounds[0].settlement if (r.seat, r.wager) == (1, base(rules)))
    assert row.observed.result == "unsettled"


def test_chips_that_changed_unseen_without_a_gap_are_named() -> None:
    story = ordinary("pa-653a")
    round_ = story.told()
    events = [
        e for e in round_.events if not (isinstance(e, ChipsChanged) and e.zone == "seat1.play" and e.actor == "dealer")
    ]
    collect = ChipsChanged(
        t=round_.end, zone="seat1.play", before=Known(pile(20000), 1.0), after=Known((), 1.0), actor="player"
    )
    audit = audit_rounds([replace(round_, events=(*events, collect))], story.table)
    assert said(audit) == [("FT04", "review", 1)]


@pytest.mark.parametrize("rules", ALL)
def test_a_round_that_the_footage_shows_in_part_has_nothing_confirmed(rules: str) -> None:
    story = ordinary(rules)
    story.done[(1, base(rules))] = 500
    round_ = replace(story.told(), partial="the footage starts late")
    for events in (round_.events, round_.events[: len(round_.events) // 2], round_.events[len(round_.events) // 3 :]):
        audit = audit_rounds([replace(round_, events=events)], story.table)
        assert all(finding.status != "confirmed" for finding in audit.findings)
        assert {finding.code for finding in audit.findings} <= {"FT01", "FT03", "FT04", "PY01"}
    cut = audit_rounds([replace(round_, events=round_.events[: len(round_.events) // 2])], story.table)
    assert cut.rounds[0].verdict == "incomplete"


def test_wagers_that_differ_are_as_sure_as_the_weaker_of_the_two() -> None:
    story = ordinary("pa-653a")
    seats = {1: story.seats[1] | {"blind": 20}}
    unequal = Story("pa-653a", seats, "7d Jc", "Kh 7h 2h As 3c")

    def change(event: Event) -> Event:
        if isinstance(event, ChipsChanged) and event.zone == "seat1.ante":
            return replace(event, confidence=0.7, after=replace(event.after, confidence=0.7))  # type: ignore[type-var]
        return event

    (finding,) = (f for f in judged(unequal, change).findings if f.code == "WG01")
    assert (finding.status, finding.confidence) == ("probable", 0.7)


@pytest.mark.parametrize("rules", ALL)
def test_a_hand_that_was_covered_is_no_misdeal(rules: str) -> None:
    story = ordinary(rules)
    card = story.names["seat3"][1]
    round_ = story.told()
    kept = [e for e in round_.events if getattr(e, "card", None) != card]
    first = min(e.t for e in kept if isinstance(e, CardPlaced))
    gap = FootageGap(t=first + 0.0005, until=round_.end, zone="seat3.cards")
    events = tuple(sorted([*kept, gap], key=lambda e: e.t))
    rack = tuple(entry for entry in round_.rack if entry.card != card)
    audit = audit_rounds([replace(round_, events=events, rack=rack)], story.table)
    codes = said(audit)
    assert ("FT05", "review", 3) in codes and not any(code.startswith("MD") for code, _, _ in codes)
    assert audit.rounds[0].verdict == "review"


def test_what_lay_over_an_empty_seat_is_no_finding() -> None:
    story = ordinary("pa-653a")
    round_ = story.told()
    gap = FootageGap(t=round_.start, until=round_.end, zone="seat6.ante")
    events = tuple(sorted([*round_.events, gap], key=lambda e: e.t))
    assert said(audit_rounds([replace(round_, events=events)], story.table)) == []


def from_footage(story: Story, *events: Event) -> Round:
    """As it is read from pictures, none of which is believed wholly."""
    round_ = story.told()
    read = tuple(replace(event, confidence=min(event.confidence, 0.96)) for event in events or round_.events)
    return replace(round_, events=read, extra={"read_from": "footage"})


@pytest.mark.parametrize("rules", ALL)
def test_a_card_that_pictures_do_not_show_is_a_question(rules: str) -> None:
    story = ordinary(rules)
    card = story.names["seat3"][-1]
    kept = [e for e in story.told().events if getattr(e, "card", None) != card]
    found = audit_rounds([from_footage(story, *kept)], story.table)
    assert ("MD01", "review", 3) in said(found)
    assert not [f for f in found.findings if f.status != "review"]


def test_a_bet_that_the_dealer_moves_at_its_decision_went_back_to_the_player() -> None:
    seats = {3: {"hand": "7s 7d 9c", "bet1": 25, "bet2": 25, "bet3": 25, "at": {"bet1": 0}}}
    story = Story("pa-643a", seats, board="2c 4d")
    round_ = story.told()
    taken = [e for e in round_.events if isinstance(e, ChipsChanged) and e.zone == "seat3.bet1"][1]
    events = [replace(e, actor="dealer", to=None) if e is taken else e for e in round_.events]
    assert taken.t < min(e.t for e in round_.events if isinstance(e, CardTurned) and e.card in story.names["community"])
    assert said(audit_rounds([from_footage(story, *events)], story.table)) == []


@pytest.mark.parametrize("place", [0, 1])
def test_a_community_card_that_is_first_seen_when_it_is_turned_up_lay_there_before(place: int) -> None:
    seats = {3: {"hand": "7s 7d 9c", "bet1": 25, "bet2": 25, "bet3": 25, "at": {"bet1": 0}}}
    story = Story("pa-643a", seats, board="2c 4d")
    round_, late = story.told(), story.names["community"][place]
    turned = next(e for e in round_.events if isinstance(e, CardTurned) and e.card == late)
    (lay,) = (e for e in round_.events if isinstance(e, CardPlaced) and e.card == late)
    up = replace(lay, t=turned.t, frame=turned.frame, face="up", identity=turned.identity)
    events = sorted([up, *(e for e in round_.events if e not in (turned, lay))], key=lambda e: e.t)
    assert said(audit_rounds([from_footage(story, *events)], story.table)) == [("MD07", "review", None)]
    at_the_deal = sorted(
        [replace(up, t=lay.t), *(e for e in round_.events if e not in (turned, lay))], key=lambda e: e.t
    )
    assert ("MD07", "probable", None) in said(audit_rounds([from_footage(story, *at_the_deal)], story.table))


@pytest.mark.parametrize("rules", HOLDEM)
@pytest.mark.parametrize(("noticed_after_s", "told"), [(0.9, []), (2.5, ["WG03"])])
def test_a_wager_at_once_after_a_last_card_that_is_noticed_late_was_not_too_early(
    rules: str, noticed_after_s: float, told: list[str]
) -> None:
    story = ordinary(rules)
    round_ = story.told()
    last = max((e for e in round_.events if isinstance(e, CardPlaced) and ".cards" in e.zone), key=lambda e: e.t)
    raised = next(e for e in round_.events if isinstance(e, ChipsChanged) and e.t > last.t)
    at = last.t + 0.05
    events = []
    for event in round_.events:
        usual = event.t + 5 if event.t > last.t else event.t
        events.append(replace(event, t=at if event is raised else at + noticed_after_s if event is last else usual))
    found = audit_rounds([from_footage(story, *sorted(events, key=lambda e: e.t))], story.table).findings
    assert [f.code for f in found if f.code.startswith("WG") and f.status != "review"] == told


def test_the_open_card_of_the_dealers_pile_may_be_seen_first() -> None:
    story = ordinary("pa-641a")
    round_ = story.told()
    placed = {e.card: e for e in round_.events if isinstance(e, CardPlaced)}
    first, last = placed[story.names["dealer"][0]], placed[story.names["dealer"][-1]]
    assert last.face == "up"
    moved = [replace(e, t=first.t - 0.0005) if e is last else e for e in round_.events]
    events = tuple(sorted(moved, key=lambda e: e.t))
    logged = audit_rounds([replace(round_, events=events)], story.table)
    assert "EX01" in [code for code, _, _ in said(logged)]
    assert [code for code, _, _ in said(audit_rounds([from_footage(story, *events)], story.table))] in ([], ["MD04"])


@pytest.mark.parametrize("rules", ALL)
def test_a_wager_covered_while_it_was_settled_is_named_and_one_covered_in_a_quiet_time_is_not(rules: str) -> None:
    story = ordinary(rules)
    wager = base(rules)
    round_ = story.told()
    settled = [e for e in round_.events if isinstance(e, ChipsChanged) and e.zone == f"seat1.{wager}"][-1]
    quiet = FootageGap(t=settled.t - 0.7, until=settled.t - 0.2, zone=settled.zone)
    over = FootageGap(t=settled.t - 0.5, until=round_.end, zone=settled.zone)
    for gap, lost, expected in ((quiet, False, []), (over, True, [("FT05", 1, wager)])):
        kept = [e for e in round_.events if not (lost and e is settled)]
        events = tuple(sorted([*kept, gap], key=lambda e: e.t))
        audit = audit_rounds([replace(round_, events=events)], story.table)
        assert [(f.code, f.seat, f.wager) for f in audit.findings] == expected


def test_what_lay_over_the_tray_does_not_matter_and_over_the_dealers_cards_it_does() -> None:
    story = ordinary("pa-653a")
    round_ = story.told()
    for zone, codes in (("tray", []), ("dealer.cards", ["FT05"])):
        gap = FootageGap(t=round_.events[8].t + 0.3, until=round_.events[8].t + 0.6, zone=zone)
        events = tuple(sorted([*round_.events, gap], key=lambda e: e.t))
        found = audit_rounds([replace(round_, events=events)], story.table)
        assert [code for code, *_ in said(found)] == codes


def test_a_payment_that_is_wrong_by_any_pile_is_told_with_what_it_may_be() -> None:
    story = ordinary("pa-653a")
    story.done[3, "ante"] = 7500
    paid = [e for e in story.told().events if isinstance(e, ChipsChanged) and e.zone == "seat3.ante"][1]
    piles = tuple((pile(amount), p) for amount, p in ((10_000, 0.7), (12_500, 0.3)))
    unsure = replace(paid, after=Unreadable("number of chips not certain", piles))
    events = [unsure if e.t == paid.t else e for e in story.told().events]
    found = audit_rounds([from_footage(story, *events)], story.table).findings
    assert [(f.code, f.seat, f.wager) for f in found] == [("PY02", 3, "ante")]
    assert "By other readings of the chips the difference is $75.00." in found[0].message


def test_a_dealer_hand_laid_open_is_shown_though_one_of_its_cards_was_not_read() -> None:
    story = ordinary("pa-641a")
    missed = story.names["dealer"][1]
    events = [e for e in story.told().events if not (isinstance(e, CardTurned) and e.card == missed)]
    found = said(audit_rounds([from_footage(story, *events)], story.table))
    assert {code for code, _, _ in found} <= {"FT03"}


@pytest.mark.parametrize(("before", "codes"), [(0.3, []), (2.0, ["WG03"])])
def test_a_wager_made_within_half_a_second_of_its_decision_is_made_at_it(before: float, codes: list[str]) -> None:
    story = ordinary("pa-653a")
    events = story.told().events
    dealt = max(e.t for e in events if isinstance(e, CardPlaced) and e.zone in ("seat1.cards", "dealer.cards"))
    moved = [
        replace(e, t=dealt - before)
        if isinstance(e, ChipsChanged) and e.zone == "seat1.play" and isinstance(e.before, Known) and not e.before.value
        else e
        for e in events
    ]
    round_ = from_footage(story, *sorted(moved, key=lambda e: e.t))
    assert [code for code, _, _ in said(audit_rounds([round_], story.table))] == codes


@pytest.mark.parametrize(
    ("candidates", "asked"),
    [
        ((((("5", 2),), 0.5), ((("5", 3),), 0.5)), "WG03"),
        ((((("5", 2),), 0.9), ((("5", 3),), 0.1)), None),
        ((((("5", 2),), 0.6), ((("5", 1),), 0.4)), "WG04"),
    ],
)
def test_chips_touched_when_they_had_to_stand_are_asked_about_if_they_may_be_others(
    candidates: tuple[tuple[Any, float], ...], asked: str | None
) -> None:
    story = ordinary("pa-653a")  # seat 4 has a Trips of $10
    touched = replace(story.changed(4, "trips", 1000, "player"), after=Unreadable("number of chips", candidates))
    story.phases["board 1"].append(touched)
    story.done[(4, "trips")] = "leave"  # nobody sees later how many there were
    audit = audit_rounds([from_footage(story)], story.table)
    late = [finding for finding in audit.findings if finding.code in ("WG03", "WG04")]
    assert [(f.code, f.status, f.seat, f.wager) for f in late] == ([(asked, "review", 4, "trips")] if asked else [])


def open_pair(story: Story, zone: str, stakes: dict[int, float], after: dict[int, float]) -> Round:
    """A round from pictures in which a stake and what lay there after the dealer's payment are open: cents, chances."""
    events: list[Event] = []
    number = 0
    for event in story.told().events:
        if isinstance(event, ChipsChanged) and event.zone == zone:
            number += 1
            readings = [
                Unreadable("number of chips", tuple((pile(c), p) for c, p in own.items())) for own in (stakes, after)
            ]
            before = event.before if number == 1 else readings[min(number, 3) - 2]
            event = replace(event, before=before, after=readings[number - 1] if number < 3 else event.after)
        events.append(event)
    return from_footage(story, *events)


def test_a_lost_wager_that_gets_chips_is_overpaid_however_many_they_are() -> None:
    story = ordinary("pa-653a")  # seat 1 loses its Trips of $5
    story.done[(1, "trips")] = 500
    round_ = open_pair(story, "seat1.trips", {500: 0.5, 1000: 0.4}, {500: 0.2, 1000: 0.4, 1500: 0.3})
    assert ("PY02", "probable", 1) in said(audit_rounds([round_], story.table))


@pytest.mark.parametrize("after", [{500: 0.9, 1000: 0.1}, {1000: 0.2}])
def test_chips_that_hardly_were_added_or_hardly_were_read_accuse_nobody(after: dict[int, float]) -> None:
    story = ordinary("pa-653a")
    story.done[(1, "trips")] = 500
    round_ = open_pair(story, "seat1.trips", {500: 1.0}, after)
    assert not [one for one in said(audit_rounds([round_], story.table)) if one[0] == "PY02" and one[1] != "review"]


def test_a_win_that_may_have_been_paid_right_stays_a_question() -> None:
    story = ordinary("pa-653a")
    stakes, after = {2500: 0.5, 5000: 0.4}, {5000: 0.3, 6250: 0.3, 10000: 0.3}  # a flush pays 3 to 2
    round_ = open_pair(story, "seat3.blind", stakes, after)
    assert ("FT04", "review", 3) in said(audit_rounds([round_], story.table))
    assert not [code for code, status, seat in said(audit_rounds([round_], story.table)) if status != "review"]


def test_no_finding_from_pictures_is_surer_than_they_are() -> None:
    story = ordinary("pa-653a")
    story.done[(3, "blind")] = 2500
    found = audit_rounds([from_footage(story)], story.table).findings
    assert [finding.code for finding in found] == ["PY01"]
    assert all(finding.confidence <= 0.96 and finding.status != "confirmed" for finding in found)


def test_where_stakes_are_read_that_the_table_would_not_take_a_payment_is_a_question() -> None:
    story = ordinary("pa-653a", minimum_cents=3000)
    story.done[(3, "blind")] = 2500
    found = {finding.code: finding for finding in audit_rounds([from_footage(story)], story.table).findings}
    assert {code: finding.status for code, finding in found.items()} == {"PY01": "review", "WG06": "review"}
    assert "handreplay adapt" in found["PY01"].message


def test_a_seat_whose_cards_were_not_read_was_not_left_out_for_sure() -> None:
    story = ordinary("pa-653a")
    mine = set(story.names["seat4"])
    kept = [e for e in story.told().events if getattr(e, "card", None) not in mine]
    dealt = [e.t for e in kept if isinstance(e, CardPlaced)]
    gap = FootageGap(t=dealt[0] + 0.0005, until=dealt[-1], zone="seat4.cards")
    events = sorted([*kept, gap], key=lambda e: e.t)
    found = said(audit_rounds([from_footage(story, *events)], story.table))
    assert not [code for code, status, seat in found if code == "MD05" and status != "review"]


def test_a_wager_below_the_minimum_that_was_read_from_pictures_is_a_question() -> None:
    story = ordinary("pa-653a", minimum_cents=3000)
    assert {status for code, status, _ in said(story.audit()) if code == "WG06"} == {"confirmed"}
    found = said(audit_rounds([from_footage(story)], story.table))
    assert {status for code, status, _ in found if code == "WG06"} == {"review"}


def test_what_an_open_stake_is_due_is_not_said() -> None:
    story = ordinary("pa-653a")
    round_ = open_pair(story, "seat3.blind", {2500: 0.5, 5000: 0.4}, {6250: 0.6, 12500: 0.3})
    rows = audit_rounds([round_], story.table).rounds[0].settlement
    row = next(row for row in rows if (row.seat, row.wager) == (3, "blind"))
    assert (row.staked_cents, row.expected.result, row.expected.pay_cents) == (None, "win", None)


@pytest.mark.parametrize(
    ("other", "partial", "status"),
    [("seat3", None, "review"), ("dealer", None, "probable"), ("dealer", "footage ends within the round", "review")],
)
def test_a_card_read_twice_in_one_hand_may_be_one_card_and_so_may_one_of_two_rounds(
    other: str, partial: str | None, status: str
) -> None:
    story = ordinary("pa-653a")
    events = story.told().events
    first = next(e.identity for e in events if isinstance(e, CardTurned) and e.card == story.names["seat3"][0])
    twin = story.names[other][1]
    alike = [replace(e, identity=first) if isinstance(e, CardTurned) and e.card == twin else e for e in events]
    found = audit_rounds([replace(from_footage(story, *alike), partial=partial)], story.table).findings
    assert [f.status for f in found if f.code == "MD08"] == [status]


@pytest.mark.parametrize("rules", HOLDEM)
@pytest.mark.parametrize(("ways", "asked"), [(("player", None, None), True), (("player", "tray", "tray"), False)])
def test_wagers_that_few_of_were_seen_to_go_back_were_handed_back_where_fewer_went_to_the_tray(
    rules: str, ways: tuple[str | None, ...], asked: bool
) -> None:
    story = ordinary(rules)
    story.broken_off = "deal"
    told, number = [], 0
    for event in story.told().events:
        if isinstance(event, ChipsChanged) and event.actor == "dealer":
            event, number = replace(event, to=ways[number % len(ways)]), number + 1
        told.append(event)
    codes = said(audit_rounds([from_footage(story, *told)], story.table))
    assert (codes == [("MD10", "review", None)]) is asked


@pytest.mark.parametrize(("sure", "status"), [(0.95, "review"), (0.99, "probable")])
def test_a_payment_that_is_wrong_by_a_card_read_weakly_is_a_question(sure: float, status: str) -> None:
    story = ordinary("pa-653a")
    story.done[3, "ante"] = 7500
    weak = story.names["dealer"][0]
    events = [
        replace(e, identity=replace(e.identity, confidence=sure))
        if isinstance(e, CardTurned) and e.card == weak and isinstance(e.identity, Known)
        else e
        for e in story.told().events
    ]
    found = audit_rounds([from_footage(story, *events)], story.table).findings
    assert [(f.code, f.seat, f.status) for f in found] == [("PY02", 3, status)]


def test_a_card_burned_where_none_is_called_for_is_asked_about_though_a_place_was_covered() -> None:
    story = ordinary("pa-649a")
    story.phases["deal"].append(story.place("rack", "down"))
    events = list(story.told().events)
    last = max(e.t for e in events if isinstance(e, CardPlaced))
    events.append(FootageGap(t=last - 0.001, until=last + 30.0, zone="seat3.cards"))
    found = said(audit_rounds([from_footage(story, *sorted(events, key=lambda e: e.t))], story.table))
    assert ("MD06", "review", None) in found


@pytest.mark.parametrize(("zone", "told"), [("seat1.ante", True), (None, False)])
def test_what_lay_over_a_wager_hides_no_card(zone: str | None, told: bool) -> None:
    story = ordinary("pa-653a")
    story.phases["deal"].append(story.place("seat3", "down"))
    events = story.told().events
    dealt = [e.t for e in events if isinstance(e, CardPlaced)]
    gap = FootageGap(t=dealt[0] + 0.01, until=dealt[2], zone=zone)
    found = said(audit_rounds([from_footage(story, *sorted([*events, gap], key=lambda e: e.t))], story.table))
    assert ("MD01" in {code for code, _, _ in found}) is told


def test_an_order_of_settlement_is_a_question_where_a_wager_was_covered() -> None:
    story = ordinary("pa-653a")
    story.settling = [1, 3, 4]
    events = story.told().events
    shown = max(e.t for e in events if isinstance(e, CardTurned))
    gap = FootageGap(t=shown, until=shown + 0.5, zone="seat1.trips")
    for more, status in ((), "probable"), ((gap,), "review"):
        seen = sorted([*events, *more], key=lambda e: e.t)
        found = audit_rounds([from_footage(story, *seen)], story.table).findings
        assert [f.status for f in found if f.code == "PY05"] == [status]


def test_a_wager_that_was_covered_while_it_was_settled_is_not_said_to_be_unpaid() -> None:
    story = ordinary("pa-653a")
    events = story.told().events
    paid = next(e for e in events if isinstance(e, ChipsChanged) and e.zone == "seat3.ante" and e.actor == "dealer")
    gone = replace(paid, t=paid.t + 0.01, actor="player", after=Known((), 0.96))
    gap = FootageGap(t=paid.t - 0.0005, until=gone.t, zone="seat3.ante")
    kept = sorted([*(e for e in events if e is not paid), gap, gone], key=lambda e: e.t)
    codes = {(code, status) for code, status, _ in said(audit_rounds([from_footage(story, *kept)], story.table))}
    assert ("FT05", "review") in codes and not any(code.startswith("PY") for code, _ in codes)
