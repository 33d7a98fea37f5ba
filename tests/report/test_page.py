"""The page says what was found, what was checked and what was not seen, and lets nothing from outside run."""

import dataclasses
import re
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from sample_round import changed, document, sample_round, unseen

from handreplay.config_layout import standard_zones
from handreplay.core.events import CardPlaced, ChipsChanged, FootageGap
from handreplay.core.money import Chips
from handreplay.core.readings import Known, Unreadable
from handreplay.core.timeline import Gap
from handreplay.report.felt import draw_felt
from handreplay.report.page import MAX_EMBEDDED_BYTES, render_page
from handreplay.report.page_parts import Coverage, Report, headline, lost_seconds, round_parts
from handreplay.report.summary_text import summary_text
from handreplay.report.words import describe
from handreplay.store import Provenance

IMAGE = "evidence/r0002_PY02_1.jpg"
ZONES = standard_zones("ultimate-texas-holdem", 6, {"blind": "A", "trips": "B"})
PROVENANCE = Provenance(
    version="0.1.0",
    source_file="cam12.mp4",
    source_sha256="ab" * 32,
    profile_file="uth.table.toml",
    profile_sha256="cd" * 32,
    models={"cards.onnx": "ef" * 32},
)


def report(**values: Any) -> Report:
    usual: dict[str, Any] = {
        "document": document(),
        "rounds": [sample_round()],
        "zones": ZONES,
        "provenance": PROVENANCE,
        "coverage": Coverage(duration_s=50.0),
        "pictures": {IMAGE: b"\xff\xd8 picture"},
    }
    return Report(**usual | values)


def clean() -> dict[str, Any]:
    document_ = deepcopy(document())
    document_["findings"] = []
    document_["rounds"][0]["verdict"] = "clean"
    document_["rounds"][0]["settlement"][2]["observed"] = {"result": "push", "pay_cents": 0}
    return document_


def printed(report_: Report) -> str:
    console = Console(width=100, no_color=True)
    with console.capture() as capture:
        console.print(summary_text(report_, Path("out/report.html")), soft_wrap=True)
    return capture.get()


class Balance(HTMLParser):
    """Every element that is opened is closed, in order."""

    VOID = {"meta", "br", "img", "path", "circle", "use", "rect", "polygon"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID and (not self.open or self.open.pop() != tag):
            self.wrong.append(tag)


def test_the_page_is_well_formed_and_needs_nothing_beside_it() -> None:
    page = render_page(report())
    balance = Balance()
    balance.feed(page)
    assert (balance.wrong, balance.open) == ([], [])
    assert not re.search(r"""(src|href)="(?!#|data:)""", page)
    assert "<script" not in page and "http" not in page.replace("http-equiv", "")
    assert "data:image/jpeg;base64,/9ggcGljdHVyZQ==" in page


def test_the_finding_stands_with_its_money_its_rule_and_where_to_watch() -> None:
    page = render_page(report())
    for text in (
        "1 fault in 1 round",
        "The house lost $100.00.",
        "PY02",
        "+$100.00",
        "58 Pa. Code 653a.12(b)",
        "01:11:26.063 -05:00",
        "0:00:36.000",
        "frame 540",
        "confirmed",
        "99.1%",
        "Recover $100.00",
    ):
        assert text in page, text


def test_due_and_observed_stand_side_by_side_for_every_wager() -> None:
    page = re.sub(r"<svg.*?</svg>", "", render_page(report()), flags=re.DOTALL)
    rows = re.findall(r'<tr class="row-(\w+)[^"]*">(.*?)</tr>', page)
    cells = [(state, re.sub(r"<[^>]+>", "|", row).strip("|").split("||")) for state, row in rows]
    assert [(state, [cell.strip("|") for cell in row if cell.strip("|")]) for state, row in cells] == [
        ("right", ["5", "Ante", "$100.00", "win $100.00", "win $100.00"]),
        ("right", ["Play", "$400.00", "win $400.00", "win $400.00"]),
        ("wrong", ["Blind", "$100.00", "push", "win $100.00", "+$100.00"]),
    ]


def test_nothing_from_outside_is_taken_for_markup() -> None:
    evil = "<img src=x onerror=alert(1)>"
    document_ = deepcopy(document())
    document_["table"] = evil
    document_["findings"][0] |= {"message": evil, "remedy": evil, "citation": evil}
    round_ = dataclasses.replace(sample_round(), partial=evil)
    page = render_page(
        report(
            document=document_,
            rounds=[round_],
            provenance=dataclasses.replace(PROVENANCE, source_file=evil, models={evil: evil}),
            coverage=Coverage(duration_s=50.0, gaps=(Gap(Fraction(1), Fraction(2), evil),), remarks=(evil,)),
        )
    )
    assert "<img src=x" not in page
    assert page.count("&lt;img src=x onerror=alert(1)&gt;") >= 9


def test_a_recording_without_clock_times_is_told_by_its_own_seconds() -> None:
    page = render_page(report(rounds=[dataclasses.replace(sample_round(), clock_start=None)]))
    assert "0:00:36.000 into the recording" in page and "their clock time was not given" in page
    assert "Clock" not in page and "None" not in page.replace("None.", "")


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render_page(report()) == render_page(report())


def test_a_clean_audit_says_that_everything_was_checked() -> None:
    head = headline(report(document=clean()))
    assert (head.tone, head.title) == ("clean", "1 round checked, nothing found")
    assert ("9 of 9", "shown cards read", "plain") in head.counts


@pytest.mark.parametrize("why", ["gap", "question", "incomplete", "no rounds"])
def test_what_stays_open_is_never_called_clean(why: str) -> None:
    document_, coverage, rounds = clean(), Coverage(duration_s=50.0), [sample_round()]
    if why == "gap":
        coverage = Coverage(duration_s=50.0, gaps=(Gap(Fraction(1), Fraction(2), "damaged pictures"),))
    elif why == "question":
        document_["findings"] = [document()["findings"][0] | {"code": "FT04", "status": "review"}]
    elif why == "incomplete":
        document_["rounds"][0]["verdict"] = "incomplete"
    else:
        document_["rounds"], rounds = [], []
    head = headline(report(document=document_, coverage=coverage, rounds=rounds))
    assert head.tone == "open"
    assert "nothing found" not in head.title


def test_a_recording_without_rounds_is_not_said_to_be_checked() -> None:
    head = headline(report(document=clean() | {"rounds": []}, rounds=()))
    assert head.tone == "open" and "No round" in head.title
    assert "Nothing was checked" in head.detail and "profile" in head.detail


def test_where_triage_finds_no_round_a_full_audit_is_asked_for() -> None:
    coverage = Coverage(duration_s=50.0, triaged_s=50.0)
    head = headline(report(document=clean() | {"rounds": []}, rounds=(), coverage=coverage))
    assert head.tone == "open" and "Audit the recording in full" in head.detail


def test_seconds_not_covered_are_counted_once() -> None:
    gaps = tuple(Gap(Fraction(a), Fraction(b), "lost") for a, b in ((1, 4), (3, 5), (3, 4), (10, 11)))
    assert lost_seconds(report(coverage=Coverage(duration_s=50.0, gaps=gaps))) == 5.0


def test_what_could_not_be_read_is_listed_with_its_place() -> None:
    def edit(event: Any) -> Any:
        if isinstance(event, CardPlaced) and event.card == "c07":
            return changed(event, identity=Unreadable("glare", (("4c", 0.6), ("4s", 0.3))))
        if isinstance(event, ChipsChanged) and event.t == 16.0:
            return changed(event, after=Unreadable("stack under a hand"))
        return event

    round_ = sample_round()
    round_ = dataclasses.replace(round_, events=tuple(edit(event) for event in round_.events))
    page = render_page(report(rounds=[round_], document=clean()))
    assert "a card that showed its face for 27.0 s, not read (4♣ 60%, 4♠ 30%)" in page
    assert "Seat 5 Play: chips not read (stack under a hand)" in page
    assert "Every card that showed its face" not in page


def test_a_picture_inside_the_page_is_there_when_it_is_printed() -> None:
    assert '<img src="data:' in render_page(report()) and "loading=" not in render_page(report())


def test_pictures_beyond_the_limit_are_pointed_to_instead_of_embedded() -> None:
    document_ = deepcopy(document())
    document_["findings"][0]["evidence"].append({"t": 30.0, "frame": 450, "image": "evidence/second.jpg"})
    page = render_page(
        report(document=document_, pictures={IMAGE: b"x" * MAX_EMBEDDED_BYTES, "evidence/second.jpg": b"y"})
    )
    assert 'src="evidence/second.jpg"' in page
    assert page.count("data:image/jpeg") == 1


def test_evidence_without_a_picture_leaves_no_broken_image() -> None:
    assert "<img" not in render_page(report(pictures={}))


def test_the_felt_shows_who_held_what() -> None:
    felt = draw_felt(sample_round(), document()["rounds"][0]["settlement"], ZONES, findings=document()["findings"])
    faces = sorted(card.identity for card in felt.cards if card.identity)
    assert faces == sorted(["Qs", "Jd", "Qh", "Kh", "4d", "4c", "2d", "7h", "Js"])
    marked = {(wager.name, wager.staked, wager.outcome, wager.state) for wager in felt.wagers if wager.staked}
    assert marked == {
        ("Ante", "$100", "+$100", "right"),
        ("Play", "$400", "+$400", "right"),
        ("Blind", "$100", "+$100", "wrong"),
    }


def test_the_felt_lies_as_the_picture_does() -> None:
    rows = document()["rounds"][0]["settlement"]
    upright, turned = (draw_felt(sample_round(), rows, ZONES, turned=turned) for turned in (False, True))
    places = [{label.text: (label.x, label.y) for label in felt.labels}["Seat 5"] for felt in (upright, turned)]
    assert places[0][0] < 0 < places[1][0]
    assert places[0][1] > 0 > places[1][1]


def test_a_card_that_never_showed_lies_face_down_and_one_not_read_is_marked() -> None:
    def edit(event: Any) -> Any:
        if getattr(event, "card", "") == "c02" and hasattr(event, "face") and event.face == "up":
            return changed(event, identity=unseen("glare"))
        return None if getattr(event, "card", "") == "c04" and getattr(event, "face", "") == "up" else event

    round_ = sample_round()
    events = tuple(event for event in map(edit, round_.events) if event is not None)
    kinds = [card.kind for card in draw_felt(dataclasses.replace(round_, events=events), [], ZONES).cards]
    assert sorted(kinds) == ["back", *["face"] * 7, "unread"]


def test_many_cards_at_a_seat_lie_in_two_rows_within_its_room() -> None:
    extra = [CardPlaced(t=15.0 + n, card=f"x{n}", zone="seat5.cards", face="down", identity=unseen()) for n in range(3)]
    round_ = dataclasses.replace(sample_round(), events=(*sample_round().events, *extra))
    cards = [card for card in draw_felt(round_, [], ZONES).cards if card.scale < 1]
    assert len(cards) == 5
    assert len({round(card.y) for card in cards}) == 2
    assert max(card.x for card in cards) - min(card.x for card in cards) < 140


def test_a_wager_taken_back_by_right_is_not_drawn_as_open() -> None:
    rows = [row for row in document()["rounds"][0]["settlement"] if row["wager"] != "play"]
    felt = draw_felt(sample_round(), rows, ZONES, findings=document()["findings"])
    states = {wager.name: wager.state for wager in felt.wagers if wager.staked}
    assert states == {"Ante": "right", "Play": "withdrawn", "Blind": "wrong"}
    unsettled = {wager.state for wager in draw_felt(sample_round(), [], ZONES).wagers if wager.staked}
    assert unsettled == {"open"}


def test_a_wager_that_a_person_is_asked_about_is_neither_right_nor_wrong() -> None:
    asked = document()
    asked["findings"][0]["status"] = "review"
    counts = {text: figure for figure, text, _ in headline(report(document=asked)).counts}
    assert (counts["settled wrong"], counts["left open"]) == ("0", "1")
    [part] = round_parts(report(document=asked), ())
    assert [(row.state, row.got, row.difference) for row in part.wagers][2] == ("open", "win $100.00", "+$100.00")
    assert {wager.name: wager.state for wager in part.felt.wagers if wager.staked}["Blind"] == "open"


def test_a_wager_that_is_wrong_by_its_likeliest_reading_shows_by_how_much() -> None:
    likely = document()
    likely["findings"][0]["status"] = "probable"
    likely["rounds"][0]["settlement"][2]["observed"] = {"result": "unsettled", "pay_cents": None}
    counts = {text: figure for figure, text, _ in headline(report(document=likely)).counts}
    assert (counts["settled wrong"], counts["left open"]) == ("1", "0")
    [part] = round_parts(report(document=likely), ())
    assert [(row.state, row.got, row.difference) for row in part.wagers][2] == ("wrong", "not certain", "+$100.00")


def test_the_terminal_gets_the_finding_the_counts_and_the_place_of_the_page() -> None:
    text = printed(report())
    assert "1 fault in 1 round. The house lost $100.00." in text
    assert "PY02 overpaid, confirmed, round 2, Seat 5 Blind: +$100.00 (house lost)" in text
    assert "watch 0:00:36.000, frame 540, clock 01:11:26.063 -05:00" in text
    assert "2 wagers settled right; 1 settled wrong; 0 left open; 9 of 9 shown cards read" in text
    assert "Page with pictures: out/report.html" in text
    assert text.isascii()


def test_a_change_of_chips_of_which_nothing_was_read_says_so_once() -> None:
    unread: Unreadable[Chips] = Unreadable("number of chips not certain")
    event = ChipsChanged(t=1.0, zone="seat5.play", before=unread, after=unread)
    assert describe(event) == "Seat 5 Play: chips changed, amounts not read"
    assert describe(dataclasses.replace(event, before=Known((), 1.0))).startswith("Seat 5 Play: nothing to not read")


def test_faults_of_which_none_is_certain_are_called_probable() -> None:
    document_ = document()
    document_["findings"] = [document_["findings"][0] | {"status": "probable"}]
    head = headline(report(document=document_))
    assert (head.title, head.detail) == ("1 probable fault in 1 round", "The house probably lost $100.00.")


def test_the_terminal_names_the_seconds_that_were_not_covered() -> None:
    gap = Gap(Fraction(412, 10), Fraction(43), "damaged pictures")
    text = printed(report(coverage=Coverage(duration_s=50.0, gaps=(gap,))))
    assert "Not covered: 0:00:41.200 to 0:00:43.000, damaged pictures" in text


def test_a_round_is_as_long_as_it_was_recorded() -> None:
    round_ = sample_round()
    gap = FootageGap(t=round_.end - 1.0, until=round_.end + 599.0)
    moved_camera = FootageGap(t=2.0, until=9.0, camera_moved=True)
    covered = FootageGap(t=2.0, until=9.0, zone="seat5.blind")
    over = replace(round_, end=round_.end + 600.0, events=(*round_.events, moved_camera, covered, gap))
    [part] = round_parts(report(rounds=[over]), ())
    assert part.length == f"{round_.end - round_.start:.1f} s, and 10 min 00 s without a picture"
    assert round_parts(report(), ())[0].length == f"{round_.end - round_.start:.1f} s"


def test_a_round_that_triage_saw_is_not_said_to_lack_footage() -> None:
    partial = replace(sample_round(), partial="footage ends within the round")
    coverage = Coverage(duration_s=50.0, triaged_s=41.0)
    for page in (render_page(report(rounds=[partial])), printed(report(rounds=[partial]))):
        assert "footage ends within the round" in page and "key pictures" not in page
    triaged = replace(partial, extra={"triage": True})
    for page in (
        render_page(report(rounds=[triaged], coverage=coverage)),
        " ".join(printed(report(rounds=[triaged], coverage=coverage)).split()),
    ):
        assert "footage ends" not in page and "triage looked at key pictures only" in page
        assert "of 50.0 s seen, 41.0 s of it by key pictures only" in page
