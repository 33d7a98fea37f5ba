"""Makes labelled crops for the card reader: a card among others on the felt, seen by a table camera, then straightened.

Crops are made in sheets: many small scenes side by side, photographed by one camera and sent through its recorder
together, which costs a small part of doing it one by one.
"""

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.cards import DECK
from handreplay.synth.decks import Deck
from handreplay.synth.degrade import Camera, random_camera, through_h264, through_jpeg
from handreplay.vision.straighten import CARD_HEIGHT_MM, CARD_WIDTH_MM, straighten

Picture = NDArray[np.uint8]

KINDS = ("face", "back", "none")
_SCENE_MM = 128.0
_KEPT_PX_PER_MM = 2.5
_FANNED = 0.4  # share of scenes whose card lies in a fan, as players lay their hands down
_FAN_STEP_MM = (11.0, 34.0)
_FAN_TURN_DEGREES = (0.0, 9.0)


@dataclass(frozen=True)
class Crop:
    """One straightened crop (BGR) and what is in it. `card` is -1 unless a face; `visible` is the share not covered;
    `index_shown` says of the upper and the lower end's index whether it shows and is large enough to read."""

    picture: Picture
    kind: int
    card: int
    readable: bool
    visible: float
    px_per_mm: float
    deck: int
    index_shown: tuple[bool, bool]


_Place = tuple[NDArray[np.float64], float]  # offset from the wanted card in pixels, degrees


@dataclass
class _Scene:
    picture: Picture  # square
    seen: NDArray[np.float32]  # where the wanted card shows
    px_per_mm: float

    @property
    def middle(self) -> float:
        return float(self.picture.shape[0] / 2)


class CropMaker:
    """Crops without end from a list of decks; the same seed gives the same crops."""

    def __init__(self, decks: list[Deck], seed: int, art_share: float = 0.3, shots: int = 3) -> None:
        self._decks = decks
        self._shots = shots  # times one sheet of scenes is photographed, each time by another camera
        self._rng = np.random.default_rng(seed)
        drawn = np.array([deck.style is not None for deck in decks])
        weight = np.where(drawn, (1 - art_share) / max(1, drawn.sum()), art_share / max(1, (~drawn).sum()))
        self._weight = weight / weight.sum()
        self._faces: dict[tuple[int, str], Picture] = {}

    def sheet(self, count: int = 32) -> list[Crop]:
        """`count` scenes at one scale, each photographed by as many cameras as the maker takes shots."""
        rng = self._rng
        unit = _scale(rng)
        scenes = [self._scene(unit * (1.7 if unit < 1.3 else 1.0)) for _ in range(count)]
        size = int(_SCENE_MM * unit) // 2 * 2
        columns = math.ceil(math.sqrt(count))
        whole = np.zeros((math.ceil(count / columns) * size, columns * size, 3), np.uint8)
        corners = []
        for place, (scene, _) in enumerate(scenes):
            y, x = divmod(place, columns)
            corners.append((y * size, x * size))
            small = cv2.resize(scene.picture, (size, size), interpolation=cv2.INTER_AREA)
            whole[y * size : (y + 1) * size, x * size : (x + 1) * size] = small
        crops = []
        for _ in range(self._shots):
            taken = _photograph(whole, replace(random_camera(rng), px_per_mm=unit), rng)
            for (scene, what), (y, x) in zip(scenes, corners, strict=True):
                quad = (what.quad + 0.5) * (size / scene.picture.shape[0]) - 0.5
                crops.append(self._crop(taken[y : y + size, x : x + size], scene, what, quad, unit))
        return crops

    def _crop(self, part: Picture, scene: _Scene, what: "_Wanted", quad: NDArray[np.float64], scale: float) -> Crop:
        turned = bool(self._rng.random() < 0.5)
        found = _jittered(quad, scale, self._rng)
        picture = straighten(part, np.roll(found, 2, axis=0) if turned else found)
        visible, shown = _legible(scene, what, scale)
        face = what.kind == 0
        shown = (face and shown[turned], face and shown[not turned])
        readable = face and (any(shown) or visible >= 0.8)
        return Crop(picture, what.kind, what.card if face else -1, readable, visible, scale, what.deck, shown)

    def _scene(self, px_per_mm: float) -> tuple[_Scene, "_Wanted"]:
        rng = self._rng
        size = int(_SCENE_MM * px_per_mm)
        scene = _Scene(_felt(size, px_per_mm, rng), np.zeros((size, size), np.float32), px_per_mm)
        deck = int(rng.choice(len(self._decks), p=self._weight))
        kind = int(rng.choice(3, p=[0.82, 0.11, 0.07]))
        angle = float(rng.uniform(0, 360))
        self._neighbours(scene, deck, angle)
        card = self._wanted_card()
        at = np.full(2, scene.middle) + rng.uniform(-2, 2, 2) * px_per_mm
        quad = _card_corners(at, angle, px_per_mm)
        wanted = _Wanted(kind, card, deck, self._decks[deck], quad, at, angle)
        if kind == 2:
            if rng.random() < 0.5:
                away = rng.uniform(30, 55) * px_per_mm
                turn = rng.uniform(0, 2 * math.pi)
                place = at + away * np.array([math.cos(turn), math.sin(turn)])
                self._lay(scene, self._face(deck, DECK[card]), place, float(rng.uniform(0, 360)))
            self._cover(scene, deck, angle, at)
        else:
            top = self._face(deck, DECK[card]) if kind == 0 else self._back(deck)
            under, over = self._fan(angle, px_per_mm) if rng.random() < _FANNED else ([], [])
            for off, turned in under:
                self._lay(scene, self._some_card(deck), at + off, turned)
            self._lay(scene, top, at, angle, wanted=True)
            for off, turned in over:
                self._lay(scene, self._some_card(deck), at + off, turned)
            if not over:
                self._cover(scene, deck, angle, at)
        _light(scene, rng)
        return scene, wanted

    def _wanted_card(self) -> int:
        """Black ones more often: clubs and spades are what is told apart worst."""
        card = int(self._rng.integers(52))
        if DECK[card][1] in "dh" and self._rng.random() < 0.6:
            return self._wanted_card()
        return card

    def _face(self, deck: int, card: str) -> Picture:
        if (deck, card) not in self._faces:
            self._faces[deck, card] = _kept(self._decks[deck].face(card))
        return self._faces[deck, card]

    def _back(self, deck: int) -> Picture:
        style = int(self._rng.integers(12))
        if (deck, f"back{style}") not in self._faces:
            self._faces[deck, f"back{style}"] = _kept(self._decks[deck].back(style))
        return self._faces[deck, f"back{style}"]

    def _some_card(self, deck: int) -> Picture:
        if self._rng.random() < 0.15:
            return self._back(deck)
        return self._face(deck, DECK[int(self._rng.integers(52))])

    def _neighbours(self, scene: _Scene, deck: int, angle: float) -> None:
        """Cards beside and under the wanted one."""
        rng = self._rng
        for _ in range(int(rng.choice([0, 1, 2, 3], p=[0.4, 0.3, 0.2, 0.1]))):
            along = math.radians(angle + rng.choice([0, 90, 180, 270]) + rng.normal(0, 12))
            away = rng.uniform(8, 75) * scene.px_per_mm
            at = scene.middle + away * np.array([math.cos(along), math.sin(along)])
            turned = angle + float(rng.normal(0, 8)) + float(rng.choice([0, 0, 0, 90]))
            self._lay(scene, self._some_card(deck), at, turned)

    def _cover(self, scene: _Scene, deck: int, angle: float, at: NDArray[np.float64]) -> None:
        rng, unit = self._rng, scene.px_per_mm
        kind = rng.random()
        if kind < 0.40:
            return
        if kind < 0.80:
            sideways = rng.random() < 0.7
            step = rng.uniform(9, 48) if sideways else rng.uniform(12, 72)
            along = math.radians(
                angle + (0 if sideways else 90) + (180 if rng.random() < 0.5 else 0) + rng.normal(0, 6)
            )
            turned = angle
            for number in range(1, 1 + int(rng.choice([1, 2, 3], p=[0.6, 0.25, 0.15]))):
                turned += float(rng.normal(0, 4))
                off = step * unit * number * np.array([math.cos(along), math.sin(along)])
                self._lay(scene, self._some_card(deck), at + off + rng.normal(0, 1.5, 2) * unit, turned)
        elif kind < 0.92:
            _limb(scene, rng)
        else:
            _disc(scene, rng)

    def _fan(self, angle: float, px_per_mm: float) -> tuple[list[_Place], list[_Place]]:
        """The cards of a fan under and over the wanted one, in the order in which they are laid."""
        rng = self._rng
        size = int(rng.integers(2, 8))
        own = int(rng.integers(size))
        way = 1 if rng.random() < 0.75 else -1  # over its neighbour to the right, or to the left
        step, turn = rng.uniform(*_FAN_STEP_MM), rng.uniform(*_FAN_TURN_DEGREES) * way
        places = []
        for number in range(-own, size - own):
            turned = math.radians(angle + turn * number / 2)
            away = way * step * number * px_per_mm
            sag = rng.normal(0, 1.5, 2) * px_per_mm
            off = away * np.array([math.cos(turned), math.sin(turned)]) + sag
            places.append((off, angle + turn * number + float(rng.normal(0, 2))))
        return places[:own], places[own + 1 :]

    def _lay(
        self, scene: _Scene, card: Picture, at: NDArray[np.float64], degrees: float, *, wanted: bool = False
    ) -> None:
        """Put a card on the scene with a thin shadow around it."""
        unit = scene.px_per_mm
        small = cv2.resize(
            card, None, fx=unit / _KEPT_PX_PER_MM, fy=unit / _KEPT_PX_PER_MM, interpolation=cv2.INTER_AREA
        )
        h, w = small.shape[:2]
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        reach = math.hypot(w, h) / 2 + 2
        low = np.maximum(np.floor(at - reach), 0).astype(int)
        high = np.minimum(np.ceil(at + reach), scene.picture.shape[0]).astype(int)
        if np.any(high - low < 2):
            return
        x, y = at - low
        matrix = np.array(
            [[c, -s, x - c * (w - 1) / 2 + s * (h - 1) / 2], [s, c, y - s * (w - 1) / 2 - c * (h - 1) / 2]]
        )
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        laid = cv2.warpAffine(small, matrix, size, flags=cv2.INTER_LINEAR)
        alpha = laid[:, :, 3].astype(np.float32) / 255
        under = scene.picture[low[1] : high[1], low[0] : high[0]]
        reach_px = max(1, round(1.5 * unit)) * 2 + 1
        shade = cv2.blur(alpha, (reach_px, reach_px)) * float(self._rng.uniform(0, 0.5))
        shaded = cv2.blendLinear(under, np.zeros_like(under), 1 - shade, shade)
        under[:] = cv2.blendLinear(np.ascontiguousarray(laid[:, :, :3]), shaded, alpha, 1 - alpha)
        seen = scene.seen[low[1] : high[1], low[0] : high[0]]
        seen *= 1 - alpha
        if wanted:
            np.maximum(seen, alpha, out=seen)


@dataclass(frozen=True)
class _Wanted:
    kind: int
    card: int
    deck: int
    design: Deck
    quad: NDArray[np.float64]
    at: NDArray[np.float64]
    angle: float


def _kept(card: Picture) -> Picture:
    share = _KEPT_PX_PER_MM / 4
    return np.asarray(cv2.resize(card, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)


def _scale(rng: np.random.Generator) -> float:
    """Pixels per mm: table cameras at 0.55 to 1.2 for the most part, some nearer."""
    kind = rng.random()
    return float(
        rng.uniform(0.55, 1.2) if kind < 0.76 else rng.uniform(1.1, 1.5) if kind < 0.9 else rng.uniform(1.5, 1.9)
    )


def _photograph(whole: Picture, camera: Camera, rng: np.random.Generator) -> Picture:
    exposed = _expose(whole, camera)
    if camera.px_per_mm > 1.3 and rng.random() < 0.5:
        return through_jpeg(_sense(exposed, camera, rng), int(rng.integers(40, 95)))
    frames = [_sense(exposed, camera, rng) for _ in range(int(rng.choice([1, 2])))]
    return through_h264(frames, camera, [len(frames) - 1])[0]


def _expose(picture: Picture, camera: Camera) -> Picture:
    """Lens blur, white balance, tone and saturation by table, much faster than in floating point."""
    if camera.blur_px > 0.25:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), camera.blur_px), np.uint8)
    steps = np.arange(256) / 255
    toned = [np.clip(steps * gain * camera.exposure, 0, 1) ** camera.gamma for gain in camera.gains]
    table = np.stack([((tone - 0.5) * camera.contrast + 0.5) * 255 + camera.lift for tone in toned], axis=1)
    lit = cv2.LUT(picture, np.clip(table, 0, 255).astype(np.uint8)[None])
    grey = np.array([[0.114, 0.587, 0.299]] * 3) * (1 - camera.saturation) + np.eye(3) * camera.saturation
    return np.asarray(cv2.transform(lit, grey), np.uint8)


_NOISE = np.random.default_rng(5).standard_normal(1 << 21).astype(np.float32)


def _noise(height: int, width: int, strength: float, rng: np.random.Generator) -> NDArray[np.int16]:
    start = int(rng.integers(0, len(_NOISE) - height * width)) if height * width < len(_NOISE) else 0
    grains = np.resize(_NOISE[start : start + height * width], (height, width))
    return np.asarray(grains * strength, np.int16)


def _sense(picture: Picture, camera: Camera, rng: np.random.Generator) -> Picture:
    """One exposure: noise, the camera's own smoothing and sharpening."""
    height, width = picture.shape[:2]
    noise = np.repeat(_noise(height, width, camera.luma_noise, rng)[:, :, None], 3, axis=2)
    if camera.chroma_noise > 0.5:
        half = [_noise(height // 2, width // 2, camera.chroma_noise * 2, rng) for _ in range(3)]
        noise += np.asarray(cv2.resize(np.dstack(half), (width, height), interpolation=cv2.INTER_LINEAR), np.int16)
    noisy = np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U), np.uint8)
    if camera.denoise:
        noisy = np.asarray(cv2.medianBlur(noisy, 3), np.uint8)
    if camera.sharpen:
        blurred = cv2.GaussianBlur(noisy, (5, 5), 1.0)
        noisy = np.asarray(cv2.addWeighted(noisy, 1 + camera.sharpen, blurred, -camera.sharpen, 0), np.uint8)
    return noisy


def _card_corners(at: NDArray[np.float64], degrees: float, px_per_mm: float) -> NDArray[np.float64]:
    half = np.array([CARD_WIDTH_MM, CARD_HEIGHT_MM]) / 2 * px_per_mm
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    corners = half * [[-1, -1], [1, -1], [1, 1], [-1, 1]]
    return np.asarray(corners @ np.array([[c, s], [-s, c]]) + at)


def _jittered(quad: NDArray[np.float64], px_per_mm: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """The quad as a detector would give it."""
    rough = px_per_mm * (2.0 if rng.random() < 0.2 else 1.0)
    middle = quad.mean(axis=0)
    turn = math.radians(rng.normal(0, 1.3))
    spin = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    moved = (quad - middle) * (1 + rng.normal(0, 0.015)) @ spin + middle + rng.normal(0, 0.9, 2) * rough
    moved += rng.normal(0, 0.55, (4, 2)) * rough
    return np.asarray(moved)


def _legible(scene: _Scene, what: _Wanted, scale: float) -> tuple[float, tuple[bool, bool]]:
    """Share of the card that shows, and whether the index at either end shows and is large enough to read."""
    to_card = np.array([[0, 0], [64, 0], [64, 90], [0, 90]], np.float32)
    matrix = cv2.getPerspectiveTransform(what.quad.astype(np.float32), to_card)
    seen = cv2.warpPerspective(scene.seen, matrix, (64, 90))
    style = what.design.style
    x, y = style.index_at if style else (2.0, 2.5)
    tall = style.index_height if style else 8.0
    ends = [
        part[int(y) : math.ceil(y + tall * 1.8), int(x) : math.ceil(x + tall * 0.8)]
        for part in (seen, seen[::-1, ::-1])
    ]
    large = tall * scale >= 3.6
    top, bottom = (bool(large and end.mean() > 0.93) for end in ends)
    return float(seen.mean()), (top, bottom)


def _felt(size: int, px_per_mm: float, rng: np.random.Generator) -> Picture:
    hue = rng.choice([60, 65, 110, 170, 175, 120, int(rng.integers(180))])
    hsv = np.array([[[hue, rng.integers(20, 230), rng.integers(25, 190)]]], np.uint8)
    colour = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)
    grain = rng.normal(0, rng.uniform(0, 8), (size // 2 + 1, size // 2 + 1)).astype(np.float32)
    felt = np.empty((size, size, 3), np.uint8)
    felt[:] = colour.astype(np.uint8)
    for _ in range(int(rng.choice([0, 1, 2, 3]))):
        ink = tuple(float(v) for v in (rng.uniform(120, 250, 3) if rng.random() < 0.7 else rng.uniform(0, 120, 3)))
        width = max(1, round(rng.uniform(0.8, 4) * px_per_mm))
        at = tuple(int(v) for v in rng.integers(0, size, 2))
        kind = rng.integers(4)
        if kind == 0:
            cv2.circle(felt, at, int(rng.uniform(15, 45) * px_per_mm), ink, width, cv2.LINE_AA)
        elif kind == 1:
            cv2.line(felt, at, tuple(int(v) for v in rng.integers(0, size, 2)), ink, width, cv2.LINE_AA)
        elif kind == 2:
            middle = np.full(2, size / 2) + rng.normal(0, 6, 2) * px_per_mm
            corners = (
                _card_corners(middle, float(rng.uniform(0, 360)), px_per_mm * float(rng.uniform(1, 1.15)))
            ).astype(np.int32)
            cv2.polylines(felt, [corners], True, ink, width, cv2.LINE_AA)
        else:
            text = "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTUVWXY25 "), 8))
            cv2.putText(
                felt, text, (at[0] // 2, at[1]), int(rng.integers(0, 5)), rng.uniform(0.4, 1.4) * px_per_mm, ink, width
            )
    woven = cv2.resize(grain, (size, size), interpolation=cv2.INTER_LINEAR)[:, :, None]
    return np.asarray(np.clip(felt + woven, 0, 255), np.uint8)


def _limb(scene: _Scene, rng: np.random.Generator) -> None:
    """A hand or a sleeve over part of the scene."""
    size, unit = scene.picture.shape[0], scene.px_per_mm
    mask = np.zeros((size, size), np.uint8)
    turn = rng.uniform(0, 2 * math.pi)
    way = np.array([math.cos(turn), math.sin(turn)])
    near = scene.middle + way * rng.uniform(12, 55) * unit + rng.normal(0, 8, 2) * unit
    far = near + way * 120 * unit
    thick = int(rng.uniform(12, 75) * unit)
    cv2.line(mask, tuple(near.astype(int).tolist()), tuple(far.astype(int).tolist()), 255, thick, cv2.LINE_AA)
    skin = rng.random() < 0.5
    for _ in range(int(rng.integers(0, 5)) if skin else 0):
        tip = near - way * rng.uniform(5, 35) * unit + rng.normal(0, 14, 2) * unit
        finger = max(2, int(rng.uniform(10, 17) * unit))
        cv2.line(mask, tuple(near.astype(int).tolist()), tuple(tip.astype(int).tolist()), 255, finger, cv2.LINE_AA)
    tone = rng.uniform(0.3, 1.0)
    colour = (
        np.array([130, 165, 220]) * tone
        if skin
        else rng.uniform(5, 60, 3)
        if rng.random() < 0.6
        else rng.uniform(0, 255, 3)
    )
    _over(scene, mask, np.asarray(colour, np.float32), rng)


def _disc(scene: _Scene, rng: np.random.Generator) -> None:
    """A chip, a button or a plain slab on the card."""
    size, unit = scene.picture.shape[0], scene.px_per_mm
    for _ in range(int(rng.integers(1, 4))):
        mask = np.zeros((size, size), np.uint8)
        at = tuple((scene.middle + rng.normal(0, 26, 2) * unit).astype(int).tolist())
        cv2.circle(mask, at, int(rng.uniform(15, 24) * unit), 255, -1, cv2.LINE_AA)
        _over(scene, mask, rng.uniform(0, 255, 3).astype(np.float32), rng)
        cv2.circle(mask, at, int(11 * unit), 0, -1)
        ring = (mask > 0) & (np.add.outer(np.arange(size), np.arange(size)) // max(2, int(9 * unit)) % 2 == 0)
        scene.picture[ring] = rng.uniform(0, 255, 3)


def _over(scene: _Scene, mask: Picture, colour: NDArray[np.float32], rng: np.random.Generator) -> None:
    alpha = mask.astype(np.float32) / 255
    shade = cv2.blur(alpha, (max(1, round(rng.uniform(2, 8) * scene.px_per_mm)),) * 2)
    dark = shade * float(rng.uniform(0.1, 0.5))
    shaded = cv2.blendLinear(scene.picture, np.zeros_like(scene.picture), 1 - dark, dark)
    relief = np.clip(colour * (1 + 0.3 * (shade[:, :, None] - 0.5)), 0, 255).astype(np.uint8)
    scene.picture[:] = cv2.blendLinear(relief, shaded, alpha, 1 - alpha)
    scene.seen *= 1 - alpha


def _light(scene: _Scene, rng: np.random.Generator) -> None:
    """Uneven lamps, a soft shadow's edge, glare on the card."""
    size = scene.picture.shape[0]
    coarse = rng.normal(1, rng.uniform(0, 0.12), (3, 3)) * np.exp(rng.normal(0, 0.12))
    field = np.asarray(cv2.resize(coarse.astype(np.float32), (size, size)), np.float32)
    rows, columns = np.mgrid[0:size, 0:size].astype(np.float32) / size
    if rng.random() < 0.2:
        turn, place, soft = rng.uniform(0, 2 * math.pi), rng.uniform(-0.3, 0.3), rng.uniform(0.01, 0.15)
        away = (columns - 0.5) * math.cos(turn) + (rows - 0.5) * math.sin(turn) - place
        field *= np.asarray(1 - rng.uniform(0.1, 0.55) / (1 + np.exp(np.minimum(-away / soft, 60))), np.float32)
    thrice = cv2.merge([field] * 3)
    scene.picture = np.asarray(cv2.multiply(scene.picture, thrice, dtype=cv2.CV_8U), np.uint8)
    if rng.random() < 0.3:
        at, reach, tall = rng.uniform(0.2, 0.8, 2), rng.uniform(0.08, 0.6), rng.uniform(0.5, 2)
        away = ((columns - at[0]) / reach) ** 2 + ((rows - at[1]) / reach / tall) ** 2
        spot = (np.exp(-away) * rng.uniform(0.1, 0.85)).astype(np.float32)
        white = np.full_like(scene.picture, 255)
        scene.picture = np.asarray(cv2.blendLinear(scene.picture, white, 1 - spot, spot), np.uint8)
    if rng.random() < 0.12:
        length = max(2, int(rng.uniform(0.5, 2.5) * scene.px_per_mm))
        kernel = np.zeros((length, length), np.float32)
        turn = rng.uniform(0, math.pi)
        middle = (length - 1) / 2
        for step in np.linspace(-middle, middle, 2 * length):
            kernel[round(middle + step * math.sin(turn)), round(middle + step * math.cos(turn))] = 1
        scene.picture = np.asarray(cv2.filter2D(scene.picture, -1, kernel / kernel.sum()), np.uint8)
