"""Zones are read when they rest: hands, arrivals and hovering, on drawn pictures of 400 x 300."""

import cv2
import numpy as np
import pytest

from handreplay.vision.change import WIDEST, Area, Motion, Rest, Watcher, of_size, scale_for, working_plane

FELT, HAND, CARD = 60, 130, 230
GREEN, RED, GREY = (110, 100), (112, 170), (127, 127)  # blue and red difference
RATE = 15


def box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], float)


AREAS = {
    "seat1.ante": Area(box(160, 120, 240, 200), box(160, 20, 240, 100), box(160, 220, 240, 290)),
    "seat2.ante": Area(box(300, 120, 380, 200), None, None),
}


class Table:
    """Draws pictures of a table and feeds them to a watcher."""

    def __init__(self, briefly: frozenset[str] = frozenset()) -> None:
        self.motion, self.watcher = Motion(AREAS), Watcher(AREAS, briefly=briefly)
        self.felt = np.full((300, 400), FELT, np.uint8)
        self.tint = np.full((150, 200, 2), GREEN, np.uint8)  # at half size, as cameras have it
        self.frame = 0
        self.noise = np.random.default_rng(7)

    def show(self, pictures: int, hand: tuple[int, int, int, int] | None = None, move: int = 0) -> list[Rest]:
        """Rests during some pictures; `hand` is left, top, right, bottom and moves down by `move` px a picture."""
        rests = []
        for step in range(pictures):
            picture = self.felt.copy()
            if hand is not None:
                left, top, right, bottom = hand
                picture[max(0, top + step * move) : max(0, bottom + step * move), left:right] = HAND
            picture = picture + self.noise.integers(0, 3, picture.shape, dtype=np.uint8)
            tint = self.tint + self.noise.integers(0, 3, self.tint.shape, dtype=np.uint8)
            chroma = tint[:, :, 0].copy(), tint[:, :, 1].copy()
            plane = working_plane(picture)
            rests += self.watcher.update(self.frame / RATE, self.frame, plane, self.motion.feed(plane), chroma)
            self.frame += 1
        return rests

    def settle(self) -> None:
        for rest in self.show(12):
            self.watcher.accept(rest.zone, empty=True)


def test_every_zone_rests_once_at_the_start() -> None:
    table = Table()
    assert sorted(rest.zone for rest in table.show(12)) == ["seat1.ante", "seat2.ante"]


def test_a_still_table_says_nothing() -> None:
    table = Table()
    table.settle()
    assert table.show(60) == []


def test_what_a_hand_puts_down_is_timed_when_the_hand_has_left() -> None:
    table = Table()
    table.settle()
    table.show(10, hand=(170, -100, 230, 30), move=16)
    table.felt[140:180, 180:220] = CARD
    placed = table.frame / RATE
    rests = [rest for rest in table.show(12) if rest.zone == "seat1.ante"]
    assert len(rests) == 1
    assert rests[0].arrived == pytest.approx(placed, abs=2.5 / RATE)
    assert rests[0].changed == pytest.approx(40 * 40 / 6400, abs=0.06)


def test_the_picture_on_show_at_a_time_is_known_for_some_seconds() -> None:
    table = Table()
    table.show(200)
    assert table.watcher.frame_at(190.5 / RATE) == 190
    assert table.watcher.frame_at(5 / RATE) is None


def test_a_hand_that_only_passes_changes_nothing() -> None:
    table = Table()
    table.settle()
    table.show(14, hand=(170, -100, 230, 30), move=30)
    rests = [rest for rest in table.show(12) if rest.zone == "seat1.ante"]
    assert len(rests) == 1 and rests[0].changed < 0.008


def test_what_lay_for_a_moment_between_two_hands_is_told_beside_what_is_left() -> None:
    table = Table(briefly=frozenset({"seat1.ante"}))
    table.settle()
    table.show(6, hand=(170, 60, 230, 190), move=4)
    table.felt[140:180, 180:220] = CARD
    assert table.show(6) == []
    table.felt[140:180, 180:220] = FELT
    brief, last = table.show(6, hand=(170, 60, 230, 190), move=4) + table.show(12)
    assert brief.brief and brief.changed == pytest.approx(40 * 40 / 6400, abs=0.06)
    assert not last.brief and last.changed < 0.008
    assert brief.busy_since == last.busy_since < brief.since < last.since


def test_an_arm_from_above_is_the_dealers() -> None:
    table = Table()
    table.settle()
    table.show(8, hand=(170, -150, 230, 20), move=16)
    table.felt[140:180, 180:220] = CARD
    rest = next(rest for rest in table.show(12) if rest.zone == "seat1.ante")
    assert rest.dealer_hand > 3 * rest.player_hand


def test_what_could_not_be_read_is_compared_with_the_look_before() -> None:
    table = Table()
    table.settle()
    hovering = table.show(12, hand=(170, 130, 230, 190))
    assert [rest.zone for rest in hovering] == ["seat1.ante"]  # not accepted: the hand is in the way
    table.felt[140:180, 180:220] = CARD
    rest = next(rest for rest in table.show(12) if rest.zone == "seat1.ante")
    assert rest.changed == pytest.approx(40 * 40 / 6400, abs=0.06)
    assert rest.busy_since == hovering[0].busy_since


def test_a_zone_knows_how_it_looked_when_it_was_empty() -> None:
    table = Table()
    table.settle()
    assert table.watcher.unlike_empty("seat1.ante") == pytest.approx(0.0, abs=0.01)
    table.felt[140:180, 180:220] = CARD
    table.show(12)
    assert table.watcher.unlike_empty("seat1.ante") == pytest.approx(40 * 40 / 6400, abs=0.06)


def test_a_soft_shadow_is_nothing_on_the_felt() -> None:
    table = Table()
    table.felt[:] = 120
    table.settle()
    shade = np.clip(0.35 + 0.0025 * np.arange(400), 0.7, 1)
    table.felt[:] = (table.felt * shade).astype(np.uint8)
    table.show(12)
    assert table.watcher.unlike_empty("seat1.ante") == pytest.approx(0.0, abs=0.02)
    table.felt[140:180, 180:220] = CARD
    table.show(12)
    assert (table.watcher.unlike_empty("seat1.ante") or 0.0) > 0.2


def test_after_a_gap_pictures_are_not_compared_across_it() -> None:
    table = Table()
    table.settle()
    table.watcher.forget()
    table.motion.forget()
    table.felt[:] = FELT + 40
    assert table.show(3) == []


def after_a_hand(table: Table) -> Rest:
    """The one look at seat 1 when a hand has come and gone."""
    table.show(8, hand=(170, 0, 230, 160))
    (rest,) = [rest for rest in table.show(15) if rest.zone == "seat1.ante"]
    return rest


def test_a_card_as_bright_as_the_felt_is_noticed_by_its_colour() -> None:
    table = Table()
    table.settle()
    table.tint[70:90, 90:110] = RED
    rest = after_a_hand(table)
    assert 0.2 < rest.changed < 0.32
    outline = box(180, 140, 220, 180)
    assert (table.watcher.share_changed("seat1.ante", outline, since_empty=True) or 0) > 0.9
    assert (table.watcher.unlike_empty("seat1.ante") or 0) > 0.2


@pytest.mark.parametrize("tint", [GREY, (GREEN[0] + 14, GREEN[1] - 9)], ids=["no colour", "another white balance"])
def test_light_of_another_colour_is_no_change(tint: tuple[int, int]) -> None:
    table = Table()
    table.tint[70:90, 90:110] = RED
    table.settle()
    card = (0, 0) if tint == GREY else np.subtract(RED, GREEN)
    table.tint[:] = tint
    table.tint[70:90, 90:110] = np.add(tint, card)
    assert after_a_hand(table).changed < 0.01


def test_each_zone_counts_its_own_pixels_even_where_zones_overlap() -> None:
    areas = {name: Area(box(*sides), None, None) for name, sides in {
        "a": (20, 20, 60, 60), "b": (40, 40, 80, 80), "c": (100, 20, 140, 60)
    }.items()}  # fmt: skip
    motion = Motion(areas)
    still, moved = np.zeros((60, 80), np.uint8), np.zeros((60, 80), np.uint8)
    moved[20:30, 20:30] = 200  # where a and b overlap, with all of their edges
    for _ in range(3):
        assert motion.feed(still) is None
    found = motion.feed(moved)
    assert found is not None
    assert found.pixels == (100, 100, 0)
    assert found.plane.sum() == 100


def test_a_larger_picture_is_worked_on_at_the_size_of_a_usual_one() -> None:
    """Its noise would count as motion, and a still zone as changed."""
    noise = np.random.default_rng(3)
    usual = cv2.blur(noise.integers(0, 255, (1080, 1920), np.uint8), (9, 9))
    large = np.kron(usual, np.ones((2, 2), np.uint8))
    assert scale_for(1920) == 0.5 and scale_for(1280) == 0.5 and scale_for(3840) == 0.25
    assert working_plane(large).shape == working_plane(usual).shape and working_plane(large).shape[1] <= WIDEST
    assert np.abs(working_plane(large).astype(int) - working_plane(usual)).max() <= 1
    colours = large[::2, ::2], large[1::2, ::2]
    assert {one.shape for one in of_size(colours, working_plane(large))} == {(540, 960)}
    assert of_size((usual[::2, ::2], usual[1::2, ::2]), working_plane(usual))[0].shape == (540, 960)


def test_zones_lie_at_the_same_place_in_a_plane_of_another_scale() -> None:
    watcher, motion = Watcher(AREAS, scale=0.25), Motion(AREAS, scale=0.25)
    for number in range(24):
        shown = np.full((75, 100), FELT, np.uint8)
        if number >= 12:
            shown[35:45, 45:55] = CARD
        for rest in watcher.update(number / RATE, number, shown, motion.feed(shown)):
            watcher.accept(rest.zone, empty=number < 12)
    assert watcher.unlike_empty("seat1.ante") == pytest.approx(10 * 10 / 400, abs=0.03)
    card = box(180, 140, 220, 180)
    assert watcher.share_changed("seat1.ante", card, since_empty=True) == pytest.approx(1.0, abs=0.2)
