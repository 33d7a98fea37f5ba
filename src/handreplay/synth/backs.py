"""Draws card backs: a pattern in one or two colours, with or without a white border."""

import cv2
import numpy as np

from handreplay.synth.faces import HEIGHT_PX, WIDTH_PX, Picture, rounded_alpha


def draw_back(seed: int, corner_mm: float = 3.2) -> Picture:
    """A back design: BGRA, HEIGHT_PX x WIDTH_PX. The same seed gives the same design."""
    rng = np.random.default_rng([seed, 77])
    hue = rng.choice([0, 0, 108, 112, 118, 65, 140, 15, 90, 25, int(rng.integers(0, 180))])
    ink = _colour(int(hue), int(rng.integers(110, 255)), int(rng.integers(40, 220)))
    if rng.random() < 0.12:
        ink = (int(rng.integers(15, 70)),) * 3
    paper = (250, 250, 250) if rng.random() < 0.75 else _colour(int(rng.integers(0, 180)), 90, 230)
    field = _pattern(rng, ink, paper)
    back = np.empty((HEIGHT_PX, WIDTH_PX, 3), np.uint8)
    back[:] = paper
    inset = int(rng.choice([0, 0, 0, 0, 8, 12, 16, 20, 26]))
    back[inset : HEIGHT_PX - inset, inset : WIDTH_PX - inset] = field[
        inset : HEIGHT_PX - inset, inset : WIDTH_PX - inset
    ]
    if inset and rng.random() < 0.6:
        cv2.rectangle(back, (inset, inset), (WIDTH_PX - 1 - inset, HEIGHT_PX - 1 - inset), ink, int(rng.integers(1, 4)))
    if rng.random() < 0.55:
        _logo(back, rng, ink, paper)
    return np.dstack([back, rounded_alpha(corner_mm)])


def _colour(hue: int, saturation: int, value: int) -> tuple[int, int, int]:
    b, g, r = cv2.cvtColor(np.array([[[hue % 180, saturation, value]]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0]
    return int(b), int(g), int(r)


def _pattern(rng: np.random.Generator, ink: tuple[int, int, int], paper: tuple[int, int, int]) -> Picture:
    rows, columns = np.mgrid[0:HEIGHT_PX, 0:WIDTH_PX].astype(np.float32)
    step, line = float(np.exp(rng.uniform(np.log(2.5), np.log(32)))), float(rng.uniform(0.15, 0.6))
    tall = float(rng.choice([1.0, 1.0, 1.6]))
    along = (columns + rows / tall) / step % 1
    across = (columns - rows / tall) / step % 1
    kind = rng.choice([0, 0, 0, 1, 2, 3, 4, 5, 6, 7])
    if kind == 0:  # crosshatch
        on = (along < line) | (across < line)
    elif kind == 1:  # lozenges
        on = (along < 0.5) ^ (across < 0.5)
    elif kind == 2:
        on = np.ones_like(along, bool)
    elif kind == 3:  # dots
        on = np.hypot(columns % step - step / 2, rows % step - step / 2) > step * (0.15 + line / 2)
    elif kind == 4:  # chequered
        on = (columns % step < step / 2) ^ (rows % step < step / 2)
    elif kind == 5:  # rosettes
        on = (
            np.sin(np.hypot(columns - 127, rows - 178) / step * 6) + np.cos(np.arctan2(rows - 178, columns - 127) * 12)
            > 0
        )
    elif kind == 6:  # stripes
        on = (along if rng.random() < 0.5 else columns / step % 1) < 0.5
    else:  # fine scrollwork
        on = np.sin(columns / step * 6) * np.cos(rows / step * 6) + np.sin((columns + rows) / step * 3) > 0.1
    field = np.empty((HEIGHT_PX, WIDTH_PX, 3), np.uint8)
    field[:] = paper
    field[on] = ink
    return field


def _logo(back: Picture, rng: np.random.Generator, ink: tuple[int, int, int], paper: tuple[int, int, int]) -> None:
    centre = (WIDTH_PX // 2, HEIGHT_PX // 2)
    size = int(rng.integers(20, 70))
    axes = (size, round(size * rng.uniform(0.7, 1.4)))
    cv2.ellipse(back, centre, axes, 0, 0, 360, paper, -1, cv2.LINE_AA)
    cv2.ellipse(back, centre, (round(axes[0] * 0.8), round(axes[1] * 0.8)), 0, 0, 360, ink, 2, cv2.LINE_AA)
    text = "".join(rng.choice(list("ABCDEGLMNPRSTW"), int(rng.integers(1, 4))))
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, size / 40, 2)
    at = (centre[0] - width // 2, centre[1] + height // 2)
    cv2.putText(back, text, at, cv2.FONT_HERSHEY_DUPLEX, size / 40, ink, 2, cv2.LINE_AA)
