"""A Dask cluster of a test's own on loopback, started with Dask's own commands and gone afterwards."""

import datetime
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

HERE = Path(__file__).parent
START_S, END_S = 120.0, 10.0


@dataclass
class OwnCluster:
    folder: Path
    address: str = ""
    extra: tuple[str, ...] = ()  # options of both commands
    _processes: list[subprocess.Popen] = field(default_factory=list)

    def start_scheduler(self, *options: str) -> None:
        told = self.folder / "scheduler.json"
        own = ["--port", "0", "--scheduler-file", str(told), "--idle-timeout", "10 minutes"]
        self._start("scheduler", *own, *options)
        self.address = wait_for(lambda: json.loads(told.read_text())["address"])

    def start_worker(self, *options: str, **settings: str) -> subprocess.Popen:
        """A process in a group of its own. It ends by itself when it finds no scheduler for a minute."""
        place = ["--local-directory", str(self.folder), "--death-timeout", "60"]
        return self._start("worker", self.address, "--nthreads", "1", *place, *options, **settings)

    def _start(self, command: str, *options: str, **settings: str) -> subprocess.Popen:
        common = ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0", *self.extra]
        with (self.folder / f"{command}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", command, *options, *common],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": str(HERE), "OMP_NUM_THREADS": "1", **settings},
            )
        self._processes.append(process)
        return process

    def workers(self) -> list[psutil.Process]:
        """All processes but the scheduler."""
        return [child for one in self._processes[1:] for child in psutil.Process(one.pid).children(recursive=True)]

    def kill_scheduler(self) -> None:
        self._processes[0].kill()
        self._processes[0].wait()

    def stop(self) -> None:
        """All processes are gone when this returns."""
        for process in reversed(self._processes):
            end(process)


def end(process: subprocess.Popen) -> None:
    for sign, patience_s in ((signal.SIGTERM, END_S), (signal.SIGKILL, END_S)):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_s)
            break
    with suppress(ProcessLookupError):  # a worker whose nanny went before it
        os.killpg(process.pid, signal.SIGKILL)
    wait_for(lambda: not group_lives(process.pid), END_S)


@contextmanager
def worker(own: OwnCluster, *options: str, **settings: str) -> Iterator[subprocess.Popen]:
    process = own.start_worker(*options, **settings)
    try:
        yield process
    finally:
        end(process)


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(ask, patience_s: float = START_S, every_s: float = 0.05):
    """What `ask` gives, as soon as that is something."""
    since = time.monotonic()
    while True:
        with suppress(OSError, ValueError, KeyError):
            if found := ask():
                return found
        assert time.monotonic() - since < patience_s, "waited in vain"
        time.sleep(every_s)


@contextmanager
def cluster(folder: Path, *options: str, extra: tuple[str, ...] = ()) -> Iterator[OwnCluster]:
    """A scheduler with these options, and no workers yet."""
    own = OwnCluster(folder, extra=extra)
    try:
        own.start_scheduler(*options)
        yield own
    finally:
        own.stop()


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that vouches for itself, and its key: enough for scheduler, workers and client to trust each
    other and nobody else."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "own")]),
    )
    start = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=1)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "own.pem", folder / "own.key"
    paths[0].write_bytes(made.public_bytes(Encoding.PEM))
    paths[1].write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return paths
