"""Plays a round log as an overhead film with its truth beside it, for `handreplay evaluate FOLDER`.

    python -m handreplay.synth.scripted LOG.rounds.jsonl --table T.table.toml --out FOLDER

writes NAME.mp4, NAME.table.toml (with the film's exact calibration), NAME.rounds.jsonl (the log as it was filmed) and,
where an expected.json lies beside the log, NAME.expected.json. The same log and seed always give the same film.

    python -m handreplay.synth.scripted LOGS --out FOLDER

films every LOGS/NAME.rounds.jsonl with the NAME.table.toml beside it, each with a look and a camera of its own.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from math import ceil
from pathlib import Path

import numpy as np

from handreplay.config import load_profile
from handreplay.core.events import Round
from handreplay.core.roundlog import read_rounds, write_rounds
from handreplay.errors import HandreplayError, LogError, ModelError, OutputError
from handreplay.synth.scripted_acts import Director
from handreplay.synth.scripted_camera import CAMERAS, film_camera
from handreplay.synth.scripted_layout import Layout
from handreplay.vision.calibration import Calibration

DEFAULT_SIZE, DEFAULT_FPS = (1920, 1080), 15.0


@dataclass(frozen=True)
class Order:
    """One film that is to be made. `camera` None: as the seed has it."""

    log: Path
    table: Path
    out: Path
    name: str
    seed: int = 1
    camera: str | None = None
    size: tuple[int, int] = DEFAULT_SIZE
    fps: float = DEFAULT_FPS
    only_round: int | None = None


def orders_of(folder: Path, out: Path, first: Order) -> list[Order]:
    """An order for each log of a folder, in the order of their names; seeds count up, cameras take turns.

    Raises LogError where there is none.
    """
    logs = sorted(folder.glob("*.rounds.jsonl"))
    if not logs:
        raise LogError(f"{folder}: holds no NAME.rounds.jsonl to film")
    orders = []
    for number, log in enumerate(logs):
        name = _stem(log)
        camera = first.camera or CAMERAS[number % len(CAMERAS)]
        table = log.with_name(f"{name}.table.toml")
        orders.append(replace(first, log=log, table=table, out=out, name=name, seed=first.seed + number, camera=camera))
    return orders


def make_film(order: Order) -> Path:
    """Make a film and its truth; the film's path. Raises HandreplayError for what cannot be read, filmed or written."""
    rounds = read_rounds(order.log)
    if order.only_round is not None:
        rounds = tuple(round_ for round_ in rounds if round_.number == order.only_round)
        if not rounds:
            raise LogError(f"{order.log}: has no round {order.only_round}")
    try:
        order.out.mkdir(parents=True, exist_ok=True)
        profile_path = order.out / f"{order.name}.table.toml"
        _write_profile(order, profile_path)
        film = order.out / f"{order.name}.mp4"
        filmed = _film(order, profile_path, rounds, film)
        write_rounds(order.out / f"{order.name}.rounds.jsonl", filmed)
        expected = _expected(order.log)
        if expected is not None:
            _write_expected(expected, order)
    except OSError as error:
        raise OutputError(f"{order.out}: cannot be written ({error.strerror or error})") from None
    return film


def _stem(log: Path) -> str:
    return log.name.removesuffix(".jsonl").removesuffix(".rounds")


def _expected(log: Path) -> Path | None:
    """The expected findings beside a log, of its name or of the folder."""
    stem = _stem(log)
    return next(
        (path for path in (log.with_name(f"{stem}.expected.json"), log.with_name("expected.json")) if path.is_file()),
        None,
    )


def _write_profile(order: Order, path: Path) -> None:
    """The profile with the camera of this film; one that it has already is left out."""
    rng = np.random.default_rng([order.seed, 3])
    profile = load_profile(order.table)
    kind = order.camera or str(rng.choice(CAMERAS))
    camera = film_camera(kind, order.size, [zone.polygon for zone in profile.zones], rng)
    text = order.table.read_text("utf-8-sig")
    text = re.sub(r"(?ms)^\[camera\].*?(?=^\[|\Z)", "", text)
    path.write_text(f"{text.rstrip()}\n\n{camera.as_toml()}", "utf-8")


def _film(order: Order, profile_path: Path, rounds: Sequence[Round], path: Path) -> list[Round]:
    if find_spec("PIL") is None:
        raise ModelError("drawing cards needs Pillow; in the checkout run: pip install '.[train]'")
    from handreplay.synth.scripted_film import Film, record
    from handreplay.synth.scripted_look import film_look, printed_felt

    profile = load_profile(profile_path)
    rng = np.random.default_rng([order.seed, 6])
    layout = Layout(
        {zone.name: zone.polygon for zone in profile.zones},
        upright_for_dealer=bool(rng.random() < 0.5),
        fanned=bool(rng.random() < 0.6),
    )
    director = Director(layout, order.seed, float(rng.uniform(0.92, 1.1)))
    director.play(rounds, order.log.name)
    look = film_look(profile, order.seed, order.size)
    felt = printed_felt(profile, layout, order.seed)
    held = profile.table.dealing == "hand"
    film = Film(Calibration.from_profile(profile), look, felt, director.script(), order.seed, held)
    record(path, film.pictures(order.fps), order.size, order.fps, look.bitrate)
    return [_with_frames(round_, order.fps, path.name) for round_ in director.filmed]


def _with_frames(round_: Round, fps: float, file: str) -> Round:
    events = tuple(replace(event, frame=ceil(event.t * fps - 1e-6)) for event in round_.events)
    return replace(round_, events=events, source={"file": file})


def _write_expected(path: Path, order: Order) -> None:
    document = json.loads(path.read_text("utf-8"))
    if order.only_round is not None:
        for key in ("rounds", "findings"):
            document[key] = [entry for entry in document.get(key, ()) if entry.get("round") == order.only_round]
    (order.out / f"{order.name}.expected.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def _size(text: str) -> tuple[int, int]:
    wide, _, high = text.partition("x")
    if not (wide.isdecimal() and high.isdecimal() and int(wide) % 2 == int(high) % 2 == 0 and int(wide) >= 320):
        raise argparse.ArgumentTypeError(f"{text}: give an even width and height, such as 1920x1080")
    return int(wide), int(high)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m handreplay.synth.scripted", description=__doc__.splitlines()[0])
    parser.add_argument("log", type=Path, help="a round log, or a folder of them")
    parser.add_argument("--table", type=Path, help="the table's profile; in a folder each log's own")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--camera", choices=CAMERAS)
    parser.add_argument("--size", type=_size, default=DEFAULT_SIZE)
    parser.add_argument("--fps", type=float, default=DEFAULT_FPS)
    parser.add_argument("--round", type=int, dest="only_round")
    given = parser.parse_args(arguments)
    if given.table is None and not given.log.is_dir():
        parser.error("--table is needed to film one log")
    given.name, given.table = given.name or _stem(given.log), given.table or given.log
    order = Order(**vars(given))
    try:
        for each in orders_of(given.log, given.out, order) if given.log.is_dir() else [order]:
            print(make_film(each), flush=True)
    except HandreplayError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
