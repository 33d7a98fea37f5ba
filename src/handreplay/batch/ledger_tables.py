"""The tables of the ledger, the same in SQLite and in PostgreSQL.

Amounts are whole cents, NULL where they cannot be told. Times in UTC are texts such as `2026-11-30T06:10:00.000Z`,
which sort as they pass and read the same in both; `..._local` is the same moment in the table's own time zone, with
its offset. Seconds (`..._s`) run from the first picture of the recording.

A row is known by its batch and its recording, so that tables join without numbers that mean nothing:
`SELECT ... FROM findings JOIN rounds USING (batch, recording, round)`. Each batch's rows are its own; the view `copies`
names the recordings that another batch has as well and that a sum over all batches therefore leaves out.
"""

from typing import Any

from sqlalchemy import BigInteger, Column, Double, Integer, MetaData, Select, Table, Text, case, column, func, select
from sqlalchemy import table as table_of
from sqlalchemy.types import TypeEngine

SCHEMA = "handreplay.ledger/2"

METADATA = MetaData()
# compared byte by byte in both: PostgreSQL would go by the language of the database
TEXT: TypeEngine[str] = Text().with_variant(Text(collation="C"), "postgresql")


def _key(name: str, kind: TypeEngine[Any] = TEXT) -> Column[Any]:
    return Column(name, kind, primary_key=True, autoincrement=False, nullable=False)


def _text(name: str) -> Column[str]:
    return Column(name, TEXT)


def _whole(name: str) -> Column[int]:
    return Column(name, Integer)


def _cents(name: str) -> Column[int]:
    return Column(name, BigInteger)


def _seconds(name: str) -> Column[float]:
    return Column(name, Double)


LEDGER = Table("ledger", METADATA, _key("schema"))

BATCHES = Table(
    "batches",
    METADATA,
    _key("batch"),
    _text("id"),  # what the batch's folder says of itself
    _text("folder"),  # absolute; a dot when the ledger lies in it
    _whole("filled"),  # 1, 2, ... in the order in which batches were filled in last; 0: not yet
)

RECORDINGS = Table(
    "recordings",
    METADATA,
    _key("batch"),
    _key("recording"),
    _text("table_id"),  # NULL: no table could be told
    _text("time_zone"),
    _text("game"),
    _text("rules"),
    _text("dealer"),
    _text("start_utc"),
    _text("start_local"),
    _seconds("expected_s"),  # as long as the file says it is
    _seconds("read_s"),  # of that, with pictures that were looked at
    _seconds("judged_s"),  # of that, looked at closely and in no round of which something stayed open
    _text("state"),  # waiting, read, audited, set aside
    _text("reason"),
    _text("speed"),  # full, triage
    _cents("bytes"),
    _text("sha256"),
    _text("run"),  # its run folder below the batch's folder
    _text("fingerprint"),  # of all rows of the recording
)

HOLES = Table(
    "holes",
    METADATA,
    _key("batch"),
    _key("recording"),
    _key("number", Integer()),
    _text("table_id"),
    _text("kind"),  # not read; passed over (by a triage)
    _seconds("start_s"),
    _seconds("end_s"),
    _text("reason"),
)

MISSING = Table(
    "missing",  # time of a table of which there is no recording
    METADATA,
    _key("batch"),
    _key("number", Integer()),
    _text("table_id"),
    _text("start_utc"),
    _text("start_local"),
    _seconds("seconds"),
)

ROUNDS = Table(
    "rounds",
    METADATA,
    _key("batch"),
    _key("recording"),  # in which the round begins
    _key("round", Integer()),
    _text("table_id"),
    _text("dealer"),
    _text("game"),
    _text("rules"),
    _seconds("start_s"),
    _seconds("end_s"),
    _text("start_utc"),
    _text("start_local"),
    _whole("local_hour"),
    _text("verdict"),  # clean, finding, review, incomplete
    _text("judged"),  # yes; no: it is not whole in the footage, or a person is asked
    _text("partial"),  # what is missing of a round that is not whole in the footage
)

WAGERS = Table(
    "wagers",  # a row for each row of a settlement
    METADATA,
    _key("batch"),
    _key("recording"),
    _key("round", Integer()),
    _key("number", Integer()),
    _text("table_id"),
    _text("dealer"),
    _text("game"),
    _text("start_utc"),  # of the round
    _text("start_local"),
    _whole("local_hour"),
    _whole("seat"),
    _text("wager"),
    _cents("staked_cents"),
    _text("expected_result"),
    _cents("expected_cents"),  # what the house adds to the wager
    _text("observed_result"),
    _cents("observed_cents"),
    _text("verdict"),  # right, wrong, open
    _text("code"),  # of the finding that says so
)

FINDINGS = Table(
    "findings",
    METADATA,
    _key("batch"),
    _key("recording"),
    _key("number", Integer()),
    _whole("round"),
    _text("table_id"),
    _text("dealer"),
    _text("game"),
    _text("start_utc"),  # of the round
    _text("start_local"),
    _whole("local_hour"),
    _text("kind"),  # fault: confirmed or probable; asked: a person has to look
    _text("code"),
    _text("name"),
    _text("status"),  # confirmed, probable, review
    _seconds("confidence"),
    _whole("seat"),
    _text("wager"),
    _seconds("t_s"),
    _cents("frame"),  # of the picture on show then, where one was kept
    _text("at_utc"),
    _text("at_local"),
    _text("look_recording"),  # where to look: a round may run on into the next recording
    _seconds("look_s"),
    _cents("expected_cents"),
    _cents("observed_cents"),
    _cents("variance_cents"),  # what the player ended up with less what the rules give
    _text("citation"),
    _text("basis"),
    _text("remedy"),
    _text("message"),
    _text("picture"),  # the first one, below the run folder
)

OF_A_RECORDING = (RECORDINGS, HOLES, ROUNDS, WAGERS, FINDINGS)

COPIES = table_of("copies", *(column(name, Text()) for name in ("batch", "recording", "of_batch")))  # a view


def copies() -> Select[Any]:
    """What the view holds: recordings (by SHA-256 and table) that count for another batch, and for which.

    An audited one counts before others, one audited in full before one that was triaged, then that of the batch that
    was filled in last.
    """
    r = RECORDINGS.c
    rank = (case((r.state == "audited", 0), else_=1), case((r.speed == "full", 0), else_=1), BATCHES.c.filled.desc())
    counts = func.first_value(r.batch).over(partition_by=(r.table_id, r.sha256), order_by=(*rank, r.batch))
    known = r.sha256.is_not(None) & r.table_id.is_not(None)
    each = (
        select(r.batch, r.recording, counts.label("of_batch"))
        .join_from(RECORDINGS, BATCHES, BATCHES.c.batch == r.batch)
        .where(known)
        .subquery()
    )
    return select(each.c.batch, each.c.recording, each.c.of_batch).where(each.c.batch != each.c.of_batch)
