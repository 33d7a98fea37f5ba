import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import night
import own_postgres
import pytest

from handreplay.batch.ledger_place import ledger_at, reading
from handreplay.batch.ledger_tables import METADATA


@pytest.fixture(scope="session")
def made_night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("ledger") / "night"
    night.night(out)
    return out


@pytest.fixture
def out(made_night: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_night, tmp_path / "night"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[own_postgres.Server]:
    try:
        with own_postgres.server() as server:
            yield server
    except own_postgres.NotHereError as error:
        pytest.skip(f"no PostgreSQL here ({error})")


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty ledger of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.sqlite")
    return request.getfixturevalue("postgres").new_database()


@pytest.fixture
def dump() -> Callable[[str], dict[str, list[tuple]]]:
    """All rows of a ledger by table."""

    def dumped(place: str) -> dict[str, list[tuple]]:
        with reading(ledger_at(place)) as connection:
            return {
                name: sorted((tuple(row) for row in connection.execute(table.select())), key=repr)
                for name, table in METADATA.tables.items()
            }

    return dumped
