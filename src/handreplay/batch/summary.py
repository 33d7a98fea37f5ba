"""What a batch says at its end: how much was audited first, then what was found."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from handreplay.batch.record import RECORD, Entry, State
from handreplay.batch.run import Done
from handreplay.batch.talk import counted, duration
from handreplay.core.money import Cents, usd
from handreplay.core.plain import plain
from handreplay.report.evaluation.sources import read_document
from handreplay.report.questions import is_question

_MOST_NAMED = 200


@dataclass(slots=True)
class _Sum:
    """Findings of one code that count as faults. Amounts are of those that are known."""

    name: str
    count: int = 0
    over: Cents = 0
    under: Cents = 0


@dataclass(slots=True)
class _Sums:
    by_code: dict[str, _Sum]
    rounds: int = 0
    confirmed: int = 0  # of the faults
    questions: int = 0


def summary(done: Done, out: Path) -> list[str]:
    """Lines. Raises HandreplayError when a run folder cannot be read."""
    entries = done.record.entries
    audited, aside = done.record.counted(State.AUDITED), [one for one in entries if one.state is State.SET_ASIDE]
    sums = _sums(entries, out)
    faults = sum(found.count for found in sums.by_code.values())
    before = [one for one in entries if one.state is State.AUDITED and one.reason]
    lines = [_verdict(done.exit_code, faults, sums.confirmed, sums.rounds)]
    lines.append(
        f"{audited} of {counted(len(entries), 'recording')} audited, {len(aside)} set aside{':' if aside else '.'}"
    )
    lines += _named(aside, out)
    if before:
        lines += [f"{len(before)} of those audited as an earlier batch left {_them(len(before))}:"]
        lines += _named(before, out)
    lines += [
        _coverage(done),
        f"{counted(sums.rounds, 'round')}, {counted(faults, 'fault')}, {sums.questions:,} left open.",
    ]
    lines += [f"  {code} {found.name}: {found.count}{_money(found)}" for code, found in sorted(sums.by_code.items())]
    lines.append(f"Results: {out}; ledger: {done.ledger}")
    to_ask = shlex.quote(done.elsewhere or str(out))
    lines.append(f"Next: handreplay shift {shlex.quote(str(out))}; handreplay query {to_ask}")
    return [plain(line) for line in lines]


def _named(entries: Sequence[Entry], out: Path) -> list[str]:
    lines = [f"  {entry.name}: {entry.reason}" for entry in entries[:_MOST_NAMED]]
    more = len(entries) - _MOST_NAMED
    return [*lines, f"  and {more} more, in {out / RECORD}"] if more > 0 else lines


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


def _verdict(exit_code: int, faults: int, confirmed: int, rounds: int) -> str:
    if exit_code == 0:
        return f"Nothing found in {counted(rounds, 'round')}; everything was audited."
    if not rounds:
        return "No round could be rebuilt; nothing was checked."
    found = f"{counted(faults, 'fault')} found" if faults else "No fault found"
    if confirmed < faults:
        found += f" ({f'{confirmed:,}' if confirmed else 'none'} confirmed)"
    return f"{found}." if exit_code == 1 else f"{found}, but not everything could be audited."


def _coverage(done: Done) -> str:
    entries = done.record.entries
    expected = sum(entry.expected_s or 0.0 for entry in entries)
    unknown = sum(entry.expected_s is None for entry in entries)
    missing = sum((hole.end - hole.start).total_seconds() for hole in done.record.missing)
    told = f"{duration(sum(entry.read_s for entry in entries))} read of {duration(expected)} expected"
    told += f", and of {counted(unknown, 'recording')} of unknown length" if unknown else ""
    passed = sum(stretch.end_s - stretch.start_s for entry in entries for stretch in entry.passed_over)
    told += f", {duration(passed)} of it by key pictures only" if passed else ""
    return f"{told}; {duration(missing)} between recordings of a table not recorded." if missing else f"{told}."


def _sums(entries: Iterable[Entry], out: Path) -> _Sums:
    sums = _Sums({})
    for entry in entries:
        if entry.state is not State.AUDITED or entry.run is None:
            continue
        document = read_document(out / entry.run / "findings.json")
        sums.rounds += len(document["rounds"])
        for finding in document["findings"]:
            if is_question(finding):
                sums.questions += 1
                continue
            found = sums.by_code.setdefault(str(finding["code"]), _Sum(str(finding.get("name", ""))))
            difference = finding.get("variance_cents") or 0
            found.count += 1
            sums.confirmed += finding["status"] == "confirmed"
            found.over += max(0, difference)
            found.under -= min(0, difference)
    return sums


def _money(found: _Sum) -> str:
    sides = (("the house lost", found.over), ("players are short", found.under))
    told = [f"{who} {usd(cents)}" for who, cents in sides if cents]
    return f", {', '.join(told)}" if told else ""
