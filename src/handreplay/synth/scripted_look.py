"""How one scripted film looks: its deck, chips, felt with the printed layout, light, camera picture and recorder."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.config import Profile
from handreplay.synth.backs import draw_back
from handreplay.synth.canvas import PX_PER_MM, Canvas, rectangle
from handreplay.synth.chips import ChipLook, ChipSet, Colour, Light, random_chipset, random_light
from handreplay.synth.clutter import lay_box, lay_cup, lay_holder, lay_tray
from handreplay.synth.decks import Deck, load_decks
from handreplay.synth.faces import Picture
from handreplay.synth.felts import new_cloth, print_outline, print_word
from handreplay.synth.scripted_layout import CARD_MM, Layout, Spot

_SIDE_MM = 2300  # of the square of felt and floor that is drawn
_LEFT_MM, _TOP_MM = -1150.0, -450.0
_BACKS_LOOKED_AT = 160
_CUP_PLACES = ((560.0, 10.0), (-560.0, 10.0), (500.0, 20.0), (0.0, 900.0), (820.0, 40.0), (-820.0, 40.0))


@dataclass(frozen=True)
class Look:
    """What stays the same through a film. Tone: brightness in, brightness out, per channel (256 x 3, BGR)."""

    deck: Deck
    backs: tuple[Picture, ...]
    chips: ChipSet
    light: Light
    jitter_mm: float
    noise: float
    chroma_noise: float
    blur_px: float
    shutter: float  # share of a picture's time
    vignette: float
    tone: NDArray[np.uint8]
    overlay: str
    bitrate: int


def film_look(profile: Profile, seed: int, size: tuple[int, int]) -> Look:
    rng = np.random.default_rng([seed, 1])
    return Look(
        deck=_plain_deck(seed),
        backs=tuple(_back_like(colour, rng) for colour in _back_colours(profile)),
        chips=_chip_set(profile, rng),
        light=_soft_light(rng),
        jitter_mm=float(rng.choice([0.3, 0.45, 0.6])),
        noise=float(rng.uniform(1.5, 4.8)),
        chroma_noise=float(rng.uniform(0.5, 1.2)),
        blur_px=float(rng.uniform(0.45, 0.8)),
        shutter=float(rng.uniform(0.08, 0.25)),
        vignette=float(rng.uniform(0.08, 0.3)),
        tone=_tone(rng),
        overlay=f"CAM {int(rng.integers(10, 99))}  PIT {int(rng.integers(1, 30)):02d}" if rng.random() < 0.7 else "",
        bitrate=round(1_200_000 * size[0] * size[1] / (1920 * 1080) * float(rng.choice([1.0, 1.0, 1.5]))),
    )


def _plain_deck(seed: int) -> Deck:
    """A deck as casinos buy them: indices of some size over the suit, pips or one large suit."""
    for deck in load_decks(seed, None, 60):
        style = deck.style
        assert style is not None
        if style.index_order != "rank over suit" or style.peek or style.pips not in ("standard", "one large suit"):
            continue
        if 9.0 <= style.index_height <= 17 and style.index_stretch >= 0.7 and not style.border:
            return deck
    raise AssertionError("no plain deck among sixty")


def _back_colours(profile: Profile) -> Sequence[str]:
    return profile.deck.backs if profile.deck is not None and profile.deck.backs else ("#9b1c2c", "#1c3f8f")


def _back_like(colour: str, rng: np.random.Generator) -> Picture:
    """Of many drawn backs the one that is most of this colour; mostly with a white edge and a pattern, as sold."""
    wanted, first, usual = np.asarray(_bgr(colour)), int(rng.integers(1 << 20)), rng.random() < 0.75
    drawn = [draw_back(first + number) for number in range(_BACKS_LOOKED_AT)]
    backs = [back for back in drawn if not usual or _edged_and_patterned(back)] or drawn
    return min(backs, key=lambda back: float(np.linalg.norm(back[60:-60, 50:-50, :3].mean(axis=(0, 1)) - wanted)))


def _edged_and_patterned(back: Picture) -> bool:
    """Told as a table camera sees it, at a pixel a millimetre."""
    small = cv2.resize(back[..., :3], None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA).mean(axis=2)
    return float(small[20:-20, :2].mean()) > 200 and float(small[12:-12, 10:-10].std()) > 10


def _bgr(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return float(blue), float(green), float(red)


def _as_bought(colour: str, rng: np.random.Generator) -> Colour:
    blue, green, red = np.clip(np.asarray(_bgr(colour)) + rng.normal(0, 4, 3), 0, 255).tolist()
    return blue, green, red


def _chip_set(profile: Profile, rng: np.random.Generator) -> ChipSet:
    """The profile's chips in one design; as bought, they differ a little from the nominal colours."""
    design = random_chipset(rng).looks[0]
    pale = (222.0, 232.0, 236.0)
    looks: list[ChipLook] = []
    for chip in profile.chips:
        face, edge = _as_bought(chip.face, rng), _as_bought(chip.edge, rng)
        under = pale if design.inlay_radius else face
        looks.append(
            replace(
                design,
                value=chip.value,
                face=face,
                edge=edge,
                inlay=pale,
                ring=edge,
                print_colour=(40.0, 40.0, 45.0) if sum(under) > 330 else (230.0, 235.0, 238.0),
                text=f"${chip.value}" if design.text.startswith("$") else chip.value,
            )
        )
    return ChipSet(tuple(looks))


def _soft_light(rng: np.random.Generator) -> Light:
    """One main lamp over the table: short shadows that are plainly there."""
    turn, throw = rng.uniform(0, 2 * np.pi), rng.uniform(0.12, 0.5)
    return replace(
        random_light(rng),
        shadow=(float(throw * np.cos(turn)), float(throw * np.sin(turn))),
        softness_mm=float(rng.uniform(0.7, 1.8)),
        depth=float(rng.uniform(0.22, 0.5)),
        wall=float(rng.uniform(0.0, 0.2)),
        wall_level=float(rng.uniform(0.65, 0.95)),
        gap=float(rng.uniform(0.15, 0.45)),
    )


def _tone(rng: np.random.Generator) -> NDArray[np.uint8]:
    warm, exposure = float(rng.normal(0, 0.04)), float(rng.uniform(0.95, 1.18))
    gamma, lift = float(rng.uniform(0.86, 1.08)), float(rng.uniform(0, 7))
    share = np.arange(256) / 255
    gains = (1 - warm, 1.0, 1 + warm)
    table = [255 * np.clip(share * exposure * gain, 0, 1) ** gamma * (1 - lift / 255) + lift for gain in gains]
    return np.asarray(np.clip(np.stack(table, axis=1) + 0.5, 0, 255), np.uint8)


# -- the felt


def felt_px(x_mm: float, y_mm: float) -> tuple[float, float]:
    """Table millimetres to pixels of `printed_felt`."""
    return (x_mm - _LEFT_MM) * PX_PER_MM, (y_mm - _TOP_MM) * PX_PER_MM


def printed_felt(profile: Profile, layout: Layout, seed: int) -> Picture:
    """The table from straight above at PX_PER_MM: cloth, print, rail, floor and what stands on it all the time."""
    rng = np.random.default_rng([seed, 2])
    small = new_cloth(_SIDE_MM, rng)
    while not 25 < float(small.mean()) < 130:  # neither black nor white: no house plays on such
        small = new_cloth(_SIDE_MM, rng)
    side = int(_SIDE_MM * PX_PER_MM)
    picture = np.asarray(cv2.resize(small, (side, side), interpolation=cv2.INTER_CUBIC), np.uint8)
    ink = (200.0, 215.0, 225.0) if rng.random() < 0.6 else (110.0, 200.0, 225.0)
    font = int(rng.choice([cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX]))
    for name in layout.names:
        _print_zone(picture, name, layout.spot(name), ink, font, seed)
    title = str(rng.choice(["THE MERIDIAN", "KEYSTONE CLUB", "RIVER HOUSE"]))
    print_word(picture, title, felt_px(0, 478), 26 * PX_PER_MM, 180.0, ink, cv2.FONT_HERSHEY_COMPLEX)
    _floor(picture, rng)
    canvas = Canvas(picture, np.zeros(picture.shape[:2], np.int16))
    _furniture(canvas, profile, layout, rng)
    return canvas.picture


def _print_zone(picture: Picture, name: str, spot: Spot, ink: tuple[float, ...], font: int, seed: int) -> None:
    seat, _, wager = name.partition(".")
    thick = 3 + seed % 2
    if wager == "cards" or name == "community":
        _print_boxes(picture, name, spot, ink, thick)
    elif seat.startswith("seat"):
        _print_wager(picture, wager, spot, ink, font, seed)


def _print_boxes(picture: Picture, name: str, spot: Spot, ink: tuple[float, ...], thick: int) -> None:
    one_box = name == "dealer.cards" or spot.half_right > 128
    count = 1 if one_box else int((2 * spot.half_right - 4) / 69)
    count = 2 if name == "community" and count == 3 else count
    width = 2 * spot.half_right - 4 if one_box else CARD_MM[0] + 4
    for number in range(count):
        middle = felt_px(*spot.at((number - (count - 1) / 2) * 70.0, 0))
        corners = rectangle(middle, width * PX_PER_MM, (CARD_MM[1] + 4) * PX_PER_MM, spot.turn)
        print_outline(picture, corners, ink, thick, None)


def _print_wager(picture: Picture, wager: str, spot: Spot, ink: tuple[float, ...], font: int, seed: int) -> None:
    at = felt_px(*spot.middle)
    if wager == "progressive":  # a sensor's lamp
        cv2.circle(picture, (round(at[0]), round(at[1])), 26, (40, 30, 150), -1, cv2.LINE_AA)
        cv2.circle(picture, (round(at[0]), round(at[1])), 30, ink, 4, cv2.LINE_AA)
        return
    sides = (40, 40, 4)[(len(wager) + seed) % 3]
    radius = min(30.0, 0.8 * min(spot.half_right, spot.half_down)) * PX_PER_MM
    angles = np.linspace(0, 2 * np.pi, sides, endpoint=False) + np.pi / 4 + np.radians(spot.turn)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1) * radius * (1.15 if sides == 4 else 1.0) + at
    print_outline(picture, ring, ink, 4, None)
    said = {"bet1": "1", "bet2": "2", "bet3": "$"}.get(wager, wager.upper()).split("_")
    for number, text in enumerate(said):
        height = min(11.0, 46.0 / max(len(text), 3)) * PX_PER_MM
        place = felt_px(*spot.at(0, (number - (len(said) - 1) / 2) * (height / PX_PER_MM + 3)))
        print_word(picture, text, place, height, spot.turn, ink, font)


def _floor(picture: Picture, rng: np.random.Generator) -> None:
    """The padded rail round the players' side and the dark beyond it and before the dealer."""
    angles = np.radians(np.arange(0, 181, 3))
    inner = 888 - 60 * np.cos(angles) ** 2 + 55 * np.abs(np.sin(2 * angles)) + 105
    width, grey = float(rng.uniform(70, 100)), float(rng.uniform(25, 110))
    floor = tuple(float(v) for v in rng.uniform(4, 26, 3))
    outside = np.full(picture.shape[:2], 255, np.uint8)
    felt = _arc(angles, inner)
    cv2.fillPoly(outside, [felt], 0, cv2.LINE_AA, 4)
    picture[outside > 127] = floor
    for step in range(12):
        share = step / 11
        shade = grey * (0.35 + 0.9 * np.sin(np.pi * min(0.97, share + 0.05)) ** 2)
        ring = _arc(angles, inner + width * (share + 0.05))[1:-1]
        cv2.polylines(
            picture, [ring], False, (shade, shade, shade * 1.04), round(width / 11 * PX_PER_MM) + 4, cv2.LINE_AA, 4
        )


def _arc(angles: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.int32]:
    """A closed outline along the players' side and the dealer's edge, for shift=4."""
    around = np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=1)
    ends = np.array([[radius[0], -28.0], *around, [-radius[-1], -28.0]])
    return np.asarray(np.round([felt_px(x, y) for x, y in ends.tolist()]) * 16, np.int32)


def _furniture(canvas: Canvas, profile: Profile, layout: Layout, rng: np.random.Generator) -> None:
    for name in layout.names:
        spot = layout.spot(name)
        if name == "tray":
            lay_tray(canvas, felt_px(*spot.middle), 0.0, rng)
        elif name == "rack":
            _lay_grey_holder(canvas, felt_px(*spot.middle), rng)
        elif name == "shoe" and profile.table.dealing != "hand":
            lay_box(canvas, felt_px(*spot.middle), 0.0, rng)
    places = [place for place in _CUP_PLACES if all(_apart(place, layout.spot(name)) > 75 for name in layout.names)]
    if places and rng.random() < 0.6:
        lay_cup(canvas, felt_px(*places[int(rng.integers(len(places)))]), rng)


def _lay_grey_holder(canvas: Canvas, at: tuple[float, float], rng: np.random.Generator) -> None:
    """A discard holder whose floor has no card back's colour."""
    x, y = round(at[0]), round(at[1])
    for _ in range(40):
        bare = canvas.picture.copy()
        lay_holder(canvas, at, 0.0, rng, lid=False)
        floor = canvas.picture[y - 20 : y + 20, x - 20 : x + 20].mean(axis=(0, 1))
        if float(np.ptp(floor)) < 30:
            return
        canvas.picture[:] = bare


def _apart(place: tuple[float, float], spot: Spot) -> float:
    """How far a point is from a zone's edge, mm."""
    across, along = place[0] - spot.middle[0], place[1] - spot.middle[1]
    right = abs(across * spot.right[0] + along * spot.right[1]) - spot.half_right
    down = abs(across * spot.down[0] + along * spot.down[1]) - spot.half_down
    return max(right, down)
