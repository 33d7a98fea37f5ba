"""What stands on the report page, worked out from findings and rounds; the template only lays it out."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from handreplay.core.events import ChipsChanged, Event, FootageGap, Round
from handreplay.core.money import usd
from handreplay.core.readings import Unreadable
from handreplay.core.timeline import Gap
from handreplay.report import places, words
from handreplay.report.felt import Felt, draw_felt
from handreplay.report.questions import is_question
from handreplay.report.states import card_lives
from handreplay.report.wager_verdicts import row_state, wager_verdict
from handreplay.store import Provenance

Document = Mapping[str, Any]
Point = tuple[float, float]

FRAME_WITHIN_S = 1.0  # a picture farther from the finding's time shows something else that belongs to it


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How much of the recording was looked at. `duration_s` is None for a round log without footage."""

    duration_s: float | None = None
    gaps: tuple[Gap, ...] = ()
    triaged_s: float = 0.0  # of these seconds key pictures alone were looked at
    remarks: tuple[str, ...] = ()  # what else limited the view, one sentence each


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a page is made of. `pictures` maps the names in the findings' evidence to JPEG bytes."""

    document: Document
    rounds: Sequence[Round]
    zones: Mapping[str, Sequence[Point]]
    provenance: Provenance
    coverage: Coverage = field(default_factory=Coverage)
    timezone: str | None = None
    turned: bool = False  # the dealer sits at the bottom of the picture
    pictures: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Watch:
    """Where to look in the recording."""

    clock: str | None
    position: str  # led by the file's name where it is not the recording of the report
    frame: int | None
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Money:
    due: str
    got: str
    difference: str
    who: str  # "house lost", "player short", ""


@dataclass(frozen=True, slots=True)
class FindingPart:
    finding: Document
    anchor: str
    where: str
    money: Money | None
    watch: Watch
    pictures: tuple[tuple[str, Watch], ...]  # image name, when
    question: bool


@dataclass(frozen=True, slots=True)
class WagerRow:
    seat: int
    wager: str
    staked: str
    due: str
    got: str
    difference: str
    state: str
    first_of_seat: bool


@dataclass(frozen=True, slots=True)
class HandRow:
    name: str
    cards: tuple[str | None, ...]
    rank: str
    best: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RackRow:
    hand: str
    cards: tuple[str | None, ...]  # top to bottom


@dataclass(frozen=True, slots=True)
class EventRow:
    clock: str | None
    position: str
    text: str
    actor: str
    confidence: str
    unsure: bool


@dataclass(frozen=True, slots=True)
class RoundPart:
    number: int
    verdict: str
    begins: Watch
    ends: Watch
    length: str
    partial: str | None
    felt: Felt
    wagers: tuple[WagerRow, ...]
    hands: tuple[HandRow, ...]
    rack: tuple[RackRow, ...]
    events: tuple[EventRow, ...]
    findings: tuple[FindingPart, ...]
    opened: bool


@dataclass(frozen=True, slots=True)
class Headline:
    tone: str  # "fault", "open", "clean"
    title: str
    detail: str
    counts: tuple[tuple[str, str, str], ...]  # figure, what it counts, tone


def watch(report: Report, number: int, seconds: float, frame: int | None = None) -> Watch:
    round_ = next((r for r in report.rounds if r.number == number), None)
    at = words.clock(round_, seconds, report.timezone) if round_ else None
    source = round_.source if round_ else {}
    return Watch(at, places.position(source, seconds), frame, places.spot(source, seconds)[0] is not None)


def frame_shown(finding: Document) -> int | None:
    """The number of the picture on show at the finding's time; None where none was kept."""
    near = (shot for shot in finding.get("evidence") or () if abs(shot["t"] - finding["t"]) < FRAME_WITHIN_S)
    return next((shot["frame"] for shot in near if shot.get("frame") is not None), None)


def finding_parts(report: Report) -> tuple[FindingPart, ...]:
    """In the order of the recording, faults before open questions."""
    findings = sorted(report.document["findings"], key=lambda finding: (is_question(finding), finding["t"]))
    parts = []
    for number, finding in enumerate(findings, 1):
        evidence = finding.get("evidence") or []
        parts.append(
            FindingPart(
                finding=finding,
                anchor=f"finding-{number}",
                where=words.where(finding.get("seat"), finding.get("wager"), finding["code"]),
                money=_money(finding),
                watch=watch(report, finding["round"], finding["t"], frame_shown(finding)),
                pictures=tuple(
                    (shot["image"], watch(report, finding["round"], shot["t"], shot.get("frame")))
                    for shot in evidence
                    if shot.get("image") in report.pictures
                ),
                question=is_question(finding),
            )
        )
    return tuple(parts)


def _money(finding: Document) -> Money | None:
    variance = finding.get("variance_cents")
    if variance is None:
        return None
    due, got = finding.get("expected_cents"), finding.get("observed_cents")
    if not variance and due is None and got is None:
        return None
    who = "house lost" if variance > 0 else "player short" if variance < 0 else "no money lost"
    return Money(
        due=usd(due) if due is not None else "–",
        got=usd(got) if got is not None else "–",
        difference=words.signed(variance),
        who=who,
    )


def headline(report: Report) -> Headline:
    """The verdict in a sentence, and the counts that it stands on: right, wrong and open, always all three."""
    findings = report.document["findings"]
    faults = [finding for finding in findings if not is_question(finding)]
    questions = [finding for finding in findings if is_question(finding)]
    rounds = report.document["rounds"]
    verdicts = Counter(entry["verdict"] for entry in rounds)
    unsettled = questions or verdicts["review"] or verdicts["incomplete"] or report.coverage.gaps
    tone = "fault" if faults else "open" if unsettled else "clean"
    noun = "fault" if _any_certain(faults) else "probable fault"
    title = {
        "fault": f"{_count(len(faults), noun)} in {_count(len(rounds), 'round')}",
        "open": "No fault found, but not everything could be checked",
        "clean": f"{_count(len(rounds), 'round')} checked, nothing found",
    }[tone]
    detail = _detail(faults, questions, verdicts["incomplete"])
    if not rounds:
        tone, title = "open", "No round could be rebuilt from this recording"
        detail = (
            "Nothing was checked: triage looked at key pictures only. Audit the recording in full, with the profile of "
            "this table and camera."
            if report.coverage.triaged_s
            else "Nothing was checked: see that it shows play, and that the table profile is of this table and camera."
        )
    return Headline(tone, title, detail, _counts(report, faults, questions))


def _count(number: int, noun: str) -> str:
    return f"{number} {_noun(number, noun)}"


def _any_certain(faults: list[Document]) -> bool:
    return any(finding["status"] == "confirmed" for finding in faults)


def _noun(number: int, noun: str) -> str:
    return noun if number == 1 else f"{noun}s"


def _detail(faults: list[Document], questions: list[Document], incomplete: int) -> str:
    lost = sum(max(0, finding.get("variance_cents") or 0) for finding in faults)
    short = -sum(min(0, finding.get("variance_cents") or 0) for finding in faults)
    likely = "" if _any_certain(faults) else "probably "
    sentences = []
    if lost:
        sentences.append(f"The house {likely}lost {usd(lost)}.")
    if short:
        sentences.append(f"Players are {likely}short {usd(short)}.")
    if faults and not lost and not short:
        sentences.append("No money changed hands wrongly.")
    if questions:
        sentences.append(f"{_count(len(questions), 'question')} for a person to settle.")
    if incomplete:
        sentences.append(f"{_count(incomplete, 'round')} could not be checked in full.")
    if not sentences:
        sentences.append("Every wager, card and movement that the footage shows was checked.")
    return " ".join(sentences)


def _counts(report: Report, faults: list[Document], questions: list[Document]) -> tuple[tuple[str, str, str], ...]:
    rounds = report.document["rounds"]
    verdicts = Counter(entry["verdict"] for entry in rounds)
    found = _by_round(report.document["findings"])
    rows = Counter(
        wager_verdict(row, found[entry["round"]])[0] for entry in rounds for row in entry.get("settlement", ())
    )
    shown = [life for round_ in report.rounds for life in card_lives(round_) if life.shown]
    unread = sum(isinstance(life.identity, Unreadable) for life in shown)
    counts = [
        (str(len(rounds)), f"{_noun(len(rounds), 'round')}: {_verdicts(verdicts)}", "plain"),
        (str(rows["right"]), f"{_noun(rows['right'], 'wager')} settled right", "clean"),
        (str(rows["wrong"]), "settled wrong", "fault" if rows["wrong"] else "plain"),
        (str(rows["open"]), "left open", "open" if rows["open"] else "plain"),
        (f"{len(shown) - unread} of {len(shown)}", "shown cards read", "open" if unread else "plain"),
        (str(len(questions)), _noun(len(questions), "open question"), "open" if questions else "plain"),
    ]
    if report.coverage.duration_s is not None:
        lost = lost_seconds(report)
        whole = max(
            [report.coverage.duration_s, *(float(gap.end) for gap in report.coverage.gaps)]
        )  # one may come last
        seen = max(0.0, whole - lost)
        text, triaged = f"of {words.duration(whole)} seen", report.coverage.triaged_s
        if triaged:
            text += f", {words.duration(triaged)} of it by key pictures only"
        counts.append((words.duration(seen), text, "open" if lost or triaged else "plain"))
    return tuple(counts)


def _verdicts(verdicts: Counter[str]) -> str:
    names = {"clean": "clean", "finding": "with findings", "review": "to review", "incomplete": "incomplete"}
    return ", ".join(f"{verdicts[key]} {name}" for key, name in names.items())


def lost_seconds(report: Report) -> float:
    """Seconds not covered, each counted once."""
    lost, reached = 0.0, 0.0
    for gap in sorted(report.coverage.gaps, key=lambda gap: gap.start):
        lost += max(0.0, float(gap.end) - max(float(gap.start), reached))
        reached = max(reached, float(gap.end))
    return lost


def round_parts(report: Report, findings: Sequence[FindingPart]) -> tuple[RoundPart, ...]:
    entries = {entry["round"]: entry for entry in report.document["rounds"]}
    found = _by_round(report.document["findings"])
    few = len(report.rounds) <= 6
    parts = []
    for round_ in report.rounds:
        entry = entries.get(round_.number, {"verdict": "incomplete"})
        rows = entry.get("settlement", ())
        parts.append(
            RoundPart(
                number=round_.number,
                verdict=entry["verdict"],
                begins=watch(report, round_.number, round_.start),
                ends=watch(report, round_.number, round_.end),
                length=length(round_),
                partial=not_in_full(round_),
                felt=draw_felt(round_, rows, report.zones, findings=found[round_.number], turned=report.turned),
                wagers=_wager_rows(rows, found[round_.number]),
                hands=_hand_rows(entry.get("hands") or {}),
                rack=rack_rows(round_),
                events=_event_rows(report, round_),
                findings=tuple(part for part in findings if part.finding["round"] == round_.number),
                opened=few or entry["verdict"] != "clean",
            )
        )
    return tuple(parts)


def _by_round(findings: Sequence[Document]) -> defaultdict[int, list[Document]]:
    found: defaultdict[int, list[Document]] = defaultdict(list)
    for finding in findings:
        found[finding["round"]].append(finding)
    return found


def _wager_rows(rows: Sequence[Document], findings: Sequence[Document]) -> tuple[WagerRow, ...]:
    parts, last = [], None
    for row in rows:
        told, code = wager_verdict(row, findings)
        likely = told == "wrong" and row_state(row) == "open"  # wrong by a finding, though by how much is not certain
        parts.append(
            WagerRow(
                seat=row["seat"],
                wager=words.wager(row["wager"]),
                staked=_amount(row["staked_cents"]),
                due=_settled(row["expected"]),
                got="not certain" if likely else _settled(row["observed"]),
                difference=_told_difference(row, code, findings) if likely else _row_difference(row),
                state=told,
                first_of_seat=row["seat"] != last,
            )
        )
        last = row["seat"]
    return tuple(parts)


def _amount(amount: int | None) -> str:
    return "not read" if amount is None else usd(amount)


def _settled(side: Document) -> str:
    result, pay = side["result"], side["pay_cents"]
    if result is None or pay is None:
        return "not known"
    if result == "win" or pay:
        return f"{result} {usd(pay)}"
    return str(result)


def _told_difference(row: Document, code: str | None, findings: Sequence[Document]) -> str:
    of_row = (f for f in findings if (f["code"], f["seat"], f["wager"]) == (code, row["seat"], row["wager"]))
    variance = next((finding["variance_cents"] for finding in of_row), None)
    return words.signed(variance) if variance else ""


def _row_difference(row: Document) -> str:
    if row_state(row) != "wrong":
        return ""
    nets = []
    for side in (row["observed"], row["expected"]):
        nets.append(side["pay_cents"] - (row["staked_cents"] if side["result"] == "lose" else 0))
    return words.signed(nets[0] - nets[1]) if nets[0] != nets[1] else ""


def _hand_rows(hands: Mapping[str, Document]) -> tuple[HandRow, ...]:
    """The dealer first, then seats by number."""
    order = sorted(hands, key=lambda name: (name != "dealer", name))
    return tuple(
        HandRow(
            name=words.place(name),
            cards=tuple(hands[name].get("cards") or ()),
            rank=str(hands[name].get("rank") or "not known").replace("_", " "),
            best=tuple(hands[name].get("best") or ()),
        )
        for name in order
    )


def rack_rows(round_: Round) -> tuple[RackRow, ...]:
    """Top to bottom, cards of one hand that lie together as one packet."""
    packets: list[tuple[str, list[str | None]]] = []
    for card in reversed(round_.rack):
        if not packets or packets[-1][0] != card.hand:
            packets.append((card.hand, []))
        packets[-1][1].append(None if isinstance(card.identity, Unreadable) else card.identity.value)
    return tuple(RackRow(words.place(hand), tuple(cards)) for hand, cards in packets)


def length(round_: Round) -> str:
    """How long a round lasted, apart from the time in it of which there is no picture."""
    lost, reached = 0.0, round_.start
    for gap in sorted((e for e in round_.events if isinstance(e, FootageGap)), key=lambda gap: gap.t):
        if gap.zone is None and not gap.camera_moved:
            until = min(gap.until, round_.end)
            lost += max(0.0, until - max(gap.t, reached))
            reached = max(reached, until)
    told = words.duration(round_.end - round_.start - lost)
    return f"{told}, and {words.duration(lost)} without a picture" if lost else told


def not_in_full(round_: Round) -> str | None:
    """Why the round is not shown in full; None when it is."""
    if round_.partial and round_.extra.get("triage"):
        return "triage looked at key pictures only, and these show no whole round; audit the recording in full"
    return round_.partial


def describe(round_: Round, event: Event) -> str:
    """One event of a round as a sentence, with places in the recordings that show it."""
    return words.describe(event, lambda seconds: places.position(round_.source, seconds))


def _event_rows(report: Report, round_: Round) -> tuple[EventRow, ...]:
    return tuple(
        EventRow(
            clock=words.clock(round_, event.t, report.timezone),
            position=places.position(round_.source, event.t),
            text=describe(round_, event),
            actor="" if event.actor == "unknown" else event.actor,
            confidence=f"{min(event.confidence, 0.999):.1%}" if event.confidence < 1 else "",
            unsure=event.confidence < 0.98,
        )
        for event in round_.events
    )


def unread_lines(report: Report) -> tuple[tuple[Watch, str], ...]:
    """Everything that was there and could not be read, in time order."""
    lines: list[tuple[float, Watch, str]] = []

    def note(seconds: float, number: int, text: str) -> None:
        lines.append((seconds, watch(report, number, seconds), text))

    for round_ in report.rounds:
        for life in card_lives(round_):
            if life.shown and isinstance(life.identity, Unreadable):
                text = f"{words.place(life.zone)}: a card that showed its face for {words.duration(life.longest_shown)}"
                note(life.shown[0].start, round_.number, f"{text}, {words.face(life.identity)}")
        for event in round_.events:
            if isinstance(event, ChipsChanged) and isinstance(event.after, Unreadable):
                note(event.t, round_.number, f"{words.place(event.zone)}: chips {words.pile(event.after)}")
            if isinstance(event, FootageGap):
                note(event.t, round_.number, f"Round {round_.number}: {describe(round_, event)}")
        why = not_in_full(round_)
        if why:
            note(round_.start, round_.number, f"Round {round_.number} is not shown in full: {why}")
    return tuple((watch_, text) for _, watch_, text in sorted(lines, key=lambda line: line[0]))
