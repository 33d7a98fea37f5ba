"""A PostgreSQL of the tests' own: a cluster in a temporary folder, on a free loopback port, stopped afterwards."""

import contextlib
import itertools
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

PASSWORD = "s3cret%40word"  # as it stands in a URL
PLAIN_PASSWORD = "s3cret@word"
USER = "auditor"


class NotHereError(Exception):
    """Why there is no PostgreSQL for the tests."""


@dataclass
class Server:
    port: int
    programs: Path
    number: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def url(self, database: str, *, password: str = PASSWORD) -> str:
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"night{next(self.number)}"
        self.run(f"CREATE DATABASE {name}", "postgres")
        return self.url(name)

    def run(self, sql: str, database: str) -> None:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(sql.encode())


def programs() -> Path:
    """The folder with initdb and pg_ctl, which Debian does not put on the path."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for folder in folders:
        if (folder / "initdb").is_file() and (folder / "pg_ctl").is_file():
            return folder
    raise NotHereError("initdb and pg_ctl are not installed")


@contextlib.contextmanager
def server() -> Iterator[Server]:
    """Raises NotHereError when none can be started."""
    folder = Path(tempfile.mkdtemp(prefix="handreplay-postgres-"))
    try:
        own = programs()
        account = _account(folder)
        port = _free_port()
        _make(own, folder, account)
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=20"
        _run([own / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-o", options, "-w", "start"], account)
        try:
            yield Server(port, own)
        finally:
            _run([own / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"], account)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _account(folder: Path) -> dict[str, object]:
    """PostgreSQL refuses to run as root: then as `postgres`, who must own the folder."""
    if os.geteuid() != 0:
        return {}
    try:
        account = pwd.getpwnam("postgres")
    except KeyError:
        raise NotHereError("root may not run it, and there is no user postgres") from None
    os.chown(folder, account.pw_uid, account.pw_gid)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _make(own: Path, folder: Path, account: dict[str, object]) -> None:
    secret = folder / "password"
    secret.write_text(PLAIN_PASSWORD)
    secret.chmod(0o644)
    plain = [own / "initdb", "-D", folder / "data", "-U", USER, "-A", "scram-sha-256", "--pwfile", secret, "--no-sync"]
    plain += ["-E", "UTF8", "--locale", "C.UTF-8"]
    try:  # with the order of a language, which must not show in any answer
        _run([*plain, "--locale-provider=icu", "--icu-locale=en-US"], account)
    except NotHereError:
        shutil.rmtree(folder / "data", ignore_errors=True)
        _run(plain, account)


def _run(command: list[object], account: dict[str, object]) -> None:
    words = [str(word) for word in command]
    try:
        done = subprocess.run(  # output to a file: the server keeps it open
            words,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=90,
            **account,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NotHereError(f"{Path(words[0]).name}: {error}") from None
    if done.returncode:
        raise NotHereError(f"{Path(words[0]).name} ended with {done.returncode}")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])
