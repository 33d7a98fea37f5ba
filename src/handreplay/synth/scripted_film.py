"""Draws the pictures of a scripted film in the camera's view, and records them as H.264.

The bare table is drawn once; cards, stacks and packs are patches of felt laid over it, arms come on top.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from zlib import crc32

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.synth.canvas import FELT, PX_PER_MM, Canvas, Floats, lay_card, rectangle
from handreplay.synth.chips import draw_stack
from handreplay.synth.hands import long_arm
from handreplay.synth.scripted_layout import CARD_MM
from handreplay.synth.scripted_look import Look, felt_px
from handreplay.synth.scripted_stage import Script, Thing, Way, apply
from handreplay.vision.calibration import Calibration

Picture = NDArray[np.uint8]
Plane = NDArray[np.float32]

_CARD_HALF_MM, _STACK_HALF_MM, _PACK_HALF_MM = 70.0, 84.0, 90.0
_CARD_THICK_MM = 0.3
_ARM_PX_PER_MM = 1.0
_ARM_SIDE_PX, _UPPER_ARM_MM = 1240, 820.0
_NOISES = 5
_KEYFRAME_S = 2.0
_GLARE_MM = {"card": 62.0, "pack": 62.0, "stack": 38.0}
_DEALERS_IN_BLACK = 0.85
_ELBOW_ROOM_MM = 34.0  # from the fingertips back to what they hold


@dataclass(frozen=True)
class Patch:
    """Part of a picture: what shines through of what lies under it (H x W x 1), and what is added (H x W x 3)."""

    left: int
    top: int
    through: Plane
    added: Plane

    def lay(self, picture: Picture) -> None:
        rows, columns = self.through.shape[:2]
        top, left = max(0, self.top), max(0, self.left)
        bottom, right = min(picture.shape[0], self.top + rows), min(picture.shape[1], self.left + columns)
        if bottom <= top or right <= left:
            return
        part = np.s_[top - self.top : bottom - self.top, left - self.left : right - self.left]
        under = picture[top:bottom, left:right]
        picture[top:bottom, left:right] = np.clip(under * self.through[part] + self.added[part], 0, 255)


@dataclass(frozen=True)
class _Felt:
    """A square piece of felt in felt view at PX_PER_MM, as `Patch`."""

    half_mm: float
    through: Plane
    added: Plane


class Film:
    """One film in the making. Pictures are BGR uint8 of the calibration's size."""

    def __init__(
        self, calibration: Calibration, look: Look, felt: Picture, script: Script, seed: int, held: bool
    ) -> None:
        self.script = script
        self._calibration, self._look, self._seed = calibration, look, seed
        self._held = held  # the deck is held and seen, not in a box
        self._light = self._lamps()
        self._bare = self._seen_felt(felt)
        self._felts: dict[Thing, _Felt] = {}
        self._patches: dict[Thing, Patch] = {}
        self._arms = {way.name: self._arm(way.name) for way in script.ways}
        self._in_play = {carry.arm for carry in script.carries} | {"dealer", "dealer's left"}
        rng = np.random.default_rng([seed, 5])
        self._noise = [self._grain(rng) for _ in range(_NOISES)]

    # -- what is there

    def _lamps(self) -> Plane:
        """Brightness over the picture (H x W x 1)."""
        rng, (width, height) = np.random.default_rng([self._seed, 4]), self._calibration.size
        lamps = 1 + rng.normal(0, 0.06, (4, 5)).astype(np.float32)
        field = cv2.resize(lamps, (width, height), interpolation=cv2.INTER_CUBIC)
        rows, columns = np.ogrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
        field *= (1 - self._look.vignette * (rows**2 + columns**2) / 2).astype(np.float32)
        return np.asarray(field[:, :, None], np.float32)

    def _seen_felt(self, felt: Picture) -> Picture:
        width, height = self._calibration.size
        step = 8
        columns, rows = np.arange(0, width + step, step), np.arange(0, height + step, step)
        grid = np.stack(np.meshgrid(columns + 0.5, rows + 0.5), axis=-1).reshape(-1, 2)
        mm = self._calibration.to_felt_mm(grid)
        px = np.stack([felt_px(x, y) for x, y in mm.tolist()]).reshape(len(rows), len(columns), 2).astype(np.float32)
        grown = cv2.warpAffine(
            px, np.array([[step, 0, 0], [0, step, 0]], float), (width, height), flags=cv2.INTER_LINEAR
        )
        smooth = cv2.GaussianBlur(felt, (0, 0), 0.42 * PX_PER_MM / self._calibration.px_per_mm((0.0, 470.0)))
        seen = cv2.remap(smooth, grown[..., 0], grown[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(np.clip(seen * self._light, 0, 255), np.uint8)

    def _grain(self, rng: np.random.Generator) -> Picture:
        width, height = self._calibration.size
        grain = rng.standard_normal((height, width, 1), np.float32) * self._look.noise + 128
        coarse = rng.standard_normal((height // 2, width // 2, 3), np.float32) * self._look.chroma_noise
        return np.asarray(np.clip(grain + cv2.resize(coarse, (width, height)), 0, 255), np.uint8)

    # -- things

    def _felt_of(self, thing: Thing) -> _Felt:
        """What a thing looks like in felt view, wherever it lies."""
        look = replace(thing, x=0.0, y=0.0, level=0)
        if thing.kind == "stack":
            lean = self._calibration.lean_mm_per_mm((thing.x, thing.y)).round(1)
            look = replace(look, x=float(lean[0]), y=float(lean[1]))
        if look not in self._felts:
            drawn = self._drawn(look, thing)
            self._felts[look] = _under_glare(drawn, _GLARE_MM[thing.kind]) if thing.glaring else drawn
        return self._felts[look]

    def _drawn(self, look: Thing, thing: Thing) -> _Felt:
        seed = crc32(f"{self._seed} {thing.key} {thing.show} {thing.values}".encode())
        lean = self._calibration.lean_mm_per_mm((thing.x, thing.y))
        if thing.kind == "stack":
            return self._twice(_STACK_HALF_MM, lambda canvas: self._draw_stack(canvas, thing, lean, seed))
        half = _CARD_HALF_MM if thing.kind == "card" else _PACK_HALF_MM
        return self._twice(half, lambda canvas: self._draw_cards(canvas, thing, lean, seed))

    def _twice(self, half_mm: float, draw: Callable[[Plane], Plane]) -> _Felt:
        """Draw the same on black and on white: that tells what covers and what only darkens."""
        side = round(2 * half_mm * PX_PER_MM)
        black = draw(np.zeros((side, side, 3), np.float32))
        white = draw(np.full((side, side, 3), 255.0, np.float32))
        through = np.clip((white - black).mean(axis=2, keepdims=True) / 255, 0, 1)
        return _Felt(half_mm, np.asarray(through, np.float32), np.asarray(black, np.float32))

    def _draw_stack(self, canvas: Plane, thing: Thing, lean: Floats, seed: int) -> Plane:
        middle = canvas.shape[0] / 2
        leaning = (lean * PX_PER_MM).tolist()
        rng = np.random.default_rng(seed)
        draw_stack(canvas, (middle, middle), thing.values, self._look.chips, leaning, PX_PER_MM, rng, self._look.light,
                   self._look.jitter_mm)  # fmt: skip
        return canvas

    def _draw_cards(self, canvas: Plane, thing: Thing, lean: Floats, seed: int) -> Plane:
        middle = canvas.shape[0] / 2
        laid = Canvas(canvas.astype(np.uint8), np.full(canvas.shape[:2], FELT, np.int16))
        rng = np.random.default_rng(seed)
        face = self._look.deck.face(thing.show) if thing.show else self._look.backs[thing.back % len(self._look.backs)]
        small = np.asarray(cv2.resize(face, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
        for height in range(0, thing.cards if thing.kind == "pack" else 1, 4):
            at = np.array([middle, middle]) + lean * height * _CARD_THICK_MM * PX_PER_MM + rng.normal(0, 0.5, 2)
            corners = rectangle((at[0], at[1]), CARD_MM[0] * PX_PER_MM, CARD_MM[1] * PX_PER_MM, thing.turn)
            lay_card(laid, small, corners, bool(thing.show), rng, (0.1, 0.35))
        return laid.picture.astype(np.float32)

    def _seen(self, felt: _Felt, x: float, y: float) -> Patch:
        """A piece of felt at a place on the table, as the camera sees it."""
        half, side = felt.half_mm, felt.through.shape[0]
        corners_mm = [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
        corners = self._calibration.to_picture_px(corners_mm) - 0.5
        low, high = np.floor(corners.min(axis=0)).astype(int), np.ceil(corners.max(axis=0)).astype(int) + 1
        source = np.array([[-0.5, -0.5], [side - 0.5, -0.5], [side - 0.5, side - 0.5], [-0.5, side - 0.5]], np.float32)
        warp = cv2.getPerspectiveTransform(source, (corners - low).astype(np.float32))
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        soft = 0.36 * side / max(size)
        both = cv2.GaussianBlur(np.dstack([felt.through, felt.added]), (0, 0), soft)
        seen = cv2.warpPerspective(both, warp, size, flags=cv2.INTER_LINEAR, borderValue=(1, 0, 0, 0))
        light = float(self._light_at((low + high) // 2))
        plane: Plane = np.asarray(seen, np.float32)
        return Patch(int(low[0]), int(low[1]), plane[..., :1], plane[..., 1:] * np.float32(light))

    def _light_at(self, px: NDArray[np.int_]) -> float:
        height, width = self._light.shape[:2]
        return float(self._light[int(np.clip(px[1], 0, height - 1)), int(np.clip(px[0], 0, width - 1)), 0])

    def _patch(self, thing: Thing) -> Patch:
        if thing not in self._patches:
            self._patches[thing] = self._seen(self._felt_of(thing), thing.x, thing.y)
        return self._patches[thing]

    # -- arms

    def _arm(self, name: str) -> tuple[Picture, tuple[float, float]]:
        """An arm's picture (BGRA, colours multiplied by opacity) and where its fingers hold things."""
        owner = name.partition("'")[0]
        rng = np.random.default_rng([self._seed, crc32(owner.encode())])
        palm = (_ARM_SIDE_PX / 2, _ARM_SIDE_PX - 150.0)
        dark = owner == "dealer" and rng.random() < _DEALERS_IN_BLACK
        colours, alpha = long_arm(_ARM_SIDE_PX, palm, _ARM_PX_PER_MM, _UPPER_ARM_MM, rng, dark=dark)
        rows, columns = np.flatnonzero(alpha.max(axis=1) > 0.3), np.flatnonzero(alpha.max(axis=0) > 0.01)
        low, high = int(columns[0]), int(columns[-1]) + 1
        four = np.dstack([colours * alpha[..., None], alpha * 255])[:, low:high]
        if name != owner:  # the other hand
            four = four[:, ::-1]
            low = _ARM_SIDE_PX - high
        return np.asarray(np.clip(four, 0, 255), np.uint8), (palm[0] - low, float(rows[-1]) - _ELBOW_ROOM_MM)

    def _arm_patch(self, way: Way, t: float) -> Patch | None:
        sprite, hold = self._arms[way.name]
        grip = way.grip(t)
        ends = self._calibration.to_picture_px([way.shoulder, grip, way.grip(t - self._open_s)])
        along = ends[1] - ends[0]
        scale = self._calibration.px_per_mm(grip) / _ARM_PX_PER_MM
        angle = np.arctan2(along[1], along[0]) - np.pi / 2
        cosine, sine = float(np.cos(angle)) * scale, float(np.sin(angle)) * scale
        linear = np.array([[cosine, -sine], [sine, cosine]])
        offset = ends[1] - linear @ np.asarray(hold)
        height, width = sprite.shape[:2]
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ linear.T + offset
        frame = np.asarray(self._calibration.size)
        low = np.clip(np.floor(corners.min(axis=0)) - 24, -40, frame).astype(int)
        high = np.clip(np.ceil(corners.max(axis=0)) + 24, 0, frame + 40).astype(int)
        if (high - low).min() <= 1:
            return None
        warp = np.column_stack([linear, offset - low])
        seen = cv2.warpAffine(sprite, warp, (int(high[0] - low[0]), int(high[1] - low[1])), flags=cv2.INTER_LINEAR)
        return self._over(_smeared(np.asarray(seen, np.uint8), ends[1] - ends[2]), low)

    @property
    def _open_s(self) -> float:
        return self._look.shutter / 15

    def _over(self, seen: Picture, low: NDArray[np.int_]) -> Patch:
        """An arm and its shadow."""
        alpha = seen[..., 3]
        small = cv2.resize(alpha, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
        move = np.asarray(self._look.light.shadow) * 40 * 0.25
        shifted = cv2.warpAffine(small, np.array([[1, 0, move[0]], [0, 1, move[1]]], float), small.shape[::-1])
        shade = cv2.resize(cv2.GaussianBlur(shifted, (0, 0), 3.0), alpha.shape[::-1])
        through = (1 - alpha.astype(np.float32) / 255) * (1 - shade.astype(np.float32) * (self._look.light.depth / 255))
        return Patch(int(low[0]), int(low[1]), through[..., None], seen[..., :3].astype(np.float32))

    # -- pictures

    def pictures(self, fps: float) -> Iterator[tuple[int, Picture]]:
        """Each picture with its number; numbers are left out where the script has a hole."""
        script, things, number = self.script, {thing.key: thing for thing in self.script.start}, 0
        changes, rest, shown = list(script.changes), None, None
        for frame in range(round(script.duration * fps)):
            t = frame / fps
            while number < len(changes) and changes[number].t <= t:
                apply(things, changes[number])
                number, rest = number + 1, None
            if any(start < t < end for start, end in script.holes):
                continue
            idle = tuple(way for way in script.ways if way.is_home(t) and way.name in self._in_play)
            if rest is None or shown != [way.name for way in idle]:
                rest, shown = self._rest(things, idle, t), [way.name for way in idle]
            yield frame, self._picture(rest.copy(), idle, t, frame)

    def _rest(self, things: dict[str, Thing], idle: Sequence[Way], t: float) -> Picture:
        picture = self._bare.copy()
        order = {"pack": 0, "card": 0, "stack": 1}
        for thing in sorted(things.values(), key=lambda thing: (order[thing.kind], thing.level, self._depth(thing))):
            if thing.key != "shoe" or self._held:
                self._patch(thing).lay(picture)
        for way in idle:
            patch = self._arm_patch(way, t)
            if patch is not None:
                patch.lay(picture)
        return picture

    def _depth(self, thing: Thing) -> float:
        """Stacks nearer to the camera hide those behind them."""
        place = self._calibration.camera_mm
        return -float(np.hypot(thing.x - place[0], thing.y - place[1]))

    def _picture(self, picture: Picture, idle: Sequence[Way], t: float, frame: int) -> Picture:
        for way in self.script.ways:
            if way in idle or way.is_home(t):
                continue
            for thing in self._carried(way, t):
                self._seen(self._felt_of(thing), thing.x, thing.y).lay(picture)
            patch = self._arm_patch(way, t)
            if patch is not None:
                patch.lay(picture)
        return self._sensed(picture, t, frame)

    def _carried(self, way: Way, t: float) -> Iterator[Thing]:
        """What a hand carries, where it is just now."""
        x, y = way.grip(t)
        for carry in self.script.carries:
            if carry.arm == way.name and carry.start <= t < carry.end:
                for thing in carry.things:
                    yield replace(thing, x=thing.x + x, y=thing.y + y)

    def _sensed(self, picture: Picture, t: float, frame: int) -> Picture:
        """Lens, tone, sensor and the recorder's clock."""
        soft = cv2.GaussianBlur(picture, (3, 3), self._look.blur_px)
        toned = cv2.merge([cv2.LUT(soft[..., channel], self._look.tone[:, channel]) for channel in range(3)])
        noise = self._noise[(frame * 3 + frame // _NOISES) % _NOISES]
        noisy = np.asarray(cv2.addWeighted(toned, 1.0, noise, 1.0, -128.0), np.uint8)
        if self._look.overlay:
            self._write(noisy, t)
        return noisy

    def _write(self, picture: Picture, t: float) -> None:
        size, second = picture.shape[0] / 1080, int(t) + 4200  # ten past one, and counting
        clock = f"11/30/2026  {second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        for text, y in ((clock, 44), (self._look.overlay, 1060)):
            at = (round(24 * size), round(y * size))
            cv2.putText(picture, text, at, cv2.FONT_HERSHEY_DUPLEX, size, (0, 0, 0), 4, cv2.LINE_AA)
            cv2.putText(picture, text, at, cv2.FONT_HERSHEY_DUPLEX, size, (240, 240, 240), 2, cv2.LINE_AA)


def _under_glare(felt: _Felt, reach_mm: float) -> _Felt:
    """A lamp mirrored in it: nothing of it can be read."""
    side = felt.through.shape[0]
    rows, columns = np.ogrid[:side, :side]
    away = np.hypot(rows - side / 2, columns - side / 2)
    glare = np.clip(1.6 - away / (reach_mm * PX_PER_MM), 0, 0.97).astype(np.float32)[..., None]
    return _Felt(felt.half_mm, felt.through * (1 - glare), felt.added * (1 - glare) + 250 * glare)


def _smeared(seen: Picture, moved_px: Floats) -> Picture:
    """The blur of a hand that moves by so much while the shutter is open."""
    far = float(np.hypot(*moved_px))
    if far < 2:
        return seen
    steps = min(5, int(far / 2) + 1)
    total = np.zeros(seen.shape, np.float32)
    for step in range(steps):
        dx, dy = (-moved_px * step / max(steps - 1, 1)).tolist()
        shift = np.array([[1, 0, dx], [0, 1, dy]], float)
        total += cv2.warpAffine(seen, shift, seen.shape[1::-1], flags=cv2.INTER_NEAREST)
    return (total / steps).astype(np.uint8)


def record(
    path: Path, pictures: Iterator[tuple[int, Picture]], size: tuple[int, int], fps: float, bitrate: int
) -> None:
    """Write numbered pictures as an MP4 file, each at its number's time."""
    rate = Fraction(fps).limit_denominator(1000)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=rate)
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        stream.bit_rate = bitrate
        stream.thread_count = 1
        stream.options = {
            "preset": "veryfast", "g": str(round(fps * _KEYFRAME_S)), "maxrate": str(round(bitrate * 1.3)),
            "bufsize": str(bitrate * 2), "bf": "0",
        }  # fmt: skip
        for number, picture in pictures:
            frame = av.VideoFrame.from_ndarray(picture, format="bgr24")
            frame.pts, frame.time_base = number, 1 / rate
            out.mux(stream.encode(frame))
        out.mux(stream.encode())
