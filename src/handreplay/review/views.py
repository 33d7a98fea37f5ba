"""What stands on the review pages, worked out from a desk's state; templates only lay it out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from handreplay.core.events import CardPlaced, CardTurned, ChipsChanged, Event, Round
from handreplay.core.findings import CONFIRMED_FROM
from handreplay.core.money import cents, usd, worth
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.report import places, words
from handreplay.report.page_parts import (
    FindingPart,
    RoundPart,
    describe,
    finding_parts,
    length,
    round_parts,
)
from handreplay.report.questions import is_question
from handreplay.report.rack import RackSheet, rack_sheet
from handreplay.review.corrections import Corrected, corrected, read_correction, standing
from handreplay.review.decisions import CHOICE_WORDS, FAULT_WORDS, Decision, finding_keys
from handreplay.review.desk import Desk, State
from handreplay.review.log import Entry
from handreplay.review.ranking import SEVERITY_WORDS, rank, severity

Document = Mapping[str, Any]

MOST_ASKED = 6
MOST_CANDIDATES = 5
UNLIKELY = 0.005
DOUBTFUL_BELOW = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingLine:
    """A finding in the list, or on its round's page."""

    key: str
    part: FindingPart
    severity: str
    decision: Decision | None
    stale: bool  # decided on when it said something else
    new: bool  # follows from corrections, the machine did not say it
    run: int = 0
    asks: tuple["EventLine", ...] = ()  # what it hangs on and was not read, to be answered at once

    @property
    def finding(self) -> Document:
        return self.part.finding


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundLine:
    run: int
    number: int
    verdict: str
    clock: str | None
    position: str
    length: str
    findings: int
    questions: int
    decided: int
    corrections: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """One event, with what can be corrected about it."""

    name: str
    step: int
    t: float
    clock: str | None
    position: str
    text: str
    actor: str
    confidence: str
    unsure: bool
    doubtful: bool
    touched: bool
    kind: str
    card: str | None  # its face can be corrected
    zone: str | None  # its amount can be corrected
    place: str | None  # where the chips lie, or where the card was dealt
    unread: bool
    went: str | None  # where chips that left went: tray or player; None where none left
    candidates: tuple[tuple[str, str, str], ...]  # value, words, share
    before: str | None  # what the machine had read


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    entry: int
    at: str
    by: str
    blind: bool
    text: str
    undo: bool
    round: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundView:
    number: int
    part: RoundPart
    findings: tuple[FindingLine, ...]
    gone: tuple[Document, ...]  # the machine's findings that no longer hold
    events: tuple[EventLine, ...]
    rack: RackSheet
    history: tuple[HistoryLine, ...]
    refused: str | None
    corrected: bool
    losses: str
    savings: str


def finding_lines(desk: Desk, state: State, *, order: str = "time", run: int = 0) -> tuple[FindingLine, ...]:
    known = set(finding_keys(desk.machine["findings"]))
    key_of = {id(finding): key for key, finding in zip(state.keys, state.document["findings"], strict=True)}
    lines = []
    for part in finding_parts(desk.report(state)):
        key = key_of[id(part.finding)]
        decision = state.decisions.get(key)
        lines.append(
            FindingLine(
                key=key,
                part=part,
                severity=SEVERITY_WORDS[severity(part.finding)],
                decision=decision,
                stale=decision is not None and decision.stale(part.finding),
                new=key not in known,
                run=run,
            )
        )
    return tuple(sorted(lines, key=lambda line: rank(line.finding, order)))


def round_lines(desk: Desk, state: State, *, run: int = 0) -> tuple[RoundLine, ...]:
    rounds = {round_.number: round_ for round_ in state.rounds}
    own: dict[int, list[tuple[str, Document]]] = {}
    for key, finding in zip(state.keys, state.document["findings"], strict=True):
        own.setdefault(finding["round"], []).append((key, finding))
    lines = []
    for entry in state.document["rounds"]:
        number = entry["round"]
        findings = own.get(number, [])
        lines.append(
            RoundLine(
                run=run,
                number=number,
                verdict=entry["verdict"],
                clock=words.clock(rounds[number], entry["start"], desk.timezone),
                position=words.position(entry["start"]),
                length=length(rounds[number]),
                findings=sum(not is_question(finding) for _, finding in findings),
                questions=sum(is_question(finding) for _, finding in findings),
                decided=sum(key in state.decisions for key, _ in findings),
                corrections=len(state.corrected[number].touched) if number in state.corrected else 0,
            )
        )
    return tuple(lines)


def as_corrected(desk: Desk, state: State, number: int) -> Corrected:
    """The round as it stands, with the names of its events."""
    found = state.corrected.get(number)
    return found if found is not None else corrected(desk.lines[number], (), desk.limits)


def round_view(desk: Desk, state: State, number: int, *, history: Sequence[Entry]) -> RoundView:
    """One round's page. Its events, findings and money are those of the round as corrected."""
    now = as_corrected(desk, state, number)
    narrowed = _only(state, number)
    lines = finding_lines(desk, narrowed, order="money")
    part = round_parts(desk.report(narrowed), [line.part for line in lines])[0]
    events = event_lines(desk, now)
    lines = tuple(replace(line, asks=_asks(line.finding, events)) for line in lines)
    own_keys = {line.key for line in lines}
    decided = [line.decision for line in lines if line.decision is not None]
    gone = [
        finding
        for key, finding in zip(finding_keys(desk.machine["findings"]), desk.machine["findings"], strict=True)
        if finding["round"] == number and key not in own_keys
    ]
    return RoundView(
        number=number,
        part=part,
        findings=tuple(sorted(lines, key=lambda line: is_question(line.finding))),
        gone=tuple(gone),
        events=events,
        rack=rack_sheet(now.round),
        history=history_lines(desk, history, number),
        refused=state.refused.get(number),
        corrected=bool(now.touched) or number in state.corrected,
        losses=usd(sum(decision.loss_cents for decision in decided)),
        savings=usd(sum(decision.saving_cents for decision in decided)),
    )


def _only(state: State, number: int) -> State:
    """The state of one round alone, so that a page of it costs the same in a long run as in a short one."""
    document = {
        **state.document,
        "rounds": [entry for entry in state.document["rounds"] if entry["round"] == number],
        "findings": [finding for finding in state.document["findings"] if finding["round"] == number],
    }
    return replace(
        state,
        rounds=tuple(round_ for round_ in state.rounds if round_.number == number),
        document=document,
        keys=tuple(key for key, _ in state.of_round(number)),
    )


def _asks(finding: Document, events: Sequence[EventLine]) -> tuple[EventLine, ...]:
    """The amounts or cards of the place that a finding names which were not read, or not read for sure."""
    seat, wager = finding["seat"], finding["wager"]
    if seat is None and not is_question(finding):
        return ()
    places = {f"seat{seat}.{wager or 'cards'}"} if seat is not None else {"dealer.cards", "community"}
    own = [event for event in events if event.place in places and (event.unread or event.unsure)]
    return tuple(event for event in own if event.unread or finding["status"] != "confirmed")[:MOST_ASKED]


def event_lines(desk: Desk, now: Corrected) -> tuple[EventLine, ...]:
    machine_round = corrected(desk.lines[now.round.number], (), desk.limits).round
    machine = {str(number): event for number, event in enumerate(machine_round.events, 1)}
    dealt: dict[str, str] = {}
    lines = []
    for step, (name, event) in enumerate(zip(now.ids, now.round.events, strict=True), 1):
        touched = name in now.touched
        if isinstance(event, CardPlaced):
            dealt[event.card] = event.zone
        reading = event.after if isinstance(event, ChipsChanged) else _face_shown(event)
        lines.append(
            EventLine(
                name=name,
                step=step,
                t=event.t,
                clock=words.clock(now.round, event.t, desk.timezone),
                position=places.position(now.round.source, event.t),
                text=describe(now.round, event),
                actor=event.actor,
                confidence=f"{min(event.confidence, 0.999):.0%}" if event.confidence < 1 else "",
                unsure=event.confidence < CONFIRMED_FROM,
                doubtful=event.confidence < DOUBTFUL_BELOW,
                touched=touched,
                kind=type(event).__name__,
                card=event.card if isinstance(event, CardPlaced | CardTurned) else None,
                zone=event.zone if isinstance(event, ChipsChanged) else None,
                place=event.zone if isinstance(event, ChipsChanged) else dealt.get(getattr(event, "card", "")),
                unread=isinstance(reading, Unreadable),
                went=_went(event),
                candidates=_candidates(event),
                before=_before(now.round, event, machine.get(name)) if touched else None,
            )
        )
    return tuple(lines)


def _went(event: Event) -> str | None:
    if not isinstance(event, ChipsChanged) or not isinstance(event.after, Known):
        return None
    less = isinstance(event.before, Known) and worth(event.after.value) < worth(event.before.value)
    return event.to or "tray" if less or not event.after.value else None


def _face_shown(event: Event) -> Reading[str] | None:
    shows = isinstance(event, CardPlaced | CardTurned) and event.face == "up"
    return event.identity if shows and isinstance(event, CardPlaced | CardTurned) else None


def _before(round_: Round, event: Event, machine: Event | None) -> str | None:
    if machine is None:
        return "the machine saw nothing"
    told = describe(round_, machine)
    if told != describe(round_, event):
        return f"the machine read: {told}"
    return f"the machine said: {machine.actor}" if machine.actor != event.actor else None


def _candidates(event: Event) -> tuple[tuple[str, str, str], ...]:
    """What an unread pile or face may be: value for a correction, words, probability."""
    if isinstance(event, ChipsChanged) and isinstance(event.after, Unreadable):
        piles = [(dict(pile), share) for pile, share in event.after.candidates[:MOST_CANDIDATES] if share >= UNLIKELY]
        return tuple((json.dumps(pile), _pile(pile), f"{share:.0%}") for pile, share in piles)
    if isinstance(event, CardPlaced | CardTurned) and isinstance(event.identity, Unreadable):
        faces = [pair for pair in event.identity.candidates[:MOST_CANDIDATES] if pair[1] >= UNLIKELY]
        return tuple((face, words.short_card(face), f"{share:.0%}") for face, share in faces)
    return ()


def _pile(counts: Mapping[str, int]) -> str:
    parts = " + ".join(f"{count} x {d}" for d, count in sorted(counts.items(), key=lambda pair: -cents(pair[0])))
    total = sum(cents(denomination) * count for denomination, count in counts.items())
    return f"{words.dollars(total)} ({parts})" if parts else "nothing"


# ---- who entered what


def history_lines(desk: Desk, entries: Sequence[Entry], number: int | None = None) -> tuple[HistoryLine, ...]:
    """The entries of a round (of all when None), newest first, with what can be taken back."""
    open_ones = set()
    for round_number in {e.body["round"] for e in entries if e.body and e.body.get("kind") == "correction"}:
        own = [e for e in entries if e.body and e.body.get("kind") == "correction" and e.body["round"] == round_number]
        open_ones |= {c.entry for c in standing(read_correction((e.body or {})["correction"], e.number) for e in own)}
    lines = []
    for entry in entries:
        body = entry.body or {}
        if number is not None and body.get("round") != number:
            continue
        lines.append(
            HistoryLine(
                entry=entry.number,
                at=local_time(str(body.get("at", "")), desk.timezone),
                by=str(body.get("by", "")),
                blind=bool(body.get("blind")),
                text=entry_words(body, desk),
                undo=entry.number in open_ones,
                round=body.get("round"),
            )
        )
    return tuple(reversed(lines))


def entry_words(body: Document, desk: Desk) -> str:
    """One entry as a sentence."""
    match body.get("kind"):
        case "opened":
            return "opened the run for review"
        case "correction":
            return _correction_words(body["correction"], desk.lines.get(body["round"], {}))
        case "decision":
            told = f"{body['was']['code']}: {CHOICE_WORDS[body['choice']]}, {FAULT_WORDS[body['fault']]}"
            amounts = [f"{name} {usd(body[f'{name}_cents'])}" for name in ("loss", "saving") if body[f"{name}_cents"]]
            remark = f' "{body["remark"]}"' if body["remark"] else ""
            return ", ".join([told, *amounts]) + remark
        case "report":
            return "filled in the dispute report"
        case "copy":
            return f"made a copy: {body['file']}"
        case "recovered":
            return "an entry that a stop cut off was set aside; it had not been acknowledged"
        case kind:
            return str(kind)


def _correction_words(correction: Document, line: Document) -> str:
    match correction["op"]:
        case "identity":
            identity = correction["identity"]
            return f"card {correction['card']} is {words.short_card(identity) if identity else 'not to be read'}"
        case "add":
            kind = str(correction["event"].get("type", "")).replace("_", " ")
            at = places.position(line.get("source") or {}, correction["event"].get("t", 0))
            return f"was missed at {at}: {kind}"
        case "undo":
            return f"takes back entry {correction['entry']}"
    event = _event_words(correction["event"], line)
    match correction["op"]:
        case "amount":
            after = correction["after"]
            return f"{event}: {'what stood there cannot be told' if after is None else _pile(after) + ' stood there'}"
        case "actor":
            return f"{event}: by {correction['actor']}"
        case "to":
            where = {"player": "the player", "tray": "the tray"}.get(correction["to"] or "tray")
            return f"{event}: the chips went to {where}"
        case "right":
            return f"{event}: right as read"
        case _:
            return f"{event}: did not happen"


def _event_words(name: str, line: Document) -> str:
    """Which event, in words: `Seat 5 Blind at 0:00:35.970`."""
    events = line.get("events", [])
    if name not in map(str, range(1, len(events) + 1)):
        return f"event {name}"
    event = events[int(name) - 1]
    place = words.place(event["zone"]) if "zone" in event else f"card {event['card']}" if "card" in event else "event"
    return f"{place} at {places.position(line.get('source') or {}, event['t'])}"


def local_time(stamp: str, timezone: str) -> str:
    """A log time, which is UTC, in the table's time zone with its offset: `2026-11-30 03:10:12 -05:00`."""
    try:
        moment = datetime.fromisoformat(stamp).astimezone(ZoneInfo(timezone))
    except ValueError:
        return stamp
    return f"{moment:%Y-%m-%d %H:%M:%S} {moment.isoformat()[-6:]}"


def denominations(desk: Desk) -> list[str]:
    return sorted((chip.value for chip in desk.profile.chips), key=cents)
