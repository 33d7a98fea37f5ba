"""A batch on a Dask cluster: the same results as on one machine, whatever becomes of its workers."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import av
import pytest

pytest.importorskip("distributed", reason="no Dask here: pip install 'handreplay[cluster]'")

import cluster_tasks
import dask
import own_cluster
import psutil
from batch_profiles import write_profile
from cluster_tasks import task
from own_cluster import OwnCluster, wait_for

from handreplay.batch import cluster_door, cluster_engine
from handreplay.batch.cluster import checked_address, open_engine
from handreplay.batch.cluster_engine import ClusterEngine
from handreplay.batch.work import Failure, Outcome, ReadOutcome
from handreplay.batch.workers import TRIES
from handreplay.errors import ClusterError

SAMPLE = Path(__file__).parents[2] / "sample_footage"
Opened = Callable[..., ClusterEngine]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnCluster]:
    """Two workers, which Dask replaces when they die."""
    with own_cluster.cluster(tmp_path_factory.mktemp("pair")) as own:
        own.start_worker("--nworkers", "2")
        yield own


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnCluster]:
    """A scheduler, whose workers each test starts and ends."""
    with own_cluster.cluster(tmp_path_factory.mktemp("bare")) as own:
        yield own


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What all tasks of a test see. `out` is the batch's, in it."""
    (tmp_path / "out").mkdir()
    return tmp_path


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def opened(folder: Path, said: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Engines that do fake tasks, closed after the test."""
    monkeypatch.setattr(cluster_engine, "APPEAR_S", 60.0)  # the workers of a test are only just being started
    engines: list[ClusterEngine] = []

    def open_one(own: OwnCluster, **options: object) -> ClusterEngine:
        engine = ClusterEngine(
            own.address,
            folder / "out",
            say=said.append,
            perform=cluster_tasks.act,
            **options,  # type: ignore[arg-type]
        )
        engines.append(engine)
        return engine

    yield open_one
    for engine in engines:
        engine.close()


def outcomes(engine: ClusterEngine, count: int) -> dict[str, Outcome]:
    """The next so many, each within a minute."""
    found: dict[str, Outcome] = {}
    alarm = threading.Timer(60.0 * count, os.kill, (os.getpid(), signal.SIGINT))
    alarm.start()
    try:
        for _ in range(count):
            outcome = engine.next_outcome()
            found[outcome.key] = outcome
    finally:
        alarm.cancel()
    return found


def submit(engine: ClusterEngine, folder: Path, *keys: str) -> None:
    for key in keys:
        engine.submit(task(folder, key))


def begun(folder: Path, key: str) -> list[int]:
    """The processes in which a task was begun, in order."""
    path = folder / "began"
    lines = path.read_text().splitlines() if path.exists() else []
    return [int(line.split()[1]) for line in lines if line.split()[0] == key]


def test_each_task_is_done_once_and_what_cannot_be_done_is_told(
    pair: OwnCluster, folder: Path, opened: Opened, said: list[str]
) -> None:
    engine = opened(pair)
    submit(engine, folder, "do-1", "refuse-1", "fail-1", "do-2", "do-3")
    found = outcomes(engine, 5)
    assert {key for key, outcome in found.items() if isinstance(outcome, ReadOutcome)} == {"do-1", "do-2", "do-3"}
    assert found["refuse-1"] == Failure(key="refuse-1", reason="not a recording")
    fault = found["fail-1"]
    assert isinstance(fault, Failure) and "ZeroDivisionError" in fault.reason and "\n" not in fault.reason
    assert all(len(begun(folder, key)) == 1 for key in found)
    assert said == []


def test_two_workers_do_two_tasks_at_a_time_and_tell_how_far_they_are(
    pair: OwnCluster, folder: Path, opened: Opened
) -> None:
    told: list[tuple[str, float, float | None]] = []
    engine = opened(pair, watch=lambda *how_far: told.append(how_far))
    submit(engine, folder, "wait-1", "wait-2")

    def let_go() -> None:
        wait_for(lambda: begun(folder, "wait-1") and begun(folder, "wait-2"))
        wait_for(lambda: {key for key, _, _ in told} == {"wait-1", "wait-2"})
        (folder / "go").touch()

    thread = threading.Thread(target=let_go)
    thread.start()
    found = outcomes(engine, 2)
    thread.join()
    assert len({outcome.sha256 for outcome in found.values() if isinstance(outcome, ReadOutcome)}) == 2
    assert all(0.0 <= seconds <= 30.0 and promised == 30.0 for _, seconds, promised in told)


def test_a_task_whose_worker_dies_is_done_by_another(
    pair: OwnCluster, folder: Path, opened: Opened, said: list[str]
) -> None:
    engine = opened(pair)
    submit(engine, folder, "wait-1", "wait-2", "do-1")

    def kill() -> None:
        [victim] = wait_for(lambda: begun(folder, "wait-1") and begun(folder, "wait-2") and begun(folder, "wait-1"))
        os.kill(victim, signal.SIGKILL)
        wait_for(lambda: len(begun(folder, "wait-1")) == 2)
        (folder / "go").touch()

    thread = threading.Thread(target=kill)
    thread.start()
    found = outcomes(engine, 3)
    thread.join()
    assert all(isinstance(outcome, ReadOutcome) for outcome in found.values())
    first, second = begun(folder, "wait-1")
    assert first != second
    assert len(begun(folder, "wait-2")) == len(begun(folder, "do-1")) == 1
    assert len(said) == 1 and "the worker ended" in said[0]


def test_a_task_that_ends_every_worker_fails_after_the_second_and_takes_no_other_with_it(
    pair: OwnCluster, folder: Path, opened: Opened
) -> None:
    engine = opened(pair)
    keys = [f"do-{number}" for number in range(8)]
    submit(engine, folder, *keys[:4], "kill-1", *keys[4:])
    found = outcomes(engine, 9)
    assert found.pop("kill-1") == Failure(key="kill-1", reason="reading it ended 2 workers")
    assert len(set(begun(folder, "kill-1"))) == 2
    assert set(found) == set(keys) and all(isinstance(outcome, ReadOutcome) for outcome in found.values())


def test_a_reading_that_stands_still_is_given_up_and_its_worker_used_again_when_it_has_ended(
    pair: OwnCluster, folder: Path, opened: Opened, said: list[str]
) -> None:
    engine = opened(pair, silent_s=0.5)
    submit(engine, folder, "halt-1", "halt-2")
    found = outcomes(engine, 2)
    assert all(isinstance(outcome, Failure) and "nothing came" in outcome.reason for outcome in found.values())
    assert len(said) == 2 and all("stands still" in line for line in said)
    submit(engine, folder, "do-1")
    (folder / "go").touch()
    assert isinstance(outcomes(engine, 1)["do-1"], ReadOutcome)


def test_leaving_takes_tasks_back_and_leaves_the_cluster_and_the_folder_as_they_were(
    pair: OwnCluster, folder: Path, opened: Opened
) -> None:
    engine = opened(pair)
    submit(engine, folder, "wait-1", "wait-2", "do-1")

    def interrupt() -> None:
        wait_for(lambda: begun(folder, "wait-1") and begun(folder, "wait-2"))
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        engine.next_outcome()
    thread.join()
    engine.close()
    assert list((folder / "out").iterdir()) == []
    wait_for(lambda: (folder / "noticed").exists())
    again = opened(pair)
    submit(again, folder, "do-2")
    assert set(outcomes(again, 1)) == {"do-2"}
    assert begun(folder, "do-1") == []


def test_without_a_worker_the_batch_waits_for_one_to_come_back_and_stops_in_one_line_when_none_does(
    bare: OwnCluster, folder: Path, opened: Opened, said: list[str]
) -> None:
    with own_cluster.worker(bare):
        patient, hasty = opened(bare, patience_s=60.0), opened(bare, patience_s=1.0)
        submit(patient, folder, "kill-1", "do-1")
        found = outcomes(patient, 2)
        assert isinstance(found["kill-1"], Failure) and isinstance(found["do-1"], ReadOutcome)
        assert any("no worker is left; waiting 60 s" in line for line in said)
        assert said[-1].endswith("a worker is there again")
    submit(hasty, folder, "do-2")
    with pytest.raises(ClusterError, match="no worker came back within 1 s; what was done is kept"):
        outcomes(hasty, 1)


def test_a_worker_that_comes_back_under_its_address_is_not_given_what_ended_it_for_ever(
    bare: OwnCluster, folder: Path, opened: Opened
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    with own_cluster.worker(bare, "--worker-port", port):
        engine = opened(bare)
        submit(engine, folder, "kill-1", "do-1")
        found = outcomes(engine, 2)
    assert isinstance(found["kill-1"], Failure) and isinstance(found["do-1"], ReadOutcome)
    of_each_try = dask.config.get("distributed.scheduler.allowed-failures") + 1
    assert len(begun(folder, "kill-1")) <= TRIES * of_each_try  # by then the scheduler, too, gives it out no more


def test_a_scheduler_that_goes_is_waited_for_and_not_held_against_tasks(
    folder: Path, opened: Opened, said: list[str]
) -> None:
    with own_cluster.cluster(folder) as own:
        own.start_worker("--no-nanny")
        engine = opened(own, patience_s=1.0)
        submit(engine, folder, "wait-1")
        thread = threading.Thread(target=lambda: (wait_for(lambda: begun(folder, "wait-1")), own.kill_scheduler()))
        thread.start()
        with pytest.raises(ClusterError, match="no worker came back within 1 s"):
            outcomes(engine, 1)
        thread.join()
        (folder / "go").touch()
    assert said == [f"{own.address}: the scheduler does not answer; waiting 1 s for one that comes back"]


def test_a_cluster_without_workers_is_told_how_to_get_some(
    bare: OwnCluster, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_engine, "APPEAR_S", 0.2)
    with pytest.raises(ClusterError, match=f"no workers; start some with: dask worker {bare.address} "):
        opened(bare)


def test_a_worker_that_does_not_see_the_folder_is_named(bare: OwnCluster, folder: Path, opened: Opened) -> None:
    with (
        own_cluster.worker(bare, "--no-nanny", "--preload", "blindfold", HIDDEN=str(folder / "out")),
        pytest.raises(ClusterError) as error,
    ):
        opened(bare)
    line = str(error.value)
    assert line.startswith("tcp://127.0.0.1:") and f"{folder / 'out'} does not see it" in line
    assert list((folder / "out").iterdir()) == []


def test_a_recording_that_a_worker_does_not_see_is_left_to_one_that_does(
    bare: OwnCluster, folder: Path, opened: Opened, said: list[str]
) -> None:
    drive = folder / "drive"
    drive.mkdir()
    for name in ("do-1", "do-2", "do-3"):
        (drive / name).write_bytes(b"a recording")
    with own_cluster.worker(bare, "--no-nanny", "--preload", "blindfold", HIDDEN=str(drive)):
        engine = opened(bare)
        submit(engine, drive, "do-1")
        failure = outcomes(engine, 1)["do-1"]
        assert isinstance(failure, Failure)
        assert failure.reason.startswith(f"no worker of the cluster sees {drive / 'do-1'}; all machines need the same")
        with own_cluster.worker(bare, "--no-nanny"):
            engine = wait_for(lambda: two_are_fit(opened(bare)))
            submit(engine, drive, "do-2", "do-3")
            found = outcomes(engine, 2)
    assert all(isinstance(outcome, ReadOutcome) for outcome in found.values())
    assert len(said) == 1 and f"does not see {drive}" in said[0]


def two_are_fit(engine: ClusterEngine) -> ClusterEngine | None:
    return engine if len(engine._workers) == 2 else None


def test_machines_with_another_handreplay_are_refused_and_one_that_joins_later_is_passed_over(
    bare: OwnCluster, folder: Path, opened: Opened, said: list[str]
) -> None:
    with own_cluster.worker(bare, "--no-nanny"):
        engine = opened(bare)
        with own_cluster.worker(bare, "--no-nanny", "--preload", "other_version"):
            with pytest.raises(
                ClusterError, match=r"has handreplay 0\.0\.1, this machine [0-9.]+; install the same on all"
            ):
                wait_for(lambda: two_are_fit(opened(bare)))
            submit(engine, folder, "do-1", "do-2")
            assert len({outcome.sha256 for outcome in outcomes(engine, 2).values()}) == 1  # type: ignore[union-attr]
            wait_for(lambda: engine._look_round() or said)
    assert len(said) == 1 and said[0].endswith("; this worker is passed over")


def test_a_scheduler_with_another_handreplay_is_named_itself(folder: Path, opened: Opened) -> None:
    with (
        own_cluster.cluster(folder, "--preload", "other_version") as own,
        pytest.raises(ClusterError, match=f"^{own.address}: has handreplay 0.0.1, this machine "),
    ):
        opened(own)


@pytest.mark.parametrize(
    ("given", "meant", "is_safe"),
    [
        ("127.0.0.1:8786", "tcp://127.0.0.1:8786", True),
        ("tcp://localhost:8786/", "tcp://localhost:8786", True),
        (" tcp://[::1]:8786 ", "tcp://[::1]:8786", True),
        ("tls://audit.example:8786", "tls://audit.example:8786", True),
        ("tcp://10.0.0.7:8786", "tcp://10.0.0.7:8786", False),
        ("audit.example:8786", "tcp://audit.example:8786", False),
    ],
)
def test_an_address_that_strangers_can_reach_is_told_from_one_that_they_cannot(
    given: str, meant: str, is_safe: bool
) -> None:
    assert checked_address(given) == (meant, is_safe)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "8786",
        "localhost",
        "tcp://localhost",
        "tcp://:8786",
        "localhost:0",
        "localhost:65536",
        "a b:1",
        "http://localhost:8787",
        "tcp://localhost:8786/status",
        "tcp://me:secret@localhost:8786",
        "tcp://a\n:1",
    ],
)
def test_what_is_no_address_is_refused_in_one_line(given: str) -> None:
    with pytest.raises(
        ClusterError, match="is not the address of a Dask scheduler; give it as tcp://HOST:PORT"
    ) as error:
        checked_address(given)
    assert "\n" not in str(error.value)


def refusal(address: str, out: Path) -> str:
    with pytest.raises(ClusterError) as error:
        open_engine(address, out, lambda line: None, lambda key, seconds, promised: None)
    assert list(out.iterdir()) == []
    return str(error.value)


def test_a_door_that_nobody_answers_is_told_apart_from_one_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_door, "CONNECT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        assert "did not answer within 0 s; is dask scheduler running there" in refusal(address, tmp_path)
    assert "cannot be reached (Connection refused)" in refusal(address, tmp_path)
    assert "cannot be reached" in refusal("tcp://no-such-host.invalid:8786", tmp_path)


def test_another_server_is_not_taken_for_a_scheduler(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            with closing(server.accept()[0]) as called:
                called.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n")

        threading.Thread(target=greet).start()
        assert "what answers there is no Dask scheduler" in refusal(
            f"tcp://127.0.0.1:{server.getsockname()[1]}", tmp_path
        )


def test_an_encrypted_cluster_is_open_to_those_with_its_certificate_only(
    folder: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_door, "CONNECT_S", 2.0)
    cert, key = map(str, own_cluster.certificate(folder))
    extra = ("--protocol", "tls", "--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key)
    with own_cluster.cluster(folder, extra=extra) as own:
        out, plain = folder / "out", own.address.replace("tls://", "tcp://")
        assert "needs certificates; name them to Dask with DASK_" in refusal(own.address, out)
        assert "is its address tcp:// or tls://?" in refusal(plain, out)
        own.start_worker("--no-nanny")
        tls = {"distributed.comm.tls.ca-file": cert}
        client = {f"distributed.comm.tls.client.{name}": path for name, path in (("cert", cert), ("key", key))}
        with dask.config.set({**tls, **client}):
            engine = opened(own)
            submit(engine, folder, "do-1")
            assert isinstance(outcomes(engine, 1)["do-1"], ReadOutcome)
            engine.close()
        stranger = folder / "stranger"
        stranger.mkdir()
        other = dict(zip(client, map(str, own_cluster.certificate(stranger)), strict=True))
        with dask.config.set({"distributed.comm.tls.ca-file": str(stranger / "own.pem"), **other}):
            assert "are the certificates those of this cluster" in refusal(own.address, out)


def test_without_dask_the_extra_is_named(tmp_path: Path) -> None:
    program = """
import sys
class NoDask:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("dask", "distributed"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, NoDask())
from handreplay.cli import main
main()
"""
    call = [
        "batch",
        str(SAMPLE),
        "--tables",
        str(SAMPLE),
        "--out",
        str(tmp_path / "out"),
        "--cluster",
        "localhost:8786",
    ]
    done = subprocess.run([sys.executable, "-c", program, *call], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("--cluster needs Dask: pip install 'handreplay[cluster]'")
    assert "Traceback" not in done.stderr


@pytest.fixture
def night(folder: Path) -> Path:
    """Two tables, one of them in two recordings that follow each other; all but the first recording are short."""
    for table in ("T1", "T2"):
        write_profile(folder / "tables", table)
    recordings = folder / "recordings"
    recordings.mkdir()
    cut_at_key_pictures(SAMPLE / "uth-sample.mp4", [recordings / name for name in ("a.mp4", "b.mp4", "c.mp4")])
    (recordings / "night.csv").write_text(
        "file,table,start,dealer\n"
        "a.mp4,T1,2026-11-30T01:10:00-05:00,Kim\n"
        "b.mp4,T1,2026-11-30T01:10:04-05:00,Kim\n"
        "c.mp4,T2,2026-11-30T01:10:00-05:00,Lee\n"
    )
    return folder


def cut_at_key_pictures(source: Path, pieces: list[Path]) -> None:
    """A recording for each of the first groups of pictures, or but a second of it, without coding anything anew."""
    with av.open(str(source)) as whole:
        stream = whole.streams.video[0]
        groups: list[list[av.Packet]] = []
        for packet in whole.demux(stream):
            if packet.is_keyframe and len(groups) == len(pieces):
                break
            if packet.is_keyframe:
                groups.append([])
            if len(groups) == 1 or len(groups[-1]) < 15:
                groups[-1].append(packet)
        for path, group in zip(pieces, groups, strict=True):
            with av.open(str(path), "w") as piece:
                copy, origin = piece.add_stream_from_template(stream), group[0].dts
                for packet in group:
                    packet.pts, packet.dts, packet.stream = packet.pts - origin, packet.dts - origin, copy
                    piece.mux(packet)


def batch(night: Path, out: str, *options: str) -> subprocess.Popen:
    call = ["batch", "recordings/night.csv", "--tables", "tables", "--out", out, *options]
    program = "from handreplay.cli import main; main()"
    return subprocess.Popen([sys.executable, "-c", program, *call], cwd=night, stderr=subprocess.PIPE, text=True)


def kill_reader(own: OwnCluster, folder: Path) -> bool:
    """End the worker that is writing what it sees, if there is one."""
    for process in own.workers() if folder.exists() else ():
        with suppress(psutil.Error):
            if any(Path(file.path).is_relative_to(folder) for file in process.open_files()):
                process.kill()
                return True
    return False


def tree(folder: Path) -> dict[str, bytes]:
    """All files, but for what a worker that was killed left half written, which the next batch clears away."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    found = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    return {name: content for name, content in found.items() if "/.handreplay-" not in name}


def test_a_cluster_gives_the_same_bytes_as_this_machine_though_a_worker_dies_in_the_middle_of_a_recording(
    pair: OwnCluster, night: Path, dump: Callable[[str], dict[str, list[tuple]]]
) -> None:
    on_cluster = batch(night, "there/night", "--cluster", pair.address)
    wait_for(lambda: kill_reader(pair, night / "there" / "night" / "read"), every_s=0.2)
    there = on_cluster.communicate(timeout=300)[1]
    on_this_machine = batch(night, "here/night")
    here = on_this_machine.communicate(timeout=300)[1]
    assert on_cluster.returncode == on_this_machine.returncode, (there, here)
    assert there.count("the worker ended") == 1 and "set aside:" not in there
    ledgers = [str(night / place / "night" / "ledger.sqlite") for place in ("here", "there")]
    assert dump(ledgers[0]) == dump(ledgers[1])
    ours, its = tree(night / "here"), tree(night / "there")
    assert {name for name in ours if "/runs/T1/" in name} and "night/batch.json" in ours
    assert ours.keys() == its.keys()
    assert [name for name in ours if ours[name] != its[name] and not name.endswith("ledger.sqlite")] == []
