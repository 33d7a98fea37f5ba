"""The questions that a ledger answers by name: sums and rates. What lists single rounds lies in question_lists.

Only confirmed and probable findings count as faults; what a person is asked about stands beside them, never in them.
Every figure can be followed to its rounds: an answer says with which question.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, case, func, select

from handreplay.batch import question_lists as lists
from handreplay.batch.asking import Answer, Filters, check_names, copies_left_out, matching, without_a_clock
from handreplay.batch.ledger_tables import FINDINGS, RECORDINGS, ROUNDS, WAGERS
from handreplay.batch.missing_time import seconds_without_recording
from handreplay.core.money import usd
from handreplay.errors import HandreplayError
from handreplay.report.shift.intervals import wilson
from handreplay.rules.catalogue import catalogue

VOID = ("MD09", "MD10")
BY = {"dealer": "dealer", "table": "table_id", "wager": "wager", "hour": "local_hour"}
WHERE = frozenset({"batch", "dealer", "table", "since", "until"})


@dataclass(frozen=True, slots=True)
class Question:
    name: str
    what: str
    takes: frozenset[str]  # of the filters
    ask: Callable[[Connection, Filters], Answer]
    by: tuple[str, ...] = ()  # the first is taken when none is named


def ask(connection: Connection, name: str, filters: Filters) -> Answer:
    """The answer to a named question. Raises HandreplayError for a question, filter or name that is not known."""
    question = next((question for question in QUESTIONS if question.name == name), None)
    if question is None:
        raise HandreplayError(f"no question {name}; there are {', '.join(q.name for q in QUESTIONS)}")
    wrong = sorted(set(filters.given) - question.takes - ({"by"} if question.by else set()))
    if wrong:
        takes = ", ".join(f"--{option}" for option in sorted(question.takes | ({"by"} if question.by else set())))
        raise HandreplayError(f"{name} does not go with --{wrong[0]}; it takes {takes}")
    if filters.by is not None and filters.by not in question.by:
        raise HandreplayError(f"{name} cannot be told by {filters.by}; by {', '.join(question.by)}")
    if filters.code is not None and filters.code not in catalogue():
        raise HandreplayError(f"no code {filters.code}; handreplay rules and handreplay explain tell the codes")
    if filters.verdict is not None and filters.verdict not in lists.VERDICTS:
        raise HandreplayError(f"no verdict {filters.verdict}; there are {', '.join(lists.VERDICTS)}")
    check_names(connection, filters)
    answer = question.ask(connection, filters)
    return replace(answer, notes=(*answer.notes, *copies_left_out(connection, filters)))


def _paid(connection: Connection, filters: Filters, *, over: bool) -> Answer:
    by = filters.by or "dealer"
    key = FINDINGS.c[BY[by]]
    fault, asked = FINDINGS.c.kind == "fault", FINDINGS.c.kind == "asked"
    cents = func.abs(FINDINGS.c.variance_cents)
    query = (
        select(
            key,
            _count(fault),
            func.coalesce(func.sum(case((fault, cents))), 0),
            func.max(case((fault, cents))),
            _count(and_(fault, FINDINGS.c.variance_cents.is_(None))),
            _count(asked),
            func.coalesce(func.sum(case((asked, cents))), 0),
        )
        .where(matching(FINDINGS, filters), lists.paid(over=over))
        .group_by(key)
    )
    seen, of = _seen(connection, by, filters)
    rows = [
        (
            _label(by, row[0]),
            int(row[1]),
            int(row[2]),
            row[3],
            int(row[4]),
            int(row[5]),
            int(row[6]),
            seen.get(row[0], 0),
        )
        for row in connection.execute(query)
    ]
    rows.sort(key=lambda row: (-row[2], -row[1], str(row[0] or "")))
    word = "overpaid" if over else "underpaid"
    number, amount, asked_about = (sum(row[column] for row in rows) for column in (1, 2, 5))
    notes = [
        f"{number} confirmed or probable, {usd(amount)} {word} in all; a person has to look at {asked_about} more.",
        *without_a_clock(connection, filters, FINDINGS, "findings"),
    ]
    shown = [row for row in rows if row[1]]
    columns = (by, "findings", f"{word}_cents", "largest_cents", "amount_open", "asked", "asked_about_cents", of)
    leads = _leads(shown, by, filters, "findings", verdict=word)
    return Answer("overpayments" if over else "underpayments", columns, rows, tuple(notes), leads)


def _seen(connection: Connection, by: str, filters: Filters) -> tuple[Mapping[Any, int], str]:
    """How many rounds, or wagers, there were of each key to set the sums against."""
    table, of = (WAGERS, "wagers") if by == "wager" or filters.wager else (ROUNDS, "rounds")
    key = table.c[BY[by]]
    query = select(key, func.count()).where(matching(table, filters)).group_by(key)
    return {row[0]: int(row[1]) for row in connection.execute(query)}, of


def _error_rate(connection: Connection, filters: Filters) -> Answer:
    by = filters.by or "wager"
    keys = [WAGERS.c.game, WAGERS.c.wager] if by == "wager" else [WAGERS.c[BY[by]]]
    told = WAGERS.c.verdict
    query = (
        select(
            *keys,
            func.count(),
            _count(told == "right"),
            _count(told == "wrong"),
            _count(told == "open"),
            _count(and_(told == "open", WAGERS.c.code.is_not(None))),
            _count(and_(told == "wrong", WAGERS.c.code.in_(VOID))),
        )
        .where(matching(WAGERS, filters))
        .group_by(*keys)
        .order_by(*keys)
    )
    rows = []
    for row in connection.execute(query):
        key, (wagers, right, wrong, unknown, asked, void) = row[: len(keys)], map(int, row[len(keys) :])
        judged = right + wrong
        rate, low, high = (wrong / judged, *wilson(wrong, judged)) if judged else (None, None, None)
        label = key if by == "wager" else (_label(by, key[0]),)
        rows.append((*label, wagers, judged, wrong, rate, low, high, unknown, asked, void))
    first = ("game", "wager") if by == "wager" else (by,)
    columns = (
        *first,
        "wagers",
        "judged",
        "wrong",
        "error_rate",
        "low_rate",
        "high_rate",
        "open",
        "asked",
        "in_void_rounds",
    )
    most_wrong = sorted((row[len(first) - 1 :] for row in rows if row[len(first) + 2]), key=lambda row: -row[3])
    leads = _leads(most_wrong, by, filters, "rounds", verdict="wrong")
    return Answer("error-rate", columns, rows, tuple(_rate_notes(rows, len(first), connection, filters)), leads)


def _rate_notes(rows: list[Any], keys: int, connection: Connection, filters: Filters) -> list[str]:
    wagers, judged, wrong, unknown, asked, void = (
        sum(row[keys + column] for row in rows) for column in (0, 1, 2, 6, 7, 8)
    )
    notes = [
        f"Settled wrongly: {wrong} of the {judged} wagers that could be judged; low and high: 95% interval (Wilson).",
        f"Could not be judged: {unknown} of {wagers} wagers; a person is asked about {asked} of those.",
        *without_a_clock(connection, filters, WAGERS, "wagers"),
    ]
    if void:
        notes.append(
            f"{void} of the wrong ones lie in rounds with one finding for all of it: void and played on, or voided."
        )
    return notes


def _rounds_per_hour(connection: Connection, filters: Filters) -> Answer:
    by = filters.by or "table"
    key = RECORDINGS.c[BY[by]]
    audited = and_(matching(RECORDINGS, filters), RECORDINGS.c.state == "audited")
    hours = select(key, func.count(), func.sum(RECORDINGS.c.read_s)).where(audited).group_by(key)
    joined = and_(ROUNDS.c.batch == RECORDINGS.c.batch, ROUNDS.c.recording == RECORDINGS.c.recording)
    dealt = select(key, func.count()).join_from(RECORDINGS, ROUNDS, joined).where(audited).group_by(key)
    rounds = {row[0]: int(row[1]) for row in connection.execute(dealt)}
    rows = []
    for name, recordings, read_s in connection.execute(hours.order_by(key)):
        number = rounds.get(name, 0)
        rows.append((name, int(recordings), number, read_s, round(3600 * number / read_s, 2) if read_s else None))
    notes = (
        "Time is that with pictures; a round counts where it begins.",
        *without_a_clock(connection, filters, RECORDINGS, "recordings"),
    )
    leads = _leads([row for row in rows if row[2]], by, filters, "rounds")
    return Answer("rounds-per-hour", (by, "recordings", "rounds", "read_s", "rounds_per_hour"), rows, notes, leads)


def _coverage(connection: Connection, filters: Filters) -> Answer:
    own = matching(RECORDINGS, filters)
    state = RECORDINGS.c.state
    key = RECORDINGS.c.table_id
    query = select(
        key,
        func.count(),
        _count(state == "audited"),
        _count(state == "set aside"),
        _count(RECORDINGS.c.expected_s.is_(None)),
        *(func.coalesce(func.sum(RECORDINGS.c[name]), 0.0) for name in ("expected_s", "read_s", "judged_s")),
    )
    found = {row[0]: tuple(row) for row in connection.execute(query.where(own).group_by(key))}
    missing = seconds_without_recording(connection, filters)
    rows = []
    for table in sorted({*found, *missing}, key=lambda name: (name is None, name or "")):
        _, number, audited, aside, unknown, expected, read, judged = found.get(
            table, (table, 0, 0, 0, 0, 0.0, 0.0, 0.0)
        )
        due = expected + missing.get(table, 0.0)
        share = round(judged / due, 6) if due and not unknown else None
        rows.append(
            (
                table,
                number,
                audited,
                aside,
                number - audited - aside,
                unknown,
                due,
                missing.get(table, 0.0),
                read,
                judged,
                share,
            )
        )
    columns = (
        *("table", "recordings", "audited", "set_aside", "waiting", "length_unknown"),
        *("expected_s", "no_recording_s", "read_s", "judged_s", "share_rate"),
    )
    return Answer(
        "coverage",
        columns,
        rows,
        (*_coverage_notes(rows), *without_a_clock(connection, filters, RECORDINGS, "recordings")),
        ("what was not judged, and why", ("not-judged", *_options(filters.given))),
    )


def _coverage_notes(rows: list[tuple[Any, ...]]) -> list[str]:
    due, judged = sum(row[6] for row in rows), sum(row[9] for row in rows)
    unknown, aside, waiting = (sum(row[column] for row in rows) for column in (5, 3, 4))
    notes = []
    if due:
        at_most = f"at most, since the length of {_many(unknown)} is not known, " if unknown else ""
        notes.append(f"Judged: {at_most}{min(100.0, 100 * judged / due):.1f}% of the time expected.")
    if aside or waiting:
        notes.append(f"{_many(aside)} set aside, {waiting} still to be audited: this is not all of it.")
    return notes


def _many(recordings: int) -> str:
    return f"{recordings} recording{'' if recordings == 1 else 's'}"


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((condition, 1), else_=0)), 0)


def _label(by: str, key: Any) -> Any:
    return f"{key:02d}:00" if by == "hour" and key is not None else key


def _leads(
    rows: list[Any], by: str, filters: Filters, question: str, **more: str
) -> tuple[str, tuple[str, ...]] | None:
    """The question that shows what the first of the rows counts; None without rows."""
    if not rows:
        return None
    value = rows[0][0]
    given = {**filters.given, **more, by: int(value[:2]) if by == "hour" and value else value or ""}
    given.pop("by", None)
    shown = f"{by} {value}" if value is not None else f"those without a {by}"
    return shown, (question, *_options(given))


def _options(given: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(word for name, value in given.items() for word in (f"--{name}", str(value)))


QUESTIONS: tuple[Question, ...] = (
    Question(
        "overpayments",
        "what the house paid too much",
        WHERE | {"wager", "code", "hour"},
        lambda connection, filters: _paid(connection, filters, over=True),
        tuple(BY),
    ),
    Question(
        "underpayments",
        "what players were paid too little",
        WHERE | {"wager", "code", "hour"},
        lambda connection, filters: _paid(connection, filters, over=False),
        tuple(BY),
    ),
    Question(
        "error-rate",
        "how often a wager is settled wrongly, with its 95% interval",
        WHERE | {"wager", "hour"},
        _error_rate,
        ("wager", "dealer", "table", "hour"),
    ),
    Question("rounds-per-hour", "how fast the game goes", WHERE, _rounds_per_hour, ("table", "dealer")),
    Question("coverage", "how much was expected, read and judged", WHERE - {"dealer"}, _coverage),
    Question("not-judged", "what was not judged, and why", WHERE - {"dealer"}, lists.not_judged),
    Question("re-audit", "rounds that a person should watch, most money first", WHERE | {"hour"}, lists.re_audit),
    Question("rounds", "single rounds", WHERE | {"wager", "code", "verdict", "hour"}, lists.rounds),
    Question("findings", "single findings", WHERE | {"wager", "code", "verdict", "hour"}, lists.findings),
)
