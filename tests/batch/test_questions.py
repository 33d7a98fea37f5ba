"""What the ledger answers, on SQLite and PostgreSQL alike; how answers are written; that asking changes nothing."""

import csv
import dataclasses
import hashlib
import io
import json
import shlex
import shutil
import sqlite3
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import night
import pandas
import pytest
from typer.testing import CliRunner

from handreplay.batch import export
from handreplay.batch.asking import Answer, Filters, ask_sql
from handreplay.batch.ledger import fill
from handreplay.batch.ledger_place import ledger_at, reading
from handreplay.batch.ledger_rows import times
from handreplay.batch.questions import QUESTIONS, ask
from handreplay.batch.record import Missing, Record, State, read_record, write_record
from handreplay.batch.shift import batch_shift
from handreplay.cli import app
from handreplay.errors import HandreplayError, OutputError
from handreplay.report.shift.values import Kind


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def ledger(request: pytest.FixtureRequest, made_night: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The night's ledger, to be read alone."""
    place = str(tmp_path_factory.mktemp("read") / "ledger.sqlite")
    if request.param == "postgresql":
        place = request.getfixturevalue("postgres").new_database()
    fill(place, made_night)
    return place


def asked(ledger: str, name: str, **filters: object) -> Answer:
    with reading(ledger_at(ledger)) as connection:
        return ask(connection, name, Filters(**filters))


def column(answer: Answer, name: str) -> list:
    return [row[answer.columns.index(name)] for row in answer.rows]


def by(answer: Answer, name: str) -> dict:
    return dict(zip(column(answer, answer.columns[0]), column(answer, name), strict=True))


def selected(ledger: str, sql: str, seconds: float = 20) -> list[tuple]:
    with reading(ledger_at(ledger), seconds) as connection:
        return list(ask_sql(connection, sql).rows)


# ---- named questions


@pytest.mark.parametrize(
    ("key", "sums"),
    [
        ("dealer", {"Ann": 10000, "D. Núñez": 10000}),
        ("table", {"UTH-12": 20000}),
        ("wager", {"blind": 20000}),
        ("hour", {"01:00": 20000}),
    ],
)
def test_overpayments_are_summed_by_dealer_table_wager_and_hour(ledger: str, key: str, sums: dict) -> None:
    assert by(asked(ledger, "overpayments", by=key), "overpaid_cents") == sums


def test_underpayments_count_a_void_round_that_was_played_on(ledger: str) -> None:
    told = asked(ledger, "underpayments", by="dealer")
    assert by(told, "underpaid_cents") == {"Ann": 13000, "Bob": 13000, "D. Núñez": 13000}
    assert by(told, "rounds") == {"Ann": 4, "Bob": 2, "D. Núñez": 2}
    assert by(asked(ledger, "underpayments", by="wager"), "underpaid_cents") == {None: 39000}


@pytest.mark.parametrize("key", ["dealer", "table", "wager", "hour"])
@pytest.mark.parametrize(("name", "verdict"), [("overpayments", "overpaid"), ("underpayments", "underpaid")])
def test_every_sum_leads_to_its_findings_and_rounds(ledger: str, key: str, name: str, verdict: str) -> None:
    told = asked(ledger, name, by=key)
    assert told.rows
    for label, number, amount in zip(
        column(told, key), column(told, "findings"), column(told, f"{verdict}_cents"), strict=True
    ):
        value = int(label[:2]) if key == "hour" else label or ""
        found = asked(ledger, "findings", verdict=verdict, **{key: value})
        assert len(found.rows) == number
        assert sum(abs(cents) for cents in column(found, "variance_cents")) == amount
        rounds = asked(ledger, "rounds", verdict=verdict, **{key: value})
        places = set(zip(column(found, "recording"), column(found, "round"), strict=True))
        assert set(zip(column(rounds, "recording"), column(rounds, "round"), strict=True)) == places


def test_the_error_rate_says_how_many_were_wrong_how_sure_and_how_many_were_not_judged(ledger: str) -> None:
    told = asked(ledger, "error-rate")
    row = dict(zip(told.columns, next(row for row in told.rows if row[1] == "blind"), strict=True))
    assert (row["wagers"], row["judged"], row["wrong"], row["open"], row["in_void_rounds"]) == (17, 17, 8, 0, 6)
    assert row["error_rate"] == pytest.approx(8 / 17)
    assert (row["low_rate"], row["high_rate"]) == pytest.approx((0.26165, 0.69037), abs=1e-5)
    assert len(asked(ledger, "rounds", verdict="wrong", wager="blind").rows) == 5
    assert any("Could not be judged: 0 of 53 wagers" in note for note in told.notes)


def a_question(out: Path) -> None:
    """Have the last recording's overpayment be a question: no fault, an open wager."""
    from test_ledger import rewritten

    run = out / read_record(out).entries[2].run
    document = json.loads((run / "findings.json").read_bytes())
    for finding in document["findings"]:
        if finding["code"] == "PY02":
            finding["status"] = "review"
    rewritten(run, document)


def test_what_a_person_is_asked_about_is_no_error_and_is_counted_beside(place: str, out: Path) -> None:
    a_question(out)
    fill(place, out)
    told = asked(place, "overpayments")
    assert by(told, "overpaid_cents") == {"Ann": 10000, "D. Núñez": 0}
    assert by(told, "asked") == {"Ann": 0, "D. Núñez": 1}
    assert by(told, "asked_about_cents") == {"Ann": 0, "D. Núñez": 10000}
    rates = asked(place, "error-rate", dealer="D. Núñez", wager="blind")
    assert [column(rates, name) for name in ("judged", "wrong", "open", "asked")] == [[3], [2], [1], [1]]
    watch = asked(place, "re-audit")
    assert list(zip(column(watch, "recording"), column(watch, "round"), column(watch, "money_cents"), strict=True)) == [
        ("UTH-05/quiet.mp4", 1, 32500),
        ("UTH-12/two.mp4", 6, 10000),
    ]
    assert column(watch, "why") == ["FT01", "PY02"]
    assert column(watch, "look_s") == [7.0, 125.897]
    assert column(watch, "clock") == [
        "2026-11-30T02:10:07.000-05:00",
        "2026-11-30T01:22:05.897-05:00",
    ]  # of that moment
    assert [row[5] for row in asked(place, "not-judged", table="UTH-12").rows][1:] == [
        "round 6 leaves a question",
        "set aside: holds no picture",
    ]


def test_coverage_says_what_was_expected_read_and_judged_and_what_is_not_known(ledger: str) -> None:
    told = asked(ledger, "coverage")
    rows = {row[0]: dict(zip(told.columns, row, strict=True)) for row in told.rows}
    assert rows["UTH-05"]["expected_s"] == 4200.0 and rows["UTH-05"]["no_recording_s"] == 3600.0
    assert rows["UTH-05"]["judged_s"] == pytest.approx(600 - 45.424)
    assert rows["UTH-05"]["share_rate"] == pytest.approx((600 - 45.424) / 4200, abs=1e-6)
    assert (rows["UTH-12"]["read_s"], rows["UTH-12"]["set_aside"], rows["UTH-12"]["share_rate"]) == (1198.0, 1, None)
    assert "Judged: at most, since the length of 1 recording is not known, 32.5% of the time expected." in told.notes
    assert any("set aside" in note for note in told.notes)


def test_what_was_not_judged_is_listed_with_its_reason(ledger: str) -> None:
    told = asked(ledger, "not-judged")
    assert [(row[1], row[3], row[5]) for row in told.rows] == [
        (None, 3600.0, "no recording"),
        ("UTH-05/quiet.mp4", pytest.approx(45.424), "round 1 is incomplete"),
        ("UTH-12/one.mp4", 2.0, "not read: damaged pictures"),
        ("UTH-12/zero.mp4", None, "set aside: holds no picture"),
    ]
    assert column(told, "clock")[2] == "2026-11-30T01:18:20.000-05:00"


def test_the_time_of_a_round_that_nothing_recorded_is_listed_once(tmp_path: Path) -> None:
    out = tmp_path / "night"
    [usual] = night.rounds_at(night.START, night.LOGS[:1])
    end = night.START + timedelta(seconds=night.LENGTH_S)
    over = dataclasses.replace(night.with_gap(usual, after_s=5.0, lasts_s=700.0), end=usual.start + 800.0)
    entry = night.recording(out, "UTH-12/one.mp4", [over])
    missing = Missing(table="UTH-12", start=end - timedelta(seconds=100), end=end + timedelta(seconds=100))
    write_record(out, Record(entries=(entry,), missing=(missing,)))
    place = str(tmp_path / "ledger.sqlite")
    fill(place, out)
    told = {row[5]: row[3] for row in asked(place, "not-judged").rows}
    assert told == {"round 1 is incomplete": pytest.approx(600.0), "no recording": 200.0}


def test_rounds_per_hour_go_by_the_time_with_pictures(ledger: str) -> None:
    told = asked(ledger, "rounds-per-hour")
    assert by(told, "rounds_per_hour") == {"UTH-05": 12.0, "UTH-12": round(6 * 3600 / 1198, 2)}


def test_rounds_can_be_told_by_code_wager_verdict_and_dealer(ledger: str) -> None:
    def places(**filters: object) -> list[tuple]:
        return [row[:2] for row in asked(ledger, "rounds", **filters).rows]

    assert places(code="PY02", dealer="Ann") == [("UTH-12/one.mp4", 1)]
    assert places(code="PY02", wager="trips") == []
    assert places(verdict="incomplete") == [("UTH-05/quiet.mp4", 1)]
    assert places(verdict="clean") == [("UTH-12/one.mp4", 2)]
    assert places(verdict="asked") == [("UTH-05/quiet.mp4", 1)]
    assert places(hour=2) == [("UTH-05/quiet.mp4", 1), ("UTH-05/quiet.mp4", 2)]
    assert places(hour=3) == []


@pytest.mark.parametrize(
    ("since", "until", "rounds"),
    [
        ("2026-11-30T01:13:02", None, [3, 4, 5, 6, 1, 2]),  # the table's own clock
        ("2026-11-30T06:13:02Z", "2026-11-30T01:20:02-05:00", [3, 4]),
        (None, "2026-11-30T01:11:32", [1]),
        ("2026-11-30", "2026-12-01", [1, 2, 3, 4, 5, 6, 1, 2]),
        ("2026-12-01", None, []),
    ],
)
def test_a_time_is_the_tables_own_unless_it_has_an_offset(
    ledger: str, since: str | None, until: str | None, rounds: list[int]
) -> None:
    assert column(asked(ledger, "rounds", since=since, until=until), "round") == rounds


def test_rounds_without_a_known_time_are_named_when_a_time_is_asked_for(place: str, tmp_path: Path) -> None:
    entry = night.recording(tmp_path / "b", "a.mp4", night.rounds_at(None, [night.LOGS[0]]), start=None, dealer=None)
    write_record(tmp_path / "b", Record(entries=(entry,)))
    fill(place, tmp_path / "b")
    told = asked(place, "rounds", since="2026-11-30")
    assert not told.rows and told.notes == ("Left out: 1 rounds without a known time.",)
    assert len(asked(place, "rounds", dealer="").rows) == 1


@pytest.mark.parametrize(
    ("name", "filters", "said"),
    [
        ("nonsense", {}, "no question nonsense; there are overpayments"),
        ("coverage", {"code": "PY02"}, "coverage does not go with --code"),
        ("coverage", {"by": "table"}, "coverage does not go with --by"),
        ("overpayments", {"by": "seat"}, "cannot be told by seat"),
        ("rounds", {"dealer": "Anne"}, "no dealer Anne; it has Ann, Bob, D. Núñez"),
        ("rounds", {"table": "uth-12"}, "no table uth-12; it has UTH-05, UTH-12"),
        ("rounds", {"code": "PY99"}, "no code PY99"),
        ("rounds", {"verdict": "bad"}, "no verdict bad"),
        ("rounds", {"since": "yesterday"}, "--since yesterday: is no time"),
    ],
)
def test_what_cannot_be_asked_is_refused_rather_than_answered_with_nothing(
    ledger: str, name: str, filters: dict, said: str
) -> None:
    with pytest.raises(HandreplayError, match=said):
        asked(ledger, name, **filters)


def test_every_question_can_be_asked_of_an_empty_batch(place: str, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    write_record(tmp_path / "b", Record(entries=()))
    fill(place, tmp_path / "b")
    for question in QUESTIONS:
        assert list(asked(place, question.name).rows) == []


def test_the_ledger_and_the_shift_report_tell_the_same_figures(place: str, out: Path) -> None:
    a_question(out)
    fill(place, out)
    shift = batch_shift(out)
    coverage = asked(place, "coverage")
    judged = dict(zip(column(coverage, "table"), column(coverage, "judged_s"), strict=True))
    assert judged == pytest.approx({line.table: line.seconds[Kind.JUDGED] for line in shift.tables})
    rates = [(row[1], *row[3:8]) for row in asked(place, "error-rate").rows]
    assert rates == [
        (line.wager, line.rate.judged, line.rate.wrong, line.rate.share, line.rate.low, line.rate.high)
        for line in shift.wagers
    ]
    lost = {line.dealer: line.lost_cents for line in (*shift.dealers, *shift.few) if line.lost_cents}
    paid = by(asked(place, "overpayments"), "overpaid_cents")
    assert {dealer: cents for dealer, cents in paid.items() if cents} == lost


# ---- a recording that several batches have


def audited_again(out: Path, folder: Path, *, triage: bool) -> Path:
    """Another batch of the first two recordings of `out`, which found less in the second, and of one of its own."""
    _, one, *_ = read_record(out).entries
    alike = night.recording(folder, "a.mp4", night.rounds_at(night.START, [night.OVERPAID]), triage=triage)
    later = night.START + timedelta(hours=3)
    own = night.recording(folder, "late.mp4", night.rounds_at(later, [night.LOGS[1]]), start=later, dealer="Eve")
    hour = timedelta(hours=1)
    missing = (
        Missing(table="UTH-05", start=night.START + hour / 4, end=night.START + 2 * hour),  # 45 min known, 10 recorded
        Missing(table="UTH-12", start=night.START, end=night.START + hour / 2),  # of which 20 min are recorded
    )
    entries = (dataclasses.replace(alike, sha256=one.sha256), own)
    write_record(folder, Record(entries=entries, missing=missing))
    return folder


NOTE = (
    "Left out: 1 recording that another batch holds too (a full audit counts before a triage, then the batch filled "
    "in last; --batch NAME asks one batch)."
)


@pytest.mark.parametrize(
    ("triage", "last", "counts"),
    [(True, "again", "night"), (True, "night", "night"), (False, "again", "again"), (False, "night", "night")],
)
def test_a_recording_of_several_batches_counts_once_the_full_audit_first_then_the_batch_filled_last(
    place: str, out: Path, tmp_path: Path, triage: bool, last: str, counts: str
) -> None:
    folders = {"night": out, "again": audited_again(out, tmp_path / "again", triage=triage)}
    for name in sorted(folders, key=lambda name: name == last):
        fill(place, folders[name])
    of_ann = 4 if counts == "night" else 1
    told = asked(place, "rounds-per-hour", by="dealer")
    assert by(told, "rounds") == {"Ann": of_ann, "Bob": 2, "D. Núñez": 2, "Eve": 1}
    assert by(told, "recordings") == {"Ann": 1, "Bob": 1, "D. Núñez": 1, "Eve": 1}
    assert {row[-1] for row in asked(place, "rounds", dealer="Ann").rows} == {counts}
    assert len(asked(place, "rounds", verdict="wrong", dealer="Ann").rows) == (2 if counts == "night" else 1)
    for question in QUESTIONS:
        assert asked(place, question.name).notes[-1] == NOTE, question.name
        named = asked(place, question.name, batch="again")
        assert not named.notes or named.notes[-1] != NOTE
    assert len(asked(place, "rounds", batch="night").rows) == 8
    assert len(asked(place, "rounds", batch="again", verdict="wrong", wager="blind").rows) == 2
    assert asked(place, "rounds", dealer="Eve").notes == ()
    own = run(place, "--sql", "SELECT count(*) AS n FROM rounds")
    assert own[1].splitlines()[1].strip() == "10" and "1 of the recordings are in another batch too" in own[1]
    assert selected(place, "SELECT of_batch FROM copies") == [(counts,)]


def test_time_without_a_recording_is_missing_once_and_not_where_another_batch_recorded(
    place: str, out: Path, tmp_path: Path
) -> None:
    fill(place, out)  # UTH-05 from 06:10 to 07:10
    fill(place, audited_again(out, tmp_path / "again", triage=False))
    told = asked(place, "not-judged")
    gaps = [(row[0], row[4], row[3], row[6]) for row in told.rows if row[5] == "no recording"]
    assert gaps == [
        ("UTH-05", "2026-11-30T01:10:00.000-05:00", 900.0, "night"),
        ("UTH-05", "2026-11-30T01:25:00.000-05:00", 2700.0, "again"),
        ("UTH-05", "2026-11-30T02:20:00.000-05:00", 3000.0, "again"),
        ("UTH-12", "2026-11-30T01:30:00.000-05:00", 600.0, "again"),
    ]
    assert by(asked(place, "coverage"), "no_recording_s") == {"UTH-05": 6600.0, "UTH-12": 600.0}
    assert by(asked(place, "coverage", batch="night"), "no_recording_s") == {"UTH-05": 3600.0, "UTH-12": 0.0}
    assert by(asked(place, "coverage", batch="again"), "no_recording_s") == {"UTH-05": 6300.0, "UTH-12": 1800.0}


# ---- a SELECT of one's own


def test_one_select_of_ones_own_is_answered(ledger: str) -> None:
    assert selected(ledger, "SELECT '%s' AS p, count(*) AS n FROM rounds") == [("%s", 8)]
    joined = (
        "SELECT f.code, r.verdict FROM findings f JOIN rounds r USING (batch, recording, round) WHERE f.code = 'PY02'"
    )
    assert selected(ledger, joined) == [("PY02", "finding")] * 2
    commented = "-- how many\n/* of them */ WITH n AS (SELECT 1 AS one) SELECT one FROM n -- done"
    assert selected(ledger, commented) == [(1,)]


@pytest.mark.parametrize(
    "sql",
    [
        "",
        "  ;",
        "DELETE FROM rounds",
        "UPDATE rounds SET round = 1",
        "DROP TABLE rounds",
        "INSERT INTO ledger VALUES ('x')",
        "CREATE TABLE x (y INTEGER)",
        "PRAGMA query_only = 0",
        "ATTACH 'x.sqlite' AS x",
        "VACUUM INTO 'x.sqlite'",
        "COPY rounds TO PROGRAM 'cat'",
        "SET TRANSACTION READ WRITE",
        "EXPLAIN SELECT 1",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE rounds",
        "SELECT 1; COMMIT; DROP TABLE rounds",
        "WITH x AS (SELECT 1) DELETE FROM rounds",
        "WITH x AS (DELETE FROM rounds RETURNING 1) SELECT * FROM x",
        "SELECT load_extension('x')",
        "SELECT * FROM pragma_table_info('rounds')",
        "SELECT nonsense FROM rounds",
        "SELECT batch, batch FROM rounds",
    ],
)
def test_whatever_is_not_one_select_is_refused_and_changes_nothing(ledger: str, sql: str) -> None:
    with pytest.raises(HandreplayError) as told:
        selected(ledger, sql)
    assert "\n" not in str(told.value)
    assert selected(ledger, "SELECT count(*) AS n FROM rounds") == [(8,)]


def test_a_second_statement_is_named_as_what_it_is(ledger: str) -> None:
    with pytest.raises(OutputError, match="only one statement can be asked at a time"):
        selected(ledger, "SELECT 1; SELECT 2")


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT {} FROM c"


def test_a_select_that_takes_too_long_is_stopped(ledger: str) -> None:
    with pytest.raises(OutputError, match="takes too long"):
        selected(ledger, ENDLESS.format("max(x) AS m"), seconds=0.3)


def test_too_many_rows_are_refused_and_none_is_shown(ledger: str) -> None:
    with pytest.raises(HandreplayError, match="more than 200,000 rows"):
        selected(ledger, ENDLESS.format("x"))


def test_asking_changes_no_byte_of_a_ledgers_file(out: Path) -> None:
    fill(out, out)
    file = out / "ledger.sqlite"
    before = hashlib.sha256(file.read_bytes()).hexdigest()
    for question in QUESTIONS:
        asked(str(out), question.name)
    with reading(ledger_at(out)) as connection, pytest.raises(Exception, match="readonly database"):
        connection.exec_driver_sql("DELETE FROM rounds")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == before
    assert not list(out.glob("ledger.sqlite-*"))


def test_a_ledger_cut_off_in_the_middle_of_a_write_says_so_and_is_put_right_by_making_it_again(
    out: Path, tmp_path: Path
) -> None:
    fill(out, out)
    writer = sqlite3.connect(out / "ledger.sqlite", isolation_level=None)
    writer.execute("PRAGMA cache_size = 1")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE findings SET message = hex(randomblob(20000))")
    for name in ("ledger.sqlite", "ledger.sqlite-journal"):  # as a power failure leaves them
        shutil.copy(out / name, tmp_path / name)
    writer.execute("ROLLBACK")
    writer.close()
    with pytest.raises(OutputError, match="cut off while it was written"):
        asked(str(tmp_path), "rounds")
    assert fill(tmp_path, out).changed == 0
    assert len(asked(str(tmp_path), "rounds").rows) == 8


# ---- as text, CSV, JSON and Parquet


NAUGHTY = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1+1", "Zoë Łukasz"]


def naughty() -> Answer:
    rows = [(name, -2500, 22.5, None) for name in NAUGHTY]
    return Answer("sql", ("dealer", "variance_cents", "hours", "=2+2"), rows)


def test_in_csv_no_text_is_run_amounts_stay_numbers_and_accents_are_right() -> None:
    content = export.as_csv(naughty())
    assert content.startswith(b"\xef\xbb\xbf")
    head, *rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    assert head == ["dealer", "variance", "hours", "'=2+2"]
    assert [row[0] for row in rows] == [*(f"'{name}" for name in NAUGHTY[:5]), "Zoë Łukasz"]
    assert {tuple(row[1:]) for row in rows} == {("-25.00", "22.5", "")}


def test_json_and_parquet_hold_what_the_ledger_holds(tmp_path: Path) -> None:
    document = json.loads(export.as_json(naughty()))
    assert [row["dealer"] for row in document["rows"]] == NAUGHTY
    assert {(row["variance_cents"], row["hours"], row["=2+2"]) for row in document["rows"]} == {(-2500, 22.5, None)}
    export.write(naughty(), "parquet", tmp_path / "a.parquet")
    back = pandas.read_parquet(tmp_path / "a.parquet")
    assert list(back["dealer"]) == NAUGHTY
    assert back["variance_cents"].dtype == "int64" or str(back["variance_cents"].dtype) == "Int64"
    assert list(back["variance_cents"]) == [-2500] * 6 and list(back["hours"]) == [22.5] * 6


def test_whole_amounts_stay_whole_in_pandas_where_some_are_unknown() -> None:
    made = export.frame(Answer("sql", ("a_cents", "rate"), [(2**53 + 1, 1.0), (None, 0.0)]))
    assert str(made["a_cents"].dtype) == "Int64" and made["a_cents"][0] == 2**53 + 1
    assert str(made["rate"].dtype) == "float64"


def test_a_column_of_texts_and_numbers_is_no_parquet_and_says_so() -> None:
    with pytest.raises(OutputError, match="CAST"):
        export.as_parquet(Answer("sql", ("a",), [(1,), ("x",)]))


def test_text_shows_dollars_positions_and_shares_and_moves_no_cursor() -> None:
    answer = Answer("q", ("name", "lost_cents", "look_s", "error_rate"), [("a\x1b[2J\nb", -130000, 83.2, 0.125)])
    lines = export.as_text(answer).splitlines()
    assert lines == ["name           lost         look   error", "a?[2J?b  -$1,300.00  0:01:23.200  12.50%"]


@pytest.mark.parametrize("format_", export.FORMATS)
def test_the_same_question_gives_the_same_bytes_from_either_database(out: Path, ledger: str, format_: str) -> None:
    fill(out, out)
    for question in QUESTIONS:
        told = [export.rendered(asked(place, question.name), format_) for place in (ledger, str(out), ledger)]
        assert told[0] == told[1] == told[2], question.name


# ---- the command


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["query", *words], catch_exceptions=True)
    if isinstance(result.exception, HandreplayError):
        return 2, str(result.exception)
    return result.exit_code, result.stdout


def test_the_command_lists_its_questions_and_answers_them(out: Path) -> None:
    fill(out, out)
    code, told = run(str(out))
    assert code == 0 and all(question.name in told for question in QUESTIONS)
    code, told = run(str(out), "overpayments", "--by", "wager")
    assert code == 0 and told.splitlines()[1].split() == ["blind", "2", "$200.00", "$100.00", "0", "0", "$0.00", "17"]
    code, told = run(str(out), "findings", "--code", "PY02", "--dealer", "Ann", "--format", "json")
    assert [(row["recording"], row["round"], row["variance_cents"]) for row in json.loads(told)["rows"]] == [
        ("UTH-12/one.mp4", 1, 10000)
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["overpayments"],
        ["overpayments", "--by", "hour", "--dealer", "D. Núñez"],
        ["underpayments", "--by", "wager", "--since", "2026-11-30"],
        ["error-rate"],
        ["error-rate", "--by", "hour"],
        ["rounds-per-hour", "--by", "dealer"],
        ["coverage", "--table", "UTH-05"],
    ],
)
def test_the_command_that_leads_on_can_be_pasted_and_shows_rows(out: Path, tmp_path: Path, words: list[str]) -> None:
    place = str(Path(out).rename(tmp_path / "a night's work"))
    fill(place, Path(place))
    lead = run(place, *words)[1].splitlines()[-1]
    assert lead.startswith("See ")
    command = shlex.split(lead.partition(": ")[2])
    assert command[:3] == ["handreplay", "query", place]
    code, told = run(*command[2:])
    assert code == 0 and "(nothing)" not in told and len(told.splitlines()) > 1
    kept = words[words.index("--dealer") + 1] if "--dealer" in words else ""
    assert kept in command or not kept


def test_what_has_no_name_to_group_by_is_led_on_to_in_words(out: Path) -> None:
    fill(out, out)
    assert "\nSee those without a wager: handreplay query" in run(str(out), "underpayments", "--by", "wager")[1]


def test_nothing_leads_on_from_no_rows(out: Path) -> None:
    fill(out, out)
    assert "See " not in run(str(out), "overpayments", "--dealer", "Bob")[1]


@pytest.mark.parametrize("name", ["findings.xlsx", "findings.foo", "findings.text"])
def test_an_ending_of_another_kind_of_file_is_refused_unless_the_format_is_said(
    out: Path, tmp_path: Path, name: str
) -> None:
    fill(out, out)
    file = tmp_path / name
    code, told = run(str(out), "rounds", "--out", str(file))
    assert code == 2 and "an answer ends in .csv (for spreadsheets), .json, .parquet or .txt" in told
    assert not file.exists()
    assert run(str(out), "rounds", "--out", str(file), "--format", "csv")[0] == 0
    assert file.read_bytes().startswith(b"\xef\xbb\xbf")
    assert run(str(out), "rounds", "--out", str(tmp_path / "rounds.txt"))[0] == 0
    assert (tmp_path / "rounds.txt").read_text("utf-8").startswith("recording ")


def test_a_folder_that_is_not_there_is_named_itself(tmp_path: Path) -> None:
    code, told = run(str(tmp_path / "nonight"), "rounds")
    assert (code, told) == (2, f"{tmp_path / 'nonight'}: there is no such batch or ledger; name a batch's folder")


def test_the_ending_of_the_file_says_what_is_written(out: Path, tmp_path: Path) -> None:
    fill(out, out)
    file = tmp_path / "rounds.parquet"
    assert run(str(out), "rounds", "--out", str(file)) == (0, f"{file}: 8 rows\n")
    assert list(pandas.read_parquet(file)["round"]) == [1, 2, 3, 4, 5, 6, 1, 2]
    assert run(str(out), "rounds", "--out", str(file)) == (2, f"{file} is there already; name another file")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rounds", "--sql", "SELECT 1"], "do not go together"),
        (["--sql", "SELECT 1", "--dealer", "Ann"], "does not go with --sql"),
        (["rounds", "--format", "parquet"], "name a file for it with --out"),
    ],
)
def test_a_call_that_makes_no_sense_is_refused(out: Path, words: list[str], said: str) -> None:
    fill(out, out)
    code, told = run(str(out), *words)
    assert code == 2 and said in told


def test_a_batch_without_a_ledger_says_how_to_make_one(out: Path) -> None:
    assert run(str(out), "rounds") == (2, f"{out / 'ledger.sqlite'} is not there; make it with handreplay ledger {out}")
    made = CliRunner().invoke(app, ["ledger", str(out)])
    assert made.exit_code == 0 and "4 recordings, 4 of them new or changed, 0 taken out" in made.stdout
    assert run(str(out), "rounds")[0] == 0


def test_a_ledger_that_the_batch_has_left_behind_says_so(out: Path) -> None:
    fill(out, out)
    assert "NOT UP TO DATE" not in run(str(out), "coverage")[1]
    record = read_record(out)
    again = dataclasses.replace(record.entries[3], state=State.WAITING)
    write_record(out, dataclasses.replace(record, entries=(*record.entries[:3], again)))
    for words in (["coverage"], ["--sql", "SELECT count(*) AS n FROM rounds"]):
        assert "NOT UP TO DATE" in run(str(out), *words)[1]
    as_csv = CliRunner().invoke(app, ["query", str(out), "coverage", "--format", "csv"])
    assert "NOT UP TO DATE" in as_csv.stderr and "NOT UP TO DATE" not in as_csv.stdout
    fill(out, out)
    assert "NOT UP TO DATE" not in run(str(out), "coverage")[1]


def test_the_command_line_starts_without_the_libraries_of_the_ledger() -> None:
    heavy = "import sys, handreplay.cli; print([m for m in ('sqlalchemy', 'pandas', 'pyarrow') if m in sys.modules])"
    started = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True, timeout=60)
    assert started.stdout == "[]\n"


def test_two_dealers_whose_names_differ_in_capitals_are_two_and_sort_alike_everywhere(
    place: str, tmp_path: Path
) -> None:
    entries = [
        night.recording(
            tmp_path / "b",
            f"{n}.mp4",
            night.rounds_at(night.START + timedelta(hours=n), [night.OVERPAID]),
            start=night.START + timedelta(hours=n),
            dealer=dealer,
        )
        for n, dealer in enumerate(["ann", "Ann", "Ämil", "Zed", "=1+1"])
    ]
    write_record(tmp_path / "b", dataclasses.replace(Record(entries=tuple(entries))))
    fill(place, tmp_path / "b")
    assert column(asked(place, "rounds-per-hour", by="dealer"), "dealer") == ["=1+1", "Ann", "Zed", "ann", "Ämil"]


def test_a_time_in_the_tables_zone_keeps_its_offset() -> None:
    assert times(night.START, "America/New_York")["start_local"] == "2026-11-30T01:10:00.000-05:00"
    assert times(night.START, None)["start_local"] is None
