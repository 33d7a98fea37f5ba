"""What the command batch does, apart from its options."""

import os
import sys
from multiprocessing import active_children
from pathlib import Path

from handreplay.batch.run import Crew, Workers, run_batch
from handreplay.batch.summary import summary
from handreplay.batch.talk import follower
from handreplay.batch.workers import LocalEngine, Watch, cores
from handreplay.core.plain import plain
from handreplay.errors import HandreplayError, OutputError
from handreplay.report.replay_text import console

INTERRUPTED = 130
_CLUSTER_SLOTS = 1000  # a cluster's workers come and go; it is given what there is to do


def run_command(
    recordings: Path,
    tables: Path,
    out: Path,
    *,
    workers: int | None,
    cluster: str | None,
    ledger: str | None,
    name: str | None = None,
    triage: bool = False,
) -> int:
    """The exit code. Raises HandreplayError when there is nothing to audit or the results cannot be written."""
    if cluster is not None and workers is not None:
        raise HandreplayError("--workers and --cluster do not go together: a cluster has its own workers")
    crew = _local(workers) if cluster is None else _cluster(cluster, out)
    code = _run(recordings, tables, out, crew, ledger, name, triage)
    if active_children():  # a worker still waits for a drive that has gone, and this process would wait for it
        sys.stdout.flush()
        os._exit(code)
    return code


def _run(
    recordings: Path, tables: Path, out: Path, workers: Workers, ledger: str | None, name: str | None, triage: bool
) -> int:
    told = follower()
    try:
        done = run_batch(
            recordings, tables, out, workers=workers, follower=told, ledger=ledger, name=name, triage=triage
        )
    except KeyboardInterrupt:
        print("stopped; what was done is kept, and the same command goes on from there", file=sys.stderr)
        return INTERRUPTED
    for line in summary(done, out):
        console().print(line, markup=False, soft_wrap=True)
    if done.ledger_fault:
        raise OutputError(
            f"the ledger could not be filled: {done.ledger_fault}; handreplay ledger {out} makes it again"
        )
    return done.exit_code


def _local(workers: int | None) -> Workers:
    def start(chains: int, watch: Watch) -> Crew:
        count = max(1, min(workers or cores(), chains))
        return Crew(engine=LocalEngine(count, watch), slots=count, threads=max(1, cores() // max(1, chains)))

    return start


def _cluster(address: str, out: Path) -> Workers:
    def start(chains: int, watch: Watch) -> Crew:
        from handreplay.batch.cluster import open_engine

        def say(line: str) -> None:
            print(plain(line), file=sys.stderr, flush=True)

        engine = open_engine(address, out, say, watch)
        return Crew(engine=engine, slots=_CLUSTER_SLOTS, threads=1)

    return start
