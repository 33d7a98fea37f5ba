"""Prepares openly licensed card artwork and index fonts for training. Nothing of it ships with the product.

    python -m handreplay.synth.art FOLDER [--npm NODE_MODULES] [--gnome CARDS] [--fonts FOLDER ...]

writes `FOLDER/<deck>/<card>.png` (254 x 356 BGRA), `FOLDER/courts-<deck>/` for decks whose courts alone are of use, and
`FOLDER/fonts/*`. Get the sources first, each through its own package manager:

    npm install @heruka_urgyen/react-playing-cards svg-cards @younestouati/playing-cards-standard-deck @fontsource/...
    apt-get install gnome-cards-data        # /usr/share/aisleriot/cards
    pip install resvg-py

| source | decks | licence |
| --- | --- | --- |
| npm @heruka_urgyen/react-playing-cards | three decks by Adrian Kennard | artwork CC0, package MIT |
| npm svg-cards | bellot | LGPL-2.1 |
| npm @younestouati/playing-cards-standard-deck | aguilar | LGPL-3.0 |
| Debian gnome-cards-data | French-suited decks named in GNOME_DECKS | GPL and others, see its copyright file |
| npm @fontsource/* | index fonts | OFL-1.1 or Apache-2.0 |

anglo_modern (and its four-colour twin) and tigullio are left out on purpose: they are kept for measuring.
"""

import argparse
import gzip
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from handreplay.core.cards import DECK, RANKS, SUITS
from handreplay.synth.faces import HEIGHT_PX, WIDTH_PX, Picture

GNOME_DECKS = (
    "ancient_french", "anglo", "anglo_bitmap", "anglo_poker", "atlasnye", "atlasnye_skat", "bellot", "berlin",
    "dondorf", "gnomangelo", "gnomangelo_bitmap", "guyenne-classic", "lattmann", "neoclassical",
    "neoclassical_4_color", "orell", "ornamental", "paris", "plastic", "rheinland", "simplistic", "tango",
    "tango_nuevo", "tarocco",
)  # fmt: skip
GNOME_COURTS = ("slavic_costumes", "swiss-xvii")
_GNOME_RANKS = "A23456789TJQK"
_SVG_CARDS_SUITS = {"c": "club", "d": "diamond", "h": "heart", "s": "spade"}
_SVG_CARDS_RANKS = {"A": "1", "T": "10", "J": "jack", "Q": "queen", "K": "king"}


def fetch_art(out: Path, npm: Path | None, gnome: Path | None, fonts: Sequence[Path]) -> int:
    """Write every deck that the given source folders hold; the number of decks written."""
    decks = 0
    for name, cards in _sources(npm, gnome):
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        for card, picture in cards:
            cv2.imwrite(str(folder / f"{card}.png"), cv2.resize(picture, (WIDTH_PX, HEIGHT_PX), interpolation=3))
        decks += 1
    (out / "fonts").mkdir(parents=True, exist_ok=True)
    for folder in fonts:
        for path in sorted(folder.rglob("*")):
            latin = path.suffix in {".ttf", ".otf"} or re.search(r"-latin-[4-9]00-normal\.woff$", path.name)
            if latin and "math" not in path.name.lower():
                shutil.copyfile(path, out / "fonts" / path.name)
    return decks


def _sources(npm: Path | None, gnome: Path | None) -> Iterator[tuple[str, Iterator[tuple[str, Picture]]]]:
    if npm:
        kennard = npm / "@heruka_urgyen/react-playing-cards/src/images"
        for folder, name in (("2color", "standard"), ("2color-bf", "jumbo"), ("4color", "four-colour")):
            yield f"kennard-{name}", _files(kennard / folder, {card: f"{card.upper()}.svg" for card in DECK})
        numbers = {rank: str(_GNOME_RANKS.index(rank) + 1) for rank in RANKS}
        aguilar = npm / "@younestouati/playing-cards-standard-deck/cards"
        yield "aguilar", _files(aguilar, {card: f"{numbers[card[0]]}{card[1]}.svg" for card in DECK})
        words = {c: f"{_SVG_CARDS_SUITS[c[1]]}_{_SVG_CARDS_RANKS.get(c[0], c[0])}.png" for c in DECK}
        yield "bellot-cards", _files(npm / "svg-cards/png/2x", words)
    if gnome:
        for name in GNOME_DECKS:
            yield name, _sheet(gnome / f"{name}.svgz", DECK)
        for name in GNOME_COURTS:
            yield f"courts-{name}", _sheet(gnome / f"{name}.svgz", [card for card in DECK if card[0] in "JQK"])


def _render(svg: str, width_px: int) -> Picture:
    import resvg_py

    drawn = np.frombuffer(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width_px, dpi=96.0)), np.uint8)
    return np.asarray(cv2.imdecode(drawn, cv2.IMREAD_UNCHANGED), np.uint8)


def _files(folder: Path, names: dict[str, str]) -> Iterator[tuple[str, Picture]]:
    for card, name in names.items():
        path = folder / name
        whole = cv2.imread(str(path), -1) if path.suffix == ".png" else _render(path.read_text("utf-8"), 2 * WIDTH_PX)
        yield card, _inside(np.asarray(whole, np.uint8))


def _inside(picture: Picture) -> Picture:
    """The picture cut to what is opaque: artwork often leaves a margin around the card."""
    ys, xs = np.nonzero(picture[:, :, 3] > 128)
    return picture[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1]


def _sheet(path: Path, wanted: Sequence[str]) -> Iterator[tuple[str, Picture]]:
    """Cards of a sheet of 13 columns (ace to king) and 5 rows (clubs, diamonds, hearts, spades, the rest)."""
    sheet = _render(gzip.decompress(path.read_bytes()).decode("utf-8"), 13 * 2 * WIDTH_PX)
    height, width = sheet.shape[0] / 5, sheet.shape[1] / 13
    for card in wanted:
        row, column = SUITS.index(card[1]), _GNOME_RANKS.index(card[0])
        cell = sheet[
            round(row * height) : round((row + 1) * height), round(column * width) : round((column + 1) * width)
        ]
        yield card, _inside(cell)
    if len(wanted) == len(DECK):
        yield "back", _inside(sheet[round(4 * height) :, round(2 * width) : round(3 * width)])


def _main() -> None:
    parser = argparse.ArgumentParser(description="Prepare card artwork and fonts for training.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--npm", type=Path)
    parser.add_argument("--gnome", type=Path)
    parser.add_argument("--fonts", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    print(f"{fetch_art(given.folder, given.npm, given.gnome, given.fonts)} decks in {given.folder}")


if __name__ == "__main__":
    _main()
