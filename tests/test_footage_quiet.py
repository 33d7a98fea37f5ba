"""Where nothing happens only key pictures are decoded; where anything does, everything is, as without."""

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from handreplay.core.timeline import Gap
from handreplay.footage import Frame, Tally, pictures, shown_at
from handreplay.footage_quiet import KEYS_AT_ONCE, LEAST_LEARNED
from tests.clips import cut, record, remux

SIZE = (192, 128)
COUNT, GROUP = 625, 25  # 25 seconds, of which the first eight or so are needed to learn what quiet weighs
BACK = np.random.default_rng(3).integers(60, 120, (SIZE[1] // 8, SIZE[0] // 8, 3), np.uint8).repeat(8, 0).repeat(8, 1)
NOISE = np.random.default_rng(4).normal(0, 4, (2 * SIZE[1], 2 * SIZE[0], 1)).astype(np.float32)


def idle(number: int) -> np.ndarray:
    """A scene that stands still, as a camera with some noise sees it."""
    left, top = number * 37 % SIZE[0], number * 53 % SIZE[1]
    noise = NOISE[top : top + SIZE[1], left : left + SIZE[0]]
    return np.clip(BACK + noise, 0, 255).astype(np.uint8)


def with_chip(first: int, last: int, radius: int = 8):
    """The scene with a disc in it from one picture to another."""

    def draw(number: int) -> np.ndarray:
        picture = idle(number)
        if first <= number <= last:
            cv2.circle(picture, (100, 64), radius, (200, 40, 40), -1)
        return picture

    return draw


@dataclass
class Watch:
    """Compares pictures in patches of 8 by 8; says that all is at rest once enough pictures were the same."""

    after: int = 50
    last: np.ndarray | None = None
    still: int = 0

    def see(self, frame: Frame) -> None:
        now = self._patches(frame)
        self.still = self.still + 1 if self.last is not None and self._alike(now) else 0
        self.last = now

    def at_rest(self) -> bool:
        return self.still >= self.after

    def unchanged(self, later: Frame) -> bool:
        return self._alike(self._patches(later))

    def _alike(self, now: np.ndarray) -> bool:
        return bool(np.abs(now - self.last).max() < 8)

    @staticmethod
    def _patches(frame: Frame) -> np.ndarray:
        luma = frame.luma.astype(float)
        return luma.reshape(luma.shape[0] // 8, 8, luma.shape[1] // 8, 8).mean(axis=(1, 3))


def read(path: Path, watch: Watch | None) -> tuple[dict[Fraction, tuple[int, str]], list[Gap], Tally]:
    """What is shown, by its time: number and hash; the gaps; the tally."""
    shown, gaps, tally = {}, [], Tally()
    for item in pictures(path, tally=tally, stillness=watch):
        if isinstance(item, Gap):
            gaps.append(item)
            if watch is not None:
                watch.still, watch.last = 0, None
            continue
        shown[item.seconds] = item.index, hashlib.sha256(np.ascontiguousarray(item.luma)).hexdigest()
        if watch is not None:
            watch.see(item)
    return shown, gaps, tally


def make(path: Path, draw=idle, **options) -> Path:
    return record(path, COUNT, draw=draw, key_every=GROUP, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("quiet")


@pytest.fixture(scope="module")
def still(folder):
    return make(folder / "still.mp4", container_options={"movflags": "+faststart"})


@pytest.fixture(scope="module")
def all_of_it(still):
    return read(still, None)[0]


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv", "b-frames.mp4"])
def test_most_of_an_idle_recording_is_passed_over_and_what_is_shown_is_the_same(tmp_path, still, name):
    if name.startswith("b"):
        path = make(tmp_path / name, b_frames=2)
    else:
        path = still if name.endswith("mp4") else remux(still, tmp_path / name)
    straight, _, _ = read(path, None)
    shown, gaps, tally = read(path, Watch())
    assert shown.items() < straight.items()
    assert len(shown) == tally.shown < COUNT * 0.6
    assert (gaps, tally.whole, tally.times, tally.steps.keys()) == ([], True, "exact", read(path, None)[2].steps.keys())
    assert tally.packets == tally.pictures == COUNT == tally.shown + tally.passed_over
    assert max(shown) == max(straight) == tally.seconds


def test_passed_over_seconds_are_those_between_the_pictures_shown(still):
    shown, _, tally = read(still, Watch())
    steps = [b - a for a, b in pairwise(shown)]
    assert Fraction(tally.passed_over_microseconds, 1_000_000) == sum(step for step in steps if step > Fraction(1, 25))
    assert max(steps) <= 4


def longest_run(path: Path) -> int:
    """Stretches passed over in a row."""
    times = list(read(path, Watch())[0])
    passed = "".join("x" if after - before > Fraction(1, 25) else " " for before, after in pairwise(times))
    return max(map(len, passed.split()))


def test_now_and_then_a_quiet_group_is_decoded_so_that_what_quiet_weighs_stays_known(tmp_path, monkeypatch):
    path = record(tmp_path / "long.mp4", 1200, draw=lambda n: idle(n)[:96, :96], key_every=10)
    assert longest_run(path) > KEYS_AT_ONCE
    monkeypatch.setattr("handreplay.footage_quiet.MOST_IN_A_ROW", KEYS_AT_ONCE)
    assert longest_run(path) == KEYS_AT_ONCE


@pytest.mark.parametrize("picture", [401, 410, 425, 449])
def test_a_chip_that_stays_is_seen_from_its_first_picture_on(tmp_path, picture):
    path = make(tmp_path / "chip.mp4", with_chip(picture, COUNT))
    straight, _, _ = read(path, None)
    shown, gaps, tally = read(path, Watch())
    around = [seconds for seconds in straight if abs(seconds * 25 - picture) <= 3 and seconds * 25 >= 400]
    assert all(shown[seconds] == straight[seconds] for seconds in around)
    assert tally.passed_over > 0 and gaps == []


def test_a_glimpse_of_a_quarter_second_weighs_more_and_is_seen(tmp_path):
    card = np.random.default_rng(1).integers(0, 255, (40, 30, 3), np.uint8)

    def draw(number: int) -> np.ndarray:
        picture = idle(number)
        if 410 <= number < 416:
            picture[50:90, 100:130] = card
        return picture

    path = make(tmp_path / "glimpse.mp4", draw)
    shown, _, tally = read(path, Watch())
    assert all(Fraction(number, 25) in shown for number in range(400, 426))
    assert tally.passed_over > 0


def test_a_group_that_weighs_far_too_little_is_decoded(tmp_path):
    path = make(tmp_path / "frozen.mp4", lambda number: idle(425 if 425 < number < 450 else number))
    shown, _, tally = read(path, Watch())
    assert all(Fraction(number, 25) in shown for number in range(425, 451))
    assert tally.passed_over > 0


def test_what_moves_now_and_then_is_never_passed_over(tmp_path):
    def draw(number: int) -> np.ndarray:
        picture = idle(number)
        picture[40:80, 40:80] = 255 if number // 40 % 2 else 0
        return picture

    path = make(tmp_path / "moves.mp4", draw)
    assert read(path, Watch())[0] == read(path, None)[0]


def test_a_watch_that_is_never_at_rest_gets_every_picture(still, all_of_it):
    shown, _, tally = read(still, Watch(after=COUNT))
    assert shown == all_of_it and tally.passed_over == 0


@pytest.mark.parametrize("name", ["a.ts", "a.avi", "a.h264"])
def test_containers_without_exact_times_are_decoded_from_end_to_end(tmp_path, name):
    path = make(tmp_path / name, codec="mpeg4" if name == "a.avi" else "libx264", container=None)
    shown, _, tally = read(path, Watch())
    assert len(shown) == COUNT and tally.passed_over == 0


def test_groups_that_lean_on_the_one_before_are_decoded(tmp_path):
    path = make(tmp_path / "open.mp4", codec="mpeg4", b_frames=2)
    with av.open(str(path)) as container:
        keys, leaning = 0, 0
        for packet in container.demux(video=0):
            if packet.is_keyframe:
                keys, key = keys + 1, packet.pts
            leaning += packet.pts is not None and packet.pts < key
    assert keys > 10 and leaning > 10
    assert read(path, Watch())[0] == read(path, None)[0]


@pytest.mark.parametrize("last", [405, 430, 455, 480])
def test_pictures_that_the_recorder_left_out_while_nothing_happened_are_still_a_gap(tmp_path, monkeypatch, last):
    monkeypatch.setattr("handreplay.footage_quiet.HEAVIEST", 99.0)  # an encoder may spend more on them, or may not
    at = [*range(0, last + 1), *range(last + 9, COUNT)]
    path = record(tmp_path / "hole.mp4", draw=idle, at=at, key_every=GROUP)
    _, gaps, tally = read(path, Watch())
    assert [(gap.start, gap.end) for gap in gaps] == [(Fraction(last, 25), Fraction(last + 9, 25))]
    assert tally.passed_over > 0


def test_a_recording_that_is_cut_short_says_so_as_ever(tmp_path, still):
    path = cut(still, tmp_path / "cut.mp4", 0.8)
    straight, told, before = read(path, None)
    shown, gaps, tally = read(path, Watch())
    assert gaps == told and "cut short" in gaps[-1].reason
    assert shown.items() < straight.items()
    assert (tally.pictures, tally.packets, tally.refused) == (before.pictures, before.packets, before.refused)


def test_a_damaged_key_picture_that_is_looked_at_costs_what_it_costs_without(tmp_path, still):
    whole, _, _ = read(still, Watch())
    looked_at = next(seconds for seconds in whole if seconds > 14 and seconds - Fraction(1, 25) not in whole)
    with av.open(str(still)) as container:
        key = next(packet for packet in container.demux(video=0) if packet.pts * packet.time_base == looked_at)
    data = bytearray(still.read_bytes())
    data[key.pos + 8 : key.pos + key.size] = np.random.default_rng(7).bytes(key.size - 8)
    path = tmp_path / "bad.mp4"
    path.write_bytes(data)
    straight, told, _ = read(path, None)
    shown, gaps, tally = read(path, Watch())
    assert len(told) == 1 and gaps == told
    assert shown.items() < straight.items()
    assert tally.passed_over > 0


def test_pictures_that_were_passed_over_can_still_be_shown(still, all_of_it):
    _, _, tally = read(still, Watch())
    asked = [n / 25 for n in (3, 380, 401, 417, 500, 624)]
    found = {second: (frame.index, hashlib.sha256(np.ascontiguousarray(frame.luma)).hexdigest())
             for second, frame in shown_at(still, asked, tally)}  # fmt: skip
    assert found == {second: all_of_it[Fraction(second).limit_denominator(25)] for second in asked}


def test_a_reading_that_passes_over_can_be_stopped(still):
    watch, tally = Watch(), Tally()
    reading = pictures(still, tally=tally, stillness=watch)
    for _ in range(GROUP * (LEAST_LEARNED + 4) + KEYS_AT_ONCE):
        watch.see(next(reading))
    reading.close()
    assert tally.passed_over > 0 and not tally.finished


def test_the_same_is_passed_over_each_time(still):
    assert read(still, Watch())[0] == read(still, Watch())[0]
