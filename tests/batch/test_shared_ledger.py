"""`handreplay batch` into a ledger that other batches fill too: whose name is whose, and how to ask it afterwards."""

import shlex
from pathlib import Path

import own_postgres
import pytest
from batch_profiles import write_profile
from test_batch_command import add, reads, run, states

from handreplay.batch.ledger_place import ledger_at, reading
from handreplay.batch.ledger_tables import RECORDINGS


def a_pit(folder: Path, name: str) -> Path:
    write_profile(folder / "tables", "UTH-12")
    add(folder, name)
    return folder


def held(place: str) -> list[tuple[str, str]]:
    with reading(ledger_at(place)) as connection:
        rows = connection.execute(RECORDINGS.select().order_by(RECORDINGS.c.batch, RECORDINGS.c.recording))
        return [(row.batch, row.recording) for row in rows]


def test_a_name_that_is_another_batchs_is_refused_before_anything_is_read(place: str, tmp_path: Path) -> None:
    first, second = a_pit(tmp_path / "first", "a.mp4"), a_pit(tmp_path / "second", "b.mp4")
    assert run(first, "--ledger", place).returncode == 3
    refused = run(second, "--ledger", place)
    assert (refused.returncode, refused.stdout, len(refused.stderr.splitlines())) == (2, "", 1), refused.stderr
    assert f"the name out is of the batch in {first / 'out'}; give this one a name of its own with --batch NAME" in (
        refused.stderr
    )
    assert not (second / "out" / "batch.json").exists()
    assert reads(second) == [] and held(place) == [("out", "a.mp4")]
    assert run(second, "--ledger", place, "--batch", "pit 2").returncode == 3
    add(second, "c.mp4")
    assert run(second, "--ledger", place).returncode == 3  # keeps its name
    assert held(place) == [("out", "a.mp4"), ("pit 2", "b.mp4"), ("pit 2", "c.mp4")]
    assert states(second) == {"b.mp4": "audited", "c.mp4": "audited"}


def test_the_last_line_says_where_to_ask_a_ledger_on_a_server_without_the_password(
    postgres: own_postgres.Server, tmp_path: Path
) -> None:
    url = postgres.new_database()
    done = run(a_pit(tmp_path, "a.mp4"), "--ledger", url)
    assert done.returncode == 3, done.stderr
    shown = f"postgresql://{own_postgres.USER}@127.0.0.1:{postgres.port}/{url.rpartition('/')[2]}"
    assert done.stdout.splitlines()[-1] == f"Next: handreplay shift {tmp_path / 'out'}; handreplay query {shown}"
    assert own_postgres.PASSWORD not in done.stdout + done.stderr


@pytest.mark.parametrize("elsewhere", [True, False])
def test_the_last_line_says_where_to_ask_a_ledgers_file(tmp_path: Path, elsewhere: bool) -> None:
    folder, file = a_pit(tmp_path / "the night's", "a.mp4"), str(tmp_path / "all nights.sqlite")
    done = run(folder, *(["--ledger", file] if elsewhere else []))
    asked = shlex.split(done.stdout.splitlines()[-1].rpartition("; ")[2])
    assert asked == ["handreplay", "query", file if elsewhere else str(folder / "out")]
    assert held(asked[2]) == [("out", "a.mp4")]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://a:hushhush@h:5432/d", "postgresql://a@h:5432/d"),
        ("postgres://h/d?user=a&password=hushhush&sslmode=require", "postgresql://h/d?sslmode=require&user=a"),
        ("postgresql+psycopg://a%40b@h/d?sslpassword=hushhush", "postgresql://a%40b@h/d"),
    ],
)
def test_an_address_to_be_asked_again_has_all_but_what_is_secret(url: str, shown: str) -> None:
    assert ledger_at(url).address == shown
    assert ledger_at(shown).address == shown
