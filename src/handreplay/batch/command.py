"""What the command batch does, apart from its options."""

import sys
from pathlib import Path

from handreplay.batch.run import Watch, Workers, run_batch
from handreplay.batch.summary import summary
from handreplay.batch.talk import follower, plain
from handreplay.batch.work import Engine
from handreplay.batch.workers import LocalEngine, cores
from handreplay.errors import HandreplayError
from handreplay.report.replay_text import console

INTERRUPTED = 130
_CLUSTER_SLOTS = 1000  # a cluster's workers come and go; it is given what there is to do


def run_command(
    recordings: Path, tables: Path, out: Path, *, workers: int | None, cluster: str | None, ledger: str | None
) -> int:
    """The exit code. Raises HandreplayError when there is nothing to audit or the results cannot be written."""
    if cluster is not None and workers is not None:
        raise HandreplayError("--workers and --cluster do not go together: a cluster has its own workers")
    source = _local(workers) if cluster is None else _cluster(cluster, out)
    try:
        done = run_batch(recordings, tables, out, workers=source, follower=follower(), ledger=ledger)
    except KeyboardInterrupt:
        print("stopped; what was done is kept, and the same command goes on from there", file=sys.stderr)
        return INTERRUPTED
    for line in summary(done, out):
        console().print(line, markup=False, soft_wrap=True)
    return done.exit_code


def _local(workers: int | None) -> Workers:
    def start(chains: int, watch: Watch) -> tuple[Engine, int]:
        count = max(1, min(workers or cores(), chains))
        return LocalEngine(count, watch), count

    return start


def _cluster(address: str, out: Path) -> Workers:
    def start(chains: int, watch: Watch) -> tuple[Engine, int]:
        from handreplay.batch.cluster import open_engine

        return open_engine(address, out, lambda line: print(plain(line), file=sys.stderr, flush=True)), _CLUSTER_SLOTS

    return start
