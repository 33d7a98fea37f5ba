"""Tiles as hand-held photographs show them: any table top, seen from aslant, nearer or farther, kept as JPEG."""

import cv2
import numpy as np

from handreplay.synth import degrade
from handreplay.synth.canvas import FELT, PX_PER_MM, Canvas, Floats, Picture
from handreplay.synth.scene import CHIP, EITHER, SCENE_MM, TILE_PX, Stock, Tile, draw_scene, truth

_STEEPEST_DEGREES = 52.0


def _table_top(size: int, rng: np.random.Generator) -> Picture:
    """Wood, stone, cloth with a pattern, or a plain surface."""
    rows, columns = np.mgrid[0:size, 0:size].astype(np.float32)
    base, other = rng.uniform(10, 250, 3), rng.uniform(10, 250, 3)
    angle = float(rng.uniform(0, 2 * np.pi))
    along, across = columns * np.cos(angle) + rows * np.sin(angle), rows * np.cos(angle) - columns * np.sin(angle)
    coarse = cv2.resize(rng.normal(0, 1, (7, 7)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
    kind = rng.integers(5)
    if kind == 0:  # wood
        share = 0.5 + 0.5 * np.sin(across / float(rng.uniform(3, 25)) + coarse * 3 + along / 300)
        other = base * float(rng.uniform(0.5, 0.9))
    elif kind == 1:  # blotches
        fine = cv2.resize(rng.normal(0, 1, (40, 40)).astype(np.float32), (size, size), interpolation=cv2.INTER_CUBIC)
        share = (coarse + 0.6 * fine > float(rng.normal(0, 0.6))).astype(np.float32)
    elif kind == 2:  # checks and stripes
        step = float(rng.uniform(15, 140))
        share = ((along // step + (across // step if rng.random() < 0.6 else 0)) % 2).astype(np.float32)
    elif kind == 3:  # marbled
        share = np.clip(0.5 + coarse * 0.3, 0, 1)
    else:
        share = np.zeros_like(coarse)
    grain = rng.normal(0, float(rng.uniform(1, 14)), (size // 2, size // 2, 1)).astype(np.float32)
    rough = cv2.resize(grain, (size, size), interpolation=cv2.INTER_LINEAR)[:, :, None]
    return np.asarray(np.clip(base + (other - base) * share[:, :, None] + rough, 0, 255), np.uint8)


def _view(size_px: int, rng: np.random.Generator) -> Floats:
    """Canvas to tile (3 x 3): a camera above or aslant of the table, at any turn, 0.55 to 1.7 px/mm in the middle."""
    scale = float(np.exp(rng.uniform(np.log(0.55), np.log(1.7))))
    tilt = np.radians(float(rng.uniform(0, 1)) ** 1.3 * _STEEPEST_DEGREES)
    distance = float(rng.uniform(350, 1600))
    turns = [float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0, 2 * np.pi))]
    spins = [np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]) for a in turns]
    project = np.array([[scale, 0, 0], [0, scale * np.cos(tilt), 0], [0, np.sin(tilt) / distance, 1]])
    middle = (size_px - 1) / 2
    millimetres = np.array(
        [[1 / PX_PER_MM, 0, -middle / PX_PER_MM], [0, 1 / PX_PER_MM, -middle / PX_PER_MM], [0, 0, 1]]
    )
    place = np.array([[1, 0, (TILE_PX - 1) / 2], [0, 1, (TILE_PX - 1) / 2], [0, 0, 1]], float)
    return np.asarray(place @ spins[1] @ project @ spins[0] @ millimetres)


def _on_another_table(canvas: Canvas, rng: np.random.Generator) -> None:
    """Swap the bare felt for another surface."""
    felt = canvas.owner == FELT
    canvas.picture[felt] = _table_top(canvas.size_px, rng)[felt]


def _taken(canvas: Canvas, rng: np.random.Generator) -> Tile:
    camera = degrade.random_camera(rng)
    to_tile = _view(canvas.size_px, rng)
    lit = degrade.light(canvas.picture.astype(np.float32), rng)
    scale = float(np.sqrt(abs(np.linalg.det(to_tile[:2, :2]))))
    soft = cv2.GaussianBlur(lit, (0, 0), max(0.3, 0.42 / scale))
    around = tuple(float(value) for value in rng.uniform(0, 255, 3))
    size = (TILE_PX, TILE_PX)
    seen = cv2.warpPerspective(
        soft, to_tile, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=around
    )
    shot = degrade.sense(degrade.expose(np.asarray(seen), camera), camera, rng)
    picture = degrade.through_jpeg(shot, int(rng.integers(35, 97)))
    kind, thing, things = truth(canvas, to_tile)
    kind[kind == CHIP] = EITHER
    return Tile(picture, kind, thing, things)


def photo_tiles(stock: Stock, rng: np.random.Generator, count: int = 8) -> list[Tile]:
    """Tiles from `count` photographs."""
    tiles = []
    for _ in range(count):
        size_mm = int(SCENE_MM * float(rng.uniform(1.0, 1.5)))
        canvas = draw_scene(stock, size_mm, rng)
        if rng.random() < 0.75:
            _on_another_table(canvas, rng)
        tiles.append(_taken(canvas, rng))
    return tiles
