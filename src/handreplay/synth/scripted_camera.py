"""Cameras for scripted films: where they hang, what they see, and the `[camera]` section that tells so."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]

CAMERAS = ("ceiling", "behind_dealer", "left", "right", "players")
_TILT_DEGREES = {"ceiling": 0.0, "behind_dealer": 20.0, "left": 22.0, "right": 22.0, "players": 18.0}
_FROM = {"behind_dealer": (0.0, -1.0), "left": (1.0, 0.0), "right": (-1.0, 0.0), "players": (0.0, 1.0)}
_MIDDLE = (0.0, 470.0)
_MARGIN_MM = 45.0


@dataclass(frozen=True)
class FilmCamera:
    """The camera settings of a table profile (FORMATS.md, section 1); pixels count from the picture's corner."""

    size: tuple[int, int]
    image_points: tuple[tuple[float, float], ...]
    table_points: tuple[tuple[float, float], ...]
    distortion: tuple[float, ...]
    focal_px: float
    principal_px: tuple[float, float]
    position_mm: tuple[float, float, float]

    def as_toml(self) -> str:
        lines = ["[camera]"]
        for name in ("size", "image_points", "table_points", "distortion", "focal_px", "principal_px", "position_mm"):
            lines.append(f"{name} = {_toml(getattr(self, name))}")
        return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return str(value)


def film_camera(
    kind: str, size: tuple[int, int], outlines: Sequence[Sequence[tuple[float, float]]], rng: np.random.Generator
) -> FilmCamera:
    """A camera of one of CAMERAS over zones with these outlines (mm), all of them in the picture."""
    corners = np.asarray([point for outline in outlines for point in outline], float)
    tilt = np.radians(_TILT_DEGREES[kind] + rng.normal(0, 1.2))
    away = np.asarray(_FROM[kind]) if kind != "ceiling" else rng.normal(0, 1, 2)
    reach = float(rng.uniform(2250, 2700))
    over = np.asarray(_MIDDLE) + rng.normal(0, 15, 2)
    place = np.array([*(over + away * np.sin(tilt) * reach), -np.cos(tilt) * reach])
    bend = (float(rng.uniform(-0.05, 0.01)), float(rng.uniform(0, 0.01)), *rng.normal(0, 0.0004, 2).tolist(), 0.0)
    upside_down = kind != "players" and (kind in ("behind_dealer", "left", "right") or rng.random() < 0.7)
    roll = (np.pi if upside_down else 0.0) + np.radians(rng.normal(0, 0.7))
    target: Floats = np.array([*_MIDDLE, 0.0])
    rotation: Floats = np.eye(3)
    box = corners
    for _ in range(4):  # until the zones' box is in the picture's middle
        rotation = _looking(place, target, roll)
        box = _seen(corners, place, rotation, 1.0, (0.0, 0.0), bend)
        off = (box.max(axis=0) + box.min(axis=0)) / 2
        ray = rotation.T @ np.array([off[0], off[1], 1.0])
        target = place + ray * (-place[2] / ray[2])
    span = box.max(axis=0) - box.min(axis=0)
    half = np.asarray(size) / 2
    focal = float(np.min(2 * half / (span * (1 + 2 * _MARGIN_MM / 1000))))
    principal = (half[0].item(), half[1].item())
    pixels = _seen(corners, place, rotation, focal, principal, bend)
    keep = ((pixels > 2) & (pixels < np.asarray(size) - 2)).all(axis=1)
    return FilmCamera(
        size=size,
        image_points=tuple((round(float(x), 2), round(float(y), 2)) for x, y in pixels[keep]),
        table_points=tuple((float(x), float(y)) for x, y in corners[keep]),
        distortion=tuple(round(value, 6) for value in bend),
        focal_px=round(focal, 2),
        principal_px=principal,
        position_mm=(round(float(place[0]), 1), round(float(place[1]), 1), round(float(-place[2]), 1)),
    )


def _looking(place: Floats, target: Floats, roll: float) -> Floats:
    """Rows: right, down and forward of the camera, in table coordinates whose third axis points into the felt."""
    forward = (target - place) / np.linalg.norm(target - place)
    right = np.array([1.0, 0.0, 0.0]) - forward * forward[0]
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    turned = np.cos(roll) * right + np.sin(roll) * down
    return np.stack([turned, np.cross(forward, turned), forward])


def _seen(
    points_mm: Floats,
    place: Floats,
    rotation: Floats,
    focal: float,
    principal: tuple[float, float],
    bend: Sequence[float],
) -> Floats:
    solid = np.column_stack([points_mm, np.zeros(len(points_mm))])
    matrix = np.array([[focal, 0, principal[0]], [0, focal, principal[1]], [0, 0, 1]])
    turn, _ = cv2.Rodrigues(rotation)
    seen, _ = cv2.projectPoints(solid, turn, -rotation @ place, matrix, np.asarray(bend))
    return np.asarray(seen[:, 0], float)
