"""Decks of playing cards for training pictures: our own drawing in many designs, and openly licensed artwork.

`fetch_art` (in `handreplay.synth.art`) prepares the artwork; without it the drawn decks alone are used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from handreplay.core.cards import DECK
from handreplay.errors import ModelError
from handreplay.synth import shapes
from handreplay.synth.backs import draw_back
from handreplay.synth.faces import HEIGHT_PX, WIDTH_PX, Colour, FaceStyle, Picture, draw_face, rounded_alpha

_FACES_KEPT = 1200  # 0.36 MB each


@dataclass(frozen=True)
class Deck:
    """One deck design. Pictures are BGRA uint8, 356 x 254 (4 px/mm), the rounded corners in the alpha."""

    name: str
    style: FaceStyle | None  # None: a deck of artwork, all of it
    art: Path | None  # folder with one picture per card, `Ah.png`; for a drawn deck: where its courts come from

    def face(self, card: str) -> Picture:
        """The face of a card such as `"Ts"`. Treat it as read-only: it is kept for the next call."""
        return _face(self, card)

    def back(self, style: int) -> Picture:
        """A back design by number; artwork decks show their own back as number 0."""
        if style == 0 and self.style is None and self.art and (self.art / "back.png").is_file():
            return _read(self.art / "back.png")
        return draw_back(style * 7919 + (self.style.seed if self.style else 0))

    def __hash__(self) -> int:
        return hash(self.name)


def load_decks(seed: int, art_dir: Path | None, drawn: int = 160) -> list[Deck]:
    """`drawn` decks of our own, different for every seed, then each complete artwork deck in `art_dir`, by name.

    Raises ModelError where `art_dir` is given and holds none: what learns from it would be another model.
    """
    art, courts = _art_folders(art_dir, DECK), _art_folders(art_dir, [card for card in DECK if card[0] in "JQK"])
    if art_dir is not None and not art:
        raise ModelError(f"{art_dir}: holds no deck of 52 pictures; make one with python -m handreplay.synth.art")
    fonts = shapes.fonts(art_dir)
    decks = []
    for number in range(drawn):
        rng = np.random.default_rng([seed, number])
        style = random_style(rng, fonts)
        figures = courts[int(rng.integers(len(courts)))] if courts and style.court == "art" else None
        decks.append(Deck(f"drawn-{seed}-{number}", style, figures))
    return decks + [Deck(folder.name, None, folder) for folder in art]


def _art_folders(art_dir: Path | None, cards: Sequence[str]) -> list[Path]:
    """Folders that hold a picture of each of the cards."""
    if art_dir is None or not art_dir.is_dir():
        return []
    return sorted(path for path in art_dir.iterdir() if all((path / f"{card}.png").is_file() for card in cards))


@lru_cache(maxsize=_FACES_KEPT)
def _face(deck: Deck, card: str) -> Picture:
    if deck.style is None:
        assert deck.art is not None
        return _read(deck.art / f"{card}.png")
    middle = None
    if deck.art is not None and card[0] in "JQK":
        middle = _court_middle(_read(deck.art / f"{_figure_of(card, deck.style.seed)}.png"), deck.style)
    return draw_face(deck.style, card, middle)


def _figure_of(card: str, seed: int) -> str:
    """Whose figure a court card shows. In two decks of three it is any court's, so that a reader learns the index."""
    if seed % 3 == 0:
        return card
    courts = [rank + suit for rank in "JQK" for suit in "cdhs"]
    return courts[int(np.random.default_rng([seed, *map(ord, card)]).integers(len(courts)))]


def _read(path: Path) -> Picture:
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None:
        raise ValueError(f"{path}: not a picture")
    if picture.shape[:2] != (HEIGHT_PX, WIDTH_PX):
        picture = cv2.resize(picture, (WIDTH_PX, HEIGHT_PX), interpolation=cv2.INTER_AREA)
    if picture.shape[2] == 3:
        picture = np.dstack([picture, rounded_alpha(3.2)])
    return np.asarray(picture, np.uint8)


def _court_middle(card: Picture, style: FaceStyle) -> Picture:
    """The figure of an artwork court without its indices, on the drawn deck's stock."""
    alpha = card[:, :, 3:].astype(np.float32) / 255
    flat = card[:, :, :3] * alpha + np.array(style.stock, np.float32) * (1 - alpha)
    x, y = round(0.185 * WIDTH_PX), round(0.05 * HEIGHT_PX)
    return flat[y : HEIGHT_PX - y, x : WIDTH_PX - x].astype(np.uint8)


def _inks(rng: np.random.Generator) -> dict[str, Colour]:
    shade = int(rng.integers(0, 55))
    black = (shade + int(rng.integers(0, 25)), shade + int(rng.integers(0, 12)), shade)
    red = (int(rng.integers(0, 90)), int(rng.integers(0, 80)), int(rng.integers(165, 250)))
    if rng.random() < 0.82:
        return {"c": black, "s": black, "d": red, "h": red}
    green = (int(rng.integers(0, 90)), int(rng.integers(90, 160)), int(rng.integers(0, 50)))
    blue = (int(rng.integers(150, 250)), int(rng.integers(40, 130)), int(rng.integers(0, 60)))
    if rng.random() < 0.75:
        return {"c": green, "s": black, "d": blue, "h": red}
    amber = (int(rng.integers(0, 60)), int(rng.integers(130, 190)), int(rng.integers(210, 250)))
    return {"c": green, "s": blue if rng.random() < 0.5 else black, "d": amber, "h": red}


def _stock(rng: np.random.Generator) -> Colour:
    white = int(rng.integers(225, 256))
    warm = int(rng.integers(0, 30)) if rng.random() < 0.35 else int(rng.integers(0, 5))
    return white - warm, white - warm // 3, white


def _index_size(rng: np.random.Generator) -> tuple[float, float]:
    """Height of the rank and of a second, peek index (0: none), mm."""
    kind = rng.random()
    if kind < 0.30:
        return float(rng.uniform(12, 18)), 0.0  # jumbo
    if kind < 0.72:
        return float(rng.uniform(7, 12)), 0.0
    if kind < 0.90:
        return float(rng.uniform(4.8, 7)), 0.0  # peek
    return float(rng.uniform(11, 15)), float(rng.uniform(3, 4))


def random_style(rng: np.random.Generator, fonts: tuple[str, ...]) -> FaceStyle:
    """A deck design drawn at random."""
    height, peek = _index_size(rng)
    font = str(rng.choice(list(fonts)))
    stretch = float(np.clip(rng.normal(0.85, 0.18), 0.5, 1.3))
    natural = shapes.character(font, "8", 0).shape
    stretch = min(stretch, max(0.45, 15.0 / (height * natural[1] / natural[0])))
    inset = (float(rng.uniform(1.2, 4.0)), float(rng.uniform(1.5, 5.5)))
    if peek:
        inset = (4.5 + inset[0] / 2, 4.0 + inset[1] / 2)
    draw: dict[str, Any] = {
        "pip_height": float(rng.uniform(8, 15)),
        "pip_area": (float(rng.uniform(0.30, 0.48)), float(rng.uniform(0.50, 0.70))),
        "court_share": (float(rng.uniform(0.52, 0.76)), float(rng.uniform(0.72, 0.92))),
    }
    palette = tuple((int(b), int(g), int(r)) for b, g, r in rng.integers(20, 245, (5, 3)))
    style = FaceStyle(
        seed=int(rng.integers(1 << 30)),
        font=font,
        stroke_px=int(rng.choice([-3, -1, 0, 0, 1, 3, 5])),
        index_height=height,
        index_stretch=stretch,
        ten_width=float(rng.uniform(0.5, 0.9)),
        index_at=inset,
        index_corners=4 if rng.random() < 0.15 else 2,
        index_order=str(rng.choice(["rank over suit"] * 16 + ["suit beside rank"] * 2 + ["suit opposite"])),  # type: ignore[arg-type]
        index_suit=float(rng.uniform(0.55, 1.05)) if height < 12 else float(rng.uniform(0.5, 0.9)),
        index_gap=float(rng.uniform(0.4, 2.0)),
        suit_style=int(rng.integers(1000)),
        pips=str(rng.choice(["standard"] * 8 + ["one large suit"] * 6 + ["large rank", "none"])),  # type: ignore[arg-type]
        peek=peek,
        ace_height=float(rng.uniform(14, 42)),
        ace_ornament=int(rng.integers(14)),
        court=str(rng.choice(["figure"] * 4 + ["art"] * 9 + ["letter", "monogram"])),  # type: ignore[arg-type]
        court_frame=int(rng.integers(4)),
        border=int(rng.integers(1, 9)) if rng.random() < 0.12 else 0,
        stock=_stock(rng),
        inks=_inks(rng),
        corner_mm=float(rng.uniform(2.4, 4.2)),
        court_colours=palette,
        **draw,
    )
    return _clear_of_index(style, rng)


def _clear_of_index(style: FaceStyle, rng: np.random.Generator) -> FaceStyle:
    """Wide indices push the pips inwards and make them smaller, as jumbo decks do."""
    column = style.index_at[0] + style.index_height * 0.62 * style.index_stretch
    room = 63.5 - 2 * column - 1.0
    if room >= style.pip_area[0] * 63.5 + style.pip_height or rng.random() < 0.15:
        return style
    pip = max(6.5, min(style.pip_height, room / 2.9))
    return replace(style, pip_height=pip, pip_area=(max(0.2, (room - pip) / 63.5), style.pip_area[1]))
