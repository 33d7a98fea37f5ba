"""What holds for PostgreSQL alone: the server refuses writes, no password is told, fillings wait for each other."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import own_postgres
import pytest

from handreplay import cli
from handreplay.batch.asking import Filters, ask_sql
from handreplay.batch.ledger import fill
from handreplay.batch.ledger_place import ledger_at, reading
from handreplay.batch.questions import ask
from handreplay.errors import HandreplayError, OutputError

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def url(postgres: own_postgres.Server) -> str:
    return postgres.new_database()


def but_for_folders(dump: dict[str, list[tuple]]) -> dict[str, list[tuple]]:
    """A batch's own ledger calls its folder a dot."""
    return {**dump, "batches": [(batch, own, filled) for batch, own, _, filled in dump["batches"]]}


def test_both_databases_hold_the_same_rows(url: str, out: Path, dump: Callable) -> None:
    fill(url, out)
    fill(out, out)
    assert but_for_folders(dump(url)) == but_for_folders(dump(str(out)))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT nextval('s')",
        "SELECT * INTO copied FROM rounds",
        "SELECT setval('s', 7)",
        "SELECT set_config('transaction_read_only', 'off', false), nextval('s')",
        "SELECT query_to_xml('DELETE FROM rounds', true, true, '')",
    ],
)
def test_a_select_that_would_write_is_refused_by_the_server(
    postgres: own_postgres.Server, url: str, out: Path, sql: str
) -> None:
    fill(url, out)
    postgres.run("CREATE SEQUENCE s", url.rpartition("/")[2])
    with pytest.raises(HandreplayError) as told, reading(ledger_at(url)) as connection:
        ask_sql(connection, sql)
    assert "\n" not in str(told.value)
    with reading(ledger_at(url)) as connection:
        assert ask_sql(connection, "SELECT count(*) AS n, max(last_value) AS s FROM rounds, s").rows == [(8, 1)]


def test_what_a_server_lets_a_reader_write_is_not_kept(url: str, out: Path) -> None:
    fill(url, out)
    with reading(ledger_at(url)) as connection:
        ask_sql(connection, "SELECT lo_create(0) AS made")  # older servers take a large object for no write
    with reading(ledger_at(url)) as connection:
        assert ask_sql(connection, "SELECT count(*) AS n FROM pg_largeobject_metadata").rows == [(0,)]


def test_named_questions_cannot_write_either(url: str, out: Path) -> None:
    fill(url, out)
    with pytest.raises(OutputError, match="read-only transaction"), reading(ledger_at(url)) as connection:
        connection.exec_driver_sql("DELETE FROM rounds")


def test_a_user_who_may_only_read_can_ask(postgres: own_postgres.Server, url: str, out: Path) -> None:
    fill(url, out)
    database = url.rpartition("/")[2]
    postgres.run("CREATE ROLE reader LOGIN PASSWORD 'r'", database)
    postgres.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", database)
    reader = f"postgresql://reader:r@127.0.0.1:{postgres.port}/{database}"
    with reading(ledger_at(reader)) as connection:
        assert len(ask(connection, "rounds", Filters()).rows) == 8
    with pytest.raises(OutputError, match="permission denied"):
        fill(reader, out)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command line, within this process: exit code, standard output and standard error."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["handreplay", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code, *capsys.readouterr()

    return run


def test_no_password_is_told_whatever_fails(
    postgres: own_postgres.Server, url: str, out: Path, command: Command
) -> None:
    secret, database = "hush%2Fhush", url.rpartition("/")[2]
    shown = ["hush%2Fhush", "hush/hush"]
    wrong_password = postgres.url(database, password=secret)
    wrong_port = f"postgresql://{own_postgres.USER}:{secret}@127.0.0.1:1/{database}"
    in_the_query = f"postgresql://127.0.0.1:{postgres.port}/{database}?user=auditor&password={secret}"
    unreadable = f"postgresql://{own_postgres.USER}:{secret}@127.0.0.1:port/{database}"
    without_database = f"postgresql://{own_postgres.USER}:{secret}@127.0.0.1:{postgres.port}"
    of_another_kind = f"mysql://{own_postgres.USER}:{secret}@127.0.0.1/{database}"
    addresses = (wrong_password, wrong_port, in_the_query, unreadable, without_database, of_another_kind)
    for address in addresses:
        for words in (["query", address, "rounds"], ["ledger", str(out), "--to", address]):
            code, told, complaint = command(*words)
            assert (code, told, len(complaint.splitlines())) == (2, "", 1), complaint
            assert not any(part in complaint for part in shown), complaint


def test_a_right_password_is_not_told_either(url: str, out: Path, command: Command) -> None:
    filled, told = command("ledger", str(out), "--to", url), command("query", url, "overpayments")
    refused = command("query", url, "--sql", "SELECT no_such_column FROM rounds")
    assert (filled[0], told[0], refused[0]) == (0, 0, 2)
    everything = "".join(part for done in (filled, told, refused) for part in done[1:])
    assert own_postgres.PASSWORD not in everything and own_postgres.PLAIN_PASSWORD not in everything
    lead = told[1].splitlines()[-1]
    assert f"handreplay query postgresql://{own_postgres.USER}@127.0.0.1:" in lead and "--dealer" in lead
    assert "127.0.0.1" in filled[1] and "$200.00" in told[1] and "no_such_column" in refused[2]


def test_a_database_with_tables_of_something_else_is_left_alone(
    postgres: own_postgres.Server, url: str, out: Path
) -> None:
    postgres.run("CREATE TABLE rounds (boxing TEXT)", url.rpartition("/")[2])
    with pytest.raises(OutputError, match="holds a table rounds of something else"):
        fill(url, out)


def test_a_database_without_a_ledger_says_how_to_make_one(url: str) -> None:
    with pytest.raises(OutputError, match="make it with handreplay ledger DIR --to URL"), reading(ledger_at(url)):
        pass


def test_two_fillings_at_once_leave_each_recording_once(url: str, out: Path, dump: Callable) -> None:
    one_by_one = "from handreplay.batch.ledger import fill; from pathlib import Path; import sys"
    code = f"{one_by_one}; fill(sys.argv[1], Path(sys.argv[2]))"
    both = [subprocess.Popen([sys.executable, "-c", code, url, str(out)]) for _ in range(2)]
    assert [process.wait(120) for process in both] == [0, 0]
    fill(out, out)
    assert but_for_folders(dump(url)) == but_for_folders(dump(str(out)))
