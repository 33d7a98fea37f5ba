"""Addresses of ledgers, without any server."""

import pytest

from handreplay.batch.ledger_place import ledger_at
from handreplay.errors import OutputError


@pytest.mark.parametrize("password", ["hidden@tail/rest", "hidden@tail", "a@hidden/tail@x"])
def test_a_password_that_is_not_written_as_it_must_be_is_refused_without_a_part_of_it(password: str) -> None:
    with pytest.raises(OutputError, match="as %40 and so on") as refusal:
        ledger_at(f"postgresql://auditor:{password}@127.0.0.1:5432/casino")
    assert not any(part in str(refusal.value) for part in ("hidden", "tail", "rest"))
