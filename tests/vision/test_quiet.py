"""Nothing happens: nothing moves on the felt, and nothing lies there, as far as was read so long ago."""

from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.vision.change import Area, Motion, Moved, working_plane
from handreplay.vision.quiet import REST_SECONDS, Quiet

RATE = 15
SIZE = (400, 300)
GREEN, RED = (110, 100), (112, 170)  # blue and red difference


def box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)


AREAS = {
    "seat1.ante": Area(box(60, 120, 120, 180), None, box(60, 200, 120, 280)),
    "seat2.ante": Area(box(280, 120, 340, 180), box(280, 20, 340, 100), None),
}


@dataclass
class Shot:
    """A frame as far as it is looked at."""

    luma: np.ndarray
    tint: np.ndarray = field(default_factory=lambda: np.full((150, 200, 2), GREEN, np.uint8))

    @property
    def chroma(self) -> tuple[np.ndarray, np.ndarray]:
        return self.tint[:, :, 0], self.tint[:, :, 1]


def felt(number: int = 0) -> np.ndarray:
    noise = np.random.default_rng(number).integers(0, 4, (SIZE[1], SIZE[0]), np.uint8)
    return np.full((SIZE[1], SIZE[0]), 60, np.uint8) + noise


class Table:
    """Makes pictures ready, and reads each when the next one is."""

    def __init__(self, behind: int = 0) -> None:
        self.motion, self.quiet = Motion(AREAS), Quiet(AREAS.values())
        self.quiet.behind = behind
        self.number = 0

    def show(self, pictures: int, change=lambda picture: None, bare: bool = True) -> None:
        for _ in range(pictures):
            picture = felt(self.number)
            change(picture)
            plane = working_plane(picture)
            self.quiet.note(self.number / RATE, plane, self.motion.feed(plane), Shot(picture).chroma)
            self.quiet.told(bare)
            self.number += 1


def test_a_bare_table_is_at_rest_after_a_while_and_not_before() -> None:
    table = Table()
    table.show(int(REST_SECONDS * RATE))
    assert not table.quiet.at_rest()
    table.show(5)
    assert table.quiet.at_rest()


def test_a_table_on_which_something_lies_is_never_at_rest() -> None:
    table = Table()
    table.show(200, bare=False)
    assert not table.quiet.at_rest()


@pytest.mark.parametrize(
    "where", [(70, 130), (200, 150), (90, 240), (310, 60)], ids=["zone", "between", "rim", "reach"]
)
def test_a_finger_on_the_felt_ends_the_rest(where: tuple[int, int]) -> None:
    table = Table()
    table.show(60)
    table.show(1, lambda picture: cv2.circle(picture, where, 8, 150, -1))
    assert not table.quiet.at_rest()


def test_a_clock_in_the_corner_of_the_picture_does_not() -> None:
    table = Table()

    def tick(picture: np.ndarray) -> None:
        cv2.putText(picture, str(table.number), (5, 20), 0, 0.6, 255, 2)

    table.show(60, tick)
    assert table.quiet.at_rest()
    later = felt(99)
    cv2.putText(later, "77", (5, 20), 0, 0.6, 255, 2)
    assert table.quiet.unchanged(Shot(later))


def test_the_same_felt_is_unchanged_whatever_the_noise() -> None:
    table = Table()
    table.show(10)
    assert all(table.quiet.unchanged(Shot(felt(number))) for number in range(100, 120))


@pytest.mark.parametrize("where", [(90, 150), (200, 150), (90, 260), (310, 40)])
def test_a_chip_is_a_change_even_where_no_zone_is(where: tuple[int, int]) -> None:
    table = Table()
    table.show(10)
    picture = felt(50)
    cv2.circle(picture, where, 6, 90, -1)
    assert not table.quiet.unchanged(Shot(picture))


def test_what_is_as_bright_as_the_felt_is_a_change_by_its_colour() -> None:
    table = Table()
    table.show(10)
    shot = Shot(felt(50))
    shot.tint[60:70, 40:50] = RED
    assert not table.quiet.unchanged(shot)


def test_a_picture_of_another_size_is_a_change() -> None:
    table = Table()
    table.show(10)
    assert not table.quiet.unchanged(Shot(felt()[:280], np.full((140, 200, 2), GREEN, np.uint8)))


def test_planes_of_colours_may_be_larger_by_a_pixel() -> None:
    quiet, odd = Quiet(AREAS.values()), felt()[:299, :399]
    shot = Shot(odd, np.full((150, 200, 2), GREEN, np.uint8))
    quiet.note(0.0, working_plane(odd), None, shot.chroma)
    assert quiet.unchanged(shot)


def test_after_a_gap_all_begins_anew() -> None:
    table = Table()
    table.show(60)
    table.quiet.forget()
    table.quiet.told(True)
    assert not table.quiet.at_rest()
    assert not table.quiet.unchanged(Shot(felt()))


def made_ready(pictures: int) -> list[tuple[np.ndarray, Moved | None]]:
    motion = Motion(AREAS)
    return [(plane, motion.feed(plane)) for plane in map(working_plane, map(felt, range(pictures)))]


READY = made_ready(60)


@given(
    bare=st.lists(st.booleans(), min_size=60, max_size=60),
    behind=st.integers(0, 20),
    waits=st.lists(st.integers(0, 20), min_size=60, max_size=60),
)
def test_the_answer_does_not_hang_on_how_fast_pictures_are_read(
    bare: list[bool], behind: int, waits: list[int]
) -> None:
    answers = []
    for slow in (0, 1):
        quiet, read = Quiet(AREAS.values()), 0
        quiet.behind = behind
        told = []
        for number, (plane, moved) in enumerate(READY):
            quiet.note(number / RATE, plane, moved, (plane, plane))
            while read <= number - slow * min(waits[number], behind):
                quiet.told(bare[read])
                read += 1
            told.append(quiet.at_rest())
        answers.append(told)
    assert answers[0] == answers[1]
    from_when = int(REST_SECONDS * RATE) + 20  # at rest for long enough, whatever `behind` is
    assert answers[0][from_when:] == bare[from_when - behind : 60 - behind]


@pytest.mark.parametrize("spacing", [8, 6])
@pytest.mark.parametrize(("corner", "rests"), [((0, 0), True), ((35, 65), False), ((90, 70), False)])
def test_thin_noise_all_over_the_felt_leaves_it_at_rest_but_not_a_spot_on_it(spacing, corner, rests) -> None:
    thin = np.zeros((SIZE[1] // 2, SIZE[0] // 2), np.uint8)
    thin[::spacing, ::8] = 1
    spot = thin.copy()
    spot[corner[1] : corner[1] + 3, corner[0] : corner[0] + 3] = 1
    for plane, expected in ((thin, True), (spot, rests)):
        quiet = Quiet(AREAS.values())
        moved = Moved(plane, Motion(AREAS)._count(plane))  # the same again and again
        for number in range(60):
            quiet.note(number / RATE, felt(), moved, Shot(felt()).chroma)
            quiet.told(True)
        assert quiet.at_rest() == expected
