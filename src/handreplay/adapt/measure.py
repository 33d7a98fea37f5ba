"""How well faces and stacks are read, whether something fitted to one half helps on the other, and what to ask."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.adapt.views import Face, Stack, kinds_chance
from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.vision.card_reader import CardReading
from handreplay.vision.straighten import CROP_HEIGHT_PX, CROP_WIDTH_PX, Picture
from handreplay.vision.zone_reader import KNOWN_CARD

Floats = NDArray[np.float64]

BANDS = (0.0, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0000001)
LEAST_FACES, LEAST_STACKS = 20, 4  # labelled ones, before anything is fitted
LEAST_GAIN = 0.02  # nats a card: less is no help that anybody would notice
MOST_MISTAKES = (
    0.005  # of the sure readings, more than before: one in a hundred is too many, one in three hundred is not
)
LEAST_CHIP_GAIN = 0.03  # of the probability given to the right denomination
_TEMPERATURES = np.round(np.arange(0.5, 3.01, 0.05), 2)
_ASIDE_PX = 2.4  # 1.5 mm
_SAME_PX = 12.0


@dataclass(frozen=True, slots=True)
class CardScore:
    """Labelled faces: how many, right, surely read, wrong though sure; surprise in nats a card; calibration error."""

    seen: int
    right: int
    sure: int
    sure_wrong: int
    surprise: float
    calibration_error: float


@dataclass(frozen=True, slots=True)
class ChipScore:
    """Labelled stacks: how many, of the right denomination by the likeliest pile, and that one's mean probability."""

    seen: int
    right: int
    chance: float


@dataclass(frozen=True, slots=True)
class Question:
    """A reading that a person should look at, and why."""

    picture: str
    at: tuple[float, float]
    read: str
    why: str


def cooled(probabilities: Floats, temperature: float) -> Floats:
    """Rows of probabilities at another temperature: above 1 less sure, below surer."""
    logs = np.log(np.maximum(probabilities, 1e-12)) / temperature
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def card_score(probabilities: Floats, cards: Sequence[str]) -> CardScore:
    """Score rows of 52 probabilities against the true cards."""
    if not cards:
        return CardScore(0, 0, 0, 0, 0.0, 0.0)
    truth = np.array([CARD_NUMBER[card] for card in cards])
    right, said = probabilities.argmax(axis=1) == truth, probabilities.max(axis=1)
    sure = said >= KNOWN_CARD
    surprise = float(-np.log(np.maximum(probabilities[np.arange(len(truth)), truth], 1e-12)).mean())
    return CardScore(
        len(cards),
        int(right.sum()),
        int(sure.sum()),
        int((sure & ~right).sum()),
        surprise,
        calibration_error(said, right),
    )


def calibration_error(said: Floats, right: NDArray[np.bool_]) -> float:
    """Expected calibration error over BANDS."""
    total = 0.0
    for low, high in pairwise(BANDS):
        inside = (said >= low) & (said < high)
        if inside.any():
            total += abs(float(said[inside].mean()) - float(right[inside].mean())) * float(inside.mean())
    return total


def halves(views: Sequence[Face] | Sequence[Stack]) -> NDArray[np.bool_]:
    """Which views belong to the first half.

    What lies at one place in several pictures is one thing and stays together; of each card or denomination every other
    thing goes to the first half.
    """
    things: list[tuple[str, tuple[float, float]]] = []
    owner = []
    for view in views:
        label = view.label or ""
        known = [n for n, (other, at) in enumerate(things) if other == label and math.dist(at, view.at) < _SAME_PX]
        if not known:
            things.append((label, view.at))
        owner.append(known[0] if known else len(things) - 1)
    order = sorted(range(len(things)), key=lambda number: (things[number][0], number))
    first = set(order[::2])
    return np.array([number in first for number in owner], bool)


def fitted_temperature(probabilities: Floats, cards: Sequence[str]) -> float:
    """The temperature at which the true cards are least surprising."""
    return float(min(_TEMPERATURES, key=lambda t: card_score(cooled(probabilities, t), cards).surprise))


def cross_fitted(probabilities: Floats, cards: Sequence[str], first: NDArray[np.bool_]) -> Floats:
    """Every row at the temperature that the other half asks for."""
    after = probabilities.copy()
    for half in (first, ~first):
        if half.any() and (~half).any():
            own = [card for card, inside in zip(cards, ~half, strict=True) if inside]
            after[half] = cooled(probabilities[half], fitted_temperature(probabilities[~half], own))
    return after


def helps(before: CardScore, after: CardScore) -> bool:
    """Is the second score better by enough, on enough cards, with hardly a larger share of mistakes among the sure?"""
    gain = before.surprise - after.surprise
    shares = [score.sure_wrong / max(score.sure, 1) for score in (before, after)]
    return after.seen >= LEAST_FACES and gain >= LEAST_GAIN and shares[1] <= shares[0] + MOST_MISTAKES


def training_helps(before: CardScore, after: CardScore) -> bool:
    """As `helps`; and no fewer are right, and what is said is about as often true as before."""
    honest = after.calibration_error <= before.calibration_error + LEAST_GAIN
    return helps(before, after) and after.right >= before.right and honest


def chip_score(chances: Sequence[float], right: Sequence[bool]) -> ChipScore:
    mean = float(np.mean(chances)) if len(chances) else 0.0
    return ChipScore(len(right), sum(right), mean)


def stack_score(
    stacks: Sequence[Stack], piles: Sequence[Sequence[tuple[tuple[tuple[str, int], ...], float]]]
) -> ChipScore:
    """Score readings of labelled stacks, an empty one where a stack was not found."""
    chances = [kinds_chance(own, stack.label or "") for stack, own in zip(stacks, piles, strict=True)]
    right = [
        bool(own) and [kind for kind, _ in own[0][0]] == [stack.label] for stack, own in zip(stacks, piles, strict=True)
    ]
    return chip_score(chances, right)


def chips_help(before: ChipScore, after: ChipScore) -> bool:
    """More stacks right and no less sure; or as many, and clearly surer."""
    if after.seen < LEAST_STACKS or after.right < before.right:
        return False
    gain = after.chance - before.chance
    return gain >= (0.0 if after.right > before.right else LEAST_CHIP_GAIN)


def other_views(crop: Picture) -> list[Picture]:
    """The card as it might have been cut or lit: turned, a little aside each way, darker, lighter, blurred."""
    views = [np.ascontiguousarray(crop[::-1, ::-1])]
    for right, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        matrix = np.array([[1, 0, right * _ASIDE_PX], [0, 1, down * _ASIDE_PX]], np.float64)
        size = (CROP_WIDTH_PX, CROP_HEIGHT_PX)
        views.append(np.asarray(cv2.warpAffine(crop, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8))
    views += [np.asarray(np.clip(crop * light, 0, 255), np.uint8) for light in (0.7, 1.3)]
    return [*views, np.asarray(cv2.GaussianBlur(crop, (0, 0), 1.2), np.uint8)]


def questions(faces: Sequence[Face], read: Callable[[list[Picture]], list[CardReading]], decks: int) -> list[Question]:
    """The readings of faces without labels that do not agree with themselves or with each other."""
    counts = Counter((face.picture, face.reading.card) for face in faces if face.label is None)
    asked = []
    for face in faces:
        if face.label is not None:
            continue
        others = [reading.card for reading in read(other_views(face.crop))]
        against = Counter(card for card in others if card != face.reading.card).most_common(1)
        if counts[face.picture, face.reading.card] > decks:
            why = f"{counts[face.picture, face.reading.card]} cards of this picture are read so"
        elif face.reading.confidence < KNOWN_CARD:
            why = f"read at {face.reading.confidence:.0%} only"
        elif against:
            why = f"{against[0][1]} of {len(others)} other views of it are read as {against[0][0]}"
        else:
            continue
        asked.append(Question(face.picture, face.at, face.reading.card, why))
    return asked


def spreads(faces: Sequence[Face]) -> Floats:
    """The probabilities of the faces, N x 52."""
    return np.array([face.reading.probabilities for face in faces]).reshape(len(faces), len(DECK))
