"""Faces that were not read are looked at again beside their outline, and believed only if the looks agree."""

import numpy as np
import pytest

from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.vision.card_reader import CardReading
from handreplay.vision.second_look import second_look

TILE = np.zeros((300, 300, 3), np.uint8)
OUTLINE = np.array([[80.0, 60.0], [207.0, 60.0], [207.0, 238.0], [80.0, 238.0]])


def reading(card: str, sure: float) -> CardReading:
    shares = np.full(len(DECK), (1 - sure) / (len(DECK) - 1))
    shares[CARD_NUMBER[card]] = sure
    return CardReading(tuple(shares), 1.0, "face", 1.0)


class Reads:
    """A card net that gives what it is told, the last for all further crops, and counts the crops."""

    def __init__(self, *readings: CardReading) -> None:
        self.readings, self.crops = readings, 0

    def read(self, crops: list[np.ndarray]) -> list[CardReading]:
        self.crops += len(crops)
        return [*self.readings, *[self.readings[-1]] * len(crops)][: len(crops)]


def test_a_face_that_was_read_is_not_looked_at_again() -> None:
    net = Reads(reading("2c", 0.99))
    assert second_look(net, TILE, OUTLINE, reading("Kd", 0.95)).card == "Kd"
    assert net.crops == 0


def test_the_surest_look_counts_when_another_agrees() -> None:
    net = Reads(reading("7h", 0.97), reading("7h", 0.6), reading("2c", 0.2))
    found = second_look(net, TILE, OUTLINE, reading("2c", 0.1))
    assert (found.card, round(found.confidence, 2)) == ("7h", 0.97)


@pytest.mark.parametrize(
    "looks",
    [
        (reading("7h", 0.99), reading("2c", 0.2)),
        (reading("7h", 0.99), reading("7h", 0.8), reading("8h", 0.6), reading("2c", 0.2)),
        (reading("7h", 0.94), reading("7h", 0.9), reading("8h", 0.35), reading("7h", 0.6), reading("2c", 0.2)),
        (reading("7h", 0.89), reading("7h", 0.88)),
    ],
    ids=["alone", "contradicted", "contradicted a little and less sure", "not sure"],
)
def test_a_look_that_is_not_borne_out_leaves_the_face_unread(looks: tuple[CardReading, ...]) -> None:
    first = reading("9s", 0.3)
    assert second_look(Reads(*looks), TILE, OUTLINE, first) is first


def test_a_less_sure_look_needs_more_that_agree() -> None:
    looks = [reading("7h", 0.92), reading("7h", 0.7), reading("7h", 0.6)]
    first = reading("2c", 0.1)
    assert second_look(Reads(*looks, reading("2c", 0.1)), TILE, OUTLINE, first).card == "7h"
    assert second_look(Reads(*looks[:2], reading("2c", 0.1)), TILE, OUTLINE, first) is first


def test_many_looks_around_the_surest_outweigh_one_that_speaks_for_another_card() -> None:
    """The first round is contradicted; around its surest look all but one agree, then all but three."""

    class Rounds(Reads):
        def __init__(self, contradicting: int) -> None:
            super().__init__(reading("5c", 0.98))
            self.contradicting = contradicting

        def read(self, crops: list[np.ndarray]) -> list[CardReading]:
            odd = [reading("3c", 0.6)] * self.contradicting
            return [*odd, *super().read(crops[: -self.contradicting])]

    first = reading("5c", 0.7)
    assert second_look(Rounds(1), TILE, OUTLINE, first).confidence == 0.98
    assert second_look(Rounds(3), TILE, OUTLINE, first) is first


def test_looks_are_cut_around_the_outline() -> None:
    seen: list[tuple[float, float]] = []

    class Where(Reads):
        def read(self, crops: list[np.ndarray]) -> list[CardReading]:
            seen.extend((float(crop[:, :, 0].mean()), float(crop[:, :, 1].mean())) for crop in crops)
            return super().read(crops)

    ramp = np.dstack(
        [np.tile(np.arange(300) * 0.8, (300, 1)), np.tile(np.arange(300)[:, None] * 0.8, (1, 300)), TILE[:, :, 0]]
    )
    second_look(Where(reading("2c", 0.2)), ramp.astype(np.uint8), OUTLINE, reading("9s", 0.3))
    across, down = zip(*seen, strict=True)
    assert max(across) - min(across) > 15 and max(down) - min(down) > 8
