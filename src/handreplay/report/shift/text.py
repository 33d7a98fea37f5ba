"""How the shift report puts times, shares and verdicts into words, the same on the page and on paper."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from zoneinfo import ZoneInfo

from handreplay.core.money import usd
from handreplay.report import words
from handreplay.report.shift.values import Found, Kind, Played, Rate, Shift, Take

VERDICTS = {"clean": "clean", "finding": "finding", "review": "to review", "incomplete": "incomplete"}
OUTCOMES = {"audited": "audited", "set aside": "set aside", "unfinished": "not audited yet"}
NO_TIME = "time not known"


@dataclass(frozen=True, slots=True)
class Headline:
    tone: str  # "fault", "open", "clean"
    title: str
    detail: str
    counts: tuple[tuple[str, str, str], ...]  # figure, what it counts, tone


def share(part: float, whole: float) -> str:
    """`"93.1%"`; all and nothing are said only of all and nothing."""
    if whole <= 0:
        return "–"
    ratio = part / whole
    if 0 < ratio < 0.001:
        return "<0.1%"
    return f"{min(ratio, 0.999):.1%}" if ratio < 1 else "100%"


def percent(value: float) -> str:
    return f"{value:.2%}" if 0 < value < 0.01 else f"{value:.1%}"


def rate_text(rate: Rate) -> str:
    return "none judged" if rate.share is None else percent(rate.share)


def interval_text(rate: Rate) -> str:
    return "" if rate.low is None or rate.high is None else f"{percent(rate.low)} to {percent(rate.high)}"


def hms(seconds: float) -> str:
    """A place in a recording, `"01:12:31"`."""
    whole = int(max(0.0, seconds))
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def length(seconds: float) -> str:
    return "0" if not seconds else words.duration(seconds)


def local(moment: datetime, zone: str | None) -> datetime:
    return moment.astimezone(ZoneInfo(zone) if zone else UTC)


def clock(moment: datetime | None, zone: str | None) -> str:
    """`"01:30:05 -04:00"` at the table."""
    if moment is None:
        return NO_TIME
    return f"{local(moment, zone):%H:%M:%S} {offset(moment, zone)}"


def day_clock(moment: datetime | None, zone: str | None) -> str:
    """`"2024-11-03 01:30:05 -04:00"` at the table."""
    return NO_TIME if moment is None else f"{local(moment, zone):%Y-%m-%d} {clock(moment, zone)}"


def offset(moment: datetime, zone: str | None) -> str:
    return local(moment, zone).isoformat()[-6:]


def amount(cents: int | None) -> str:
    return "" if cents is None else words.signed(cents)


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def window_text(shift: Shift) -> str:
    """The times asked for; empty when the whole batch is."""

    def told(moment: datetime) -> str:
        zone = "table time" if moment.tzinfo is None else moment.isoformat()[-6:]
        return f"{moment:%Y-%m-%d %H:%M:%S} {zone}"

    since, until = shift.window.since, shift.window.until
    parts = [f"since {told(since)}" if since else "", f"until {told(until)}" if until else ""]
    return " ".join(part for part in parts if part)


def dates(shift: Shift) -> str:
    """`"2026-11-30"` or `"2026-11-29 to 2026-11-30"`, as the tables' clocks show them; "" when nobody knows."""
    days = [
        f"{local(moment, line.zone):%Y-%m-%d}"
        for line in shift.tables
        for moment in (line.first, line.last)
        if moment is not None
    ]
    if not days:
        return ""
    return min(days) if min(days) == max(days) else f"{min(days)} to {max(days)}"


def title(shift: Shift) -> str:
    """What the whole report is called."""
    return f"Shift report {dates(shift)}".rstrip()


def played_at(shift: Shift, rounds: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Rounds by the table they are of: `"UTH-07 round"` or `"UTH-12 rounds"`, and their places in `shift.rounds`."""
    for table, own in groupby(rounds, lambda index: shift.takes[shift.rounds[index].take].table):
        places = list(own)
        yield f"{table} round{'' if len(places) == 1 else 's'}", places


def where(found: Found) -> str:
    return words.where(found.seat, found.wager, found.code)


def take_note(take: Take) -> str:
    """What a recording's heading says besides its name."""
    parts = [f"dealer {take.dealer}" if take.dealer else "", day_clock(take.start, take.zone)]
    if take.outcome == "audited":
        parts += [f"{share(take.judged_s, take.length_s)} of {length(take.length_s)} judged"]
    else:
        parts += [OUTCOMES[take.outcome], take.reason]
    return ", ".join(part for part in parts if part)


def round_note(played: Played) -> str:
    """What became of a round, in a few words."""
    parts = [VERDICTS.get(played.verdict, played.verdict)]
    if played.why:
        parts.append(played.why)
    if played.variance_cents:
        parts.append(words.signed(played.variance_cents))
    return ", ".join(parts)


def headline(shift: Shift) -> Headline:
    """The verdict in a sentence with the share that could be judged; clean only when that is all of it."""
    faults = [finding for finding in shift.findings if not finding.question]
    judged = share(shift.judged_s, shift.expected_s)
    if shift.unknown_lengths:
        judged = f"at most {judged}"
    if not shift.rounds:
        title = "No round was judged"
        tone = "open"
    elif faults:
        certain = any(fault.status == "confirmed" for fault in faults)
        number = count(len(faults), "fault" if certain else "probable fault")
        title = f"{number}; {judged} of the time could be judged in full"
        tone = "fault"
    elif shift.whole:
        title = f"{count(len(shift.rounds), 'round')} judged in full, nothing found"
        tone = "clean"
    else:
        title = f"Nothing found; {judged} of the time could be judged in full"
        tone = "open"
    return Headline(tone, title, _detail(shift, len(faults)), _counts(shift))


def _detail(shift: Shift, faults: int) -> str:
    money, sentences = shift.money, []
    for lost, short, word in (
        (money.lost_cents, money.short_cents, ""),
        (money.likely_lost_cents, money.likely_short_cents, "probably "),
    ):
        if lost:
            sentences.append(f"The house {word}lost {usd(lost)}.")
        if short:
            sentences.append(f"Players are {word}short {usd(short)}.")
    if faults and not sentences:
        sentences.append("No money changed hands wrongly.")
    questions = sum(finding.question for finding in shift.findings)
    if questions:
        sentences.append(f"{count(questions, 'question')} for a person to settle.")
    for outcome, said in OUTCOMES.items():
        number = sum(take.outcome == outcome for take in shift.takes)
        if number and outcome != "audited":
            sentences.append(f"{count(number, 'recording')} {said}.")
    if shift.unknown_lengths:
        unknown = count(shift.unknown_lengths, "recording")
        sentences.append(f"Of unknown length, and so in no share: {unknown}.")
    if shift.left_out:
        sentences.append(f"{count(len(shift.left_out), 'recording')} left out, since nobody told when they began.")
    if shift.whole:
        sentences.append("Every wager, card and movement that the footage shows was judged.")
    return " ".join(sentences)


def _counts(shift: Shift) -> tuple[tuple[str, str, str], ...]:
    rate, money = shift.wagers_rate, shift.money
    whole = "plain" if shift.whole else "open"
    aside = sum(take.outcome != "audited" for take in shift.takes)
    counts = [
        (share(shift.judged_s, shift.expected_s), f"of {length(shift.expected_s)} judged in full", whole),
        (
            f"{len(shift.rounds):,}",
            f"rounds on {count(sum(bool(line.rounds) for line in shift.tables), 'table')}",
            "plain",
        ),
        (f"{rate.judged - rate.wrong:,}", "wagers settled right", "plain"),
        (f"{rate.wrong:,}", "settled wrong", "fault" if rate.wrong else "plain"),
        (f"{rate.open:,}", "could not be judged", "open" if rate.open else "plain"),
        (usd(money.lost_cents), "lost by the house, confirmed", "fault" if money.lost_cents else "plain"),
        (usd(money.short_cents), "short to players, confirmed", "fault" if money.short_cents else "plain"),
    ]
    if money.likely_lost_cents:
        counts.append((usd(money.likely_lost_cents), "more lost by the house, probable", "fault"))
    if money.likely_short_cents:
        counts.append((usd(money.likely_short_cents), "more short to players, probable", "fault"))
    if aside:
        counts.append((str(aside), f"of {count(len(shift.takes), 'recording')} not audited", "open"))
    if shift.seconds(Kind.UNRECORDED):
        counts.append((length(shift.seconds(Kind.UNRECORDED)), "without any recording", "open"))
    return tuple(counts)
