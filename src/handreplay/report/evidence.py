"""Pictures that show a finding: cut from the recording at its moment, with what matters outlined.

    shots(findings)  ->  one or two moments a finding, a bounded number in all
    picture(...)     ->  the cut, outlined, with place and time written under it, as JPEG

The page shows them; the folder evidence/ keeps them. Same recording and findings, same bytes.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.core.events import CardPlaced, CardTurned, ChipsChanged, Round
from handreplay.core.findings import Audit, Evidence, Finding
from handreplay.core.observations import Observation, ZoneSeen
from handreplay.core.readings import Known, Unreadable
from handreplay.footage import Tally, shown_at
from handreplay.report import places, words
from handreplay.vision.calibration import Calibration

Picture = NDArray[np.uint8]
Zones = Mapping[str, Sequence[tuple[float, float]]]

MAX_PICTURES = 200
MARGIN_PX = 70
SMALLEST_CUT_PX = (640, 400)
LARGEST_PX = (1280, 860)
WIDTH_TO_HEIGHT = 1.5
CAPTION_PX = 34
JPEG_QUALITY = 82
CHIP_RADIUS_MM = 19.5
SHOWDOWN_APART_S = 2.0  # a second picture nearer than this shows nothing new

ACCUSED = (60, 130, 255)  # BGR, told from the other colour by brightness too
PLAIN = (255, 240, 200)
DARK = (22, 16, 11)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One picture to take. `accused` is the zone that the finding names, `zones` all that should be in view."""

    image: str  # evidence/r0017_PY02_1.jpg
    finding: int  # index in the audit's findings
    t: float
    zones: tuple[str, ...]
    accused: str | None
    caption: str


@dataclass(frozen=True, slots=True)
class Taken:
    """A picture of the recording: its own time and number, and its pixels (H, W, 3), BGR."""

    seconds: float
    frame: int
    pixels: Picture


def shots(audit: Audit, rounds: Iterable[Round], zones: Zones) -> tuple[Shot, ...]:
    """What to photograph: one picture for each finding, faults before questions, then the showdowns behind them."""
    by_number = {round_.number: round_ for round_ in rounds}
    order = sorted(range(len(audit.findings)), key=lambda n: not audit.findings[n].counts_as_fault)
    moments: list[tuple[int, float, tuple[str, ...]]] = []
    for number in order:
        finding = audit.findings[number]
        moments.append((number, _moment(finding, by_number.get(finding.round)), _zones_in_view(finding, zones)))
    for number in order:
        finding = audit.findings[number]
        showdown = _showdown(finding, by_number.get(finding.round))
        if showdown is not None:
            table = ("dealer.cards", "community", f"seat{finding.seat}.cards")
            moments.append((number, showdown, tuple(name for name in table if name in zones)))
    chosen = sorted(moments[:MAX_PICTURES], key=lambda moment: (moment[0], -moment[1]))
    counts: Counter[str] = Counter()
    planned = []
    for number, t, view in chosen:
        finding = audit.findings[number]
        stem = f"r{finding.round:04d}_{finding.code}"
        counts[stem] += 1
        planned.append(
            Shot(
                image=f"evidence/{stem}_{counts[stem]}.jpg",
                finding=number,
                t=t,
                zones=view,
                accused=_accused(finding, zones),
                caption=_caption(finding, by_number.get(finding.round)),
            )
        )
    return tuple(planned)


def _moment(finding: Finding, round_: Round | None) -> float:
    """When to look: at the finding, but while chips that were not read still lay there where they are asked for."""
    if round_ is None or finding.code != "FT04":
        return finding.t
    zone = f"seat{finding.seat}.{finding.wager}"
    lay = [
        event.t
        for event in round_.events
        if isinstance(event, ChipsChanged)
        and (event.zone, isinstance(event.after, Unreadable)) == (zone, True)
        and event.t <= finding.t
    ]
    return lay[-1] if lay else finding.t


def _accused(finding: Finding, zones: Zones) -> str | None:
    if finding.seat is not None:
        name = f"seat{finding.seat}.{finding.wager or 'cards'}"
    else:
        name = {"MD06": "rack", "DR02": "rack", "DR03": "rack", "MD07": "community"}.get(finding.code, "dealer.cards")
    return name if name in zones else None


def _zones_in_view(finding: Finding, zones: Zones) -> tuple[str, ...]:
    if finding.code in ("FT01", "FT02"):
        return ()
    if finding.seat is not None:
        return tuple(name for name in zones if name.startswith(f"seat{finding.seat}."))
    table = ["dealer.cards", "community"]
    if finding.code.startswith(("DR", "MD06")) or finding.code in ("EX02", "EX03"):
        table.append("rack")
    return tuple(name for name in table if name in zones)


def _showdown(finding: Finding, round_: Round | None) -> float | None:
    """When the cards that a payment hangs on all lay open: the last one turned up before it."""
    if round_ is None or finding.seat is None or not finding.code.startswith("PY"):
        return None
    lies: dict[str, str] = {}
    opened: float | None = None
    for event in round_.events:
        if event.t > finding.t:
            break
        if isinstance(event, CardPlaced):
            lies[event.card] = event.zone
        shows = isinstance(event, CardTurned | CardPlaced) and event.face == "up"
        if shows and lies.get(getattr(event, "card", "")) in (
            "dealer.cards",
            "community",
            f"seat{finding.seat}.cards",
        ):
            opened = event.t
    return opened if opened is not None and finding.t - opened >= SHOWDOWN_APART_S else None


def _caption(finding: Finding, round_: Round | None) -> str:
    table = f"{round_.table}  " if round_ else ""
    return f"{table}round {finding.round}  {finding.code}  {words.where(finding.seat, finding.wager, finding.code)}"


def take(recording: Path, seconds: Iterable[float], tally: Tally | None = None) -> Iterator[tuple[float, Taken]]:
    """The picture that was on show at each of these seconds, in order of time; none where the recording has a hole.

    `tally` is that of an earlier reading of the recording, which saves reading all of it again.
    """
    for second, frame in shown_at(recording, seconds, tally):
        yield second, Taken(float(frame.seconds), frame.index, frame.bgr())


def photograph(
    audit: Audit,
    planned: Sequence[Shot],
    taken: Iterable[tuple[float, Taken]],
    *,
    rounds: Sequence[Round],
    zones: Zones,
    calibration: Calibration,
    observations: Sequence[Observation] = (),
) -> tuple[Audit, dict[str, bytes]]:
    """The audit with its evidence filled in, and the pictures by name.

    `taken` gives the picture shown at each second that was asked for, one at a time, since many do not fit in memory;
    where the recording has none, that moment is left out.
    """
    by_number = {round_.number: round_ for round_ in rounds}
    rests = Rests(observations)
    files: dict[str, bytes] = {}
    evidence: dict[str, Evidence] = {}
    for second, shown in taken:
        for shot in (shot for shot in planned if shot.t == second):
            round_ = by_number.get(audit.findings[shot.finding].round)
            clock = words.clock(round_, shown.seconds) if round_ else None
            place = places.position(round_.source if round_ else {}, shown.seconds)
            when = f"{place}  frame {shown.frame}{f'  {clock}' if clock else ''}"
            outlines = _outlines(shot, rests, zones, calibration)
            files[shot.image] = picture(shown.pixels, outlines, caption=f"{shot.caption}   {when}")
            evidence[shot.image] = Evidence(t=round(shown.seconds, 3), frame=shown.frame, image=shot.image)
    own = [
        [evidence[shot.image] for shot in planned if shot.finding == n and shot.image in evidence]
        for n in range(len(audit.findings))
    ]
    findings = tuple(replace(f, evidence=tuple(its)) for f, its in zip(audit.findings, own, strict=True))
    return replace(audit, findings=findings), files


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A closed line in picture pixels (N, 2), with an optional label."""

    points: NDArray[np.float64]
    label: str = ""
    accused: bool = False


class Rests:
    """The looks at each zone, to be found by time."""

    def __init__(self, observations: Iterable[Observation]) -> None:
        self._looks: dict[str, list[ZoneSeen]] = {}
        for look in observations:
            if isinstance(look, ZoneSeen):
                self._looks.setdefault(look.zone, []).append(look)
        for looks in self._looks.values():
            looks.sort(key=_start)

    def last(self, zone: str, t: float) -> ZoneSeen | None:
        """The last one that began no later than `t` seconds, the first told of those that began at once."""
        looks = self._looks.get(zone, [])
        after = bisect_right(looks, t, key=_start)
        return looks[bisect_left(looks, _start(looks[after - 1]), key=_start)] if after else None


def _start(look: ZoneSeen) -> float:
    return look.start


def _outlines(shot: Shot, rests: Rests, zones: Zones, calibration: Calibration) -> list[Outline]:
    """The zones in view, and the cards and chips that were last read there."""
    outlines = []
    for name in shot.zones:
        points = calibration.to_picture_px(np.asarray(zones[name], dtype=np.float64))
        accused = name == shot.accused
        outlines.append(Outline(points=points, label=words.place(name) if accused else "", accused=accused))
        rest = rests.last(name, shot.t + 0.001)
        if rest is not None:
            outlines += _read_there(rest, calibration)
    return outlines


def _read_there(rest: ZoneSeen, calibration: Calibration) -> list[Outline]:
    outlines = []
    for card in rest.cards:
        label = card.identity.value if isinstance(card.identity, Known) else ("?" if card.face_up else "")
        points = calibration.to_picture_px(np.asarray(card.corners_mm, dtype=np.float64))
        outlines.append(Outline(points=points, label=label))
    turns = np.linspace(0, 2 * np.pi, 28, endpoint=False)
    for stack in rest.stacks:
        ring = np.asarray(stack.base_mm) + CHIP_RADIUS_MM * np.stack([np.cos(turns), np.sin(turns)], axis=1)
        label = words.pile(stack.chips).split(" (")[0] if isinstance(stack.chips, Known) else "?"
        outlines.append(Outline(points=calibration.to_picture_px(ring), label=label))
    return outlines


def picture(pixels: Picture, outlines: Sequence[Outline], *, caption: str) -> bytes:
    """A JPEG of the part of the picture that the outlines cover; the whole picture when there are none."""
    height, width = pixels.shape[:2]
    left, top, right, bottom = _cut([outline.points for outline in outlines], width, height)
    scale = min(LARGEST_PX[0] / (right - left), LARGEST_PX[1] / (bottom - top), 2.0)
    cut = pixels[top:bottom, left:right]
    size = (round((right - left) * scale), round((bottom - top) * scale))
    resized = cv2.resize(cut, size, interpolation=cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA)
    canvas = np.asarray(resized, dtype=np.uint8)
    for outline in sorted(outlines, key=lambda outline: outline.accused):
        _draw(canvas, (outline.points - (left, top)) * scale, outline)
    framed = cv2.copyMakeBorder(canvas, 0, CAPTION_PX, 0, 0, cv2.BORDER_CONSTANT, value=DARK)
    text = caption.encode("ascii", "replace").decode()
    fitting = 0.55 * min(1.0, (framed.shape[1] - 24) / max(1, _text_width(text, 0.55)))
    cv2.putText(
        framed, text, (12, framed.shape[0] - 12), cv2.FONT_HERSHEY_DUPLEX, fitting, (235, 235, 230), 1, cv2.LINE_AA
    )
    done, coded = cv2.imencode(".jpg", framed, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise ValueError("OpenCV could not write a JPEG")
    return coded.tobytes()


def _cut(parts: Sequence[NDArray[np.float64]], width: int, height: int) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the part of the picture to show."""
    points = np.concatenate(parts) if parts else np.empty((0, 2))
    inside = points[(points[:, 0] >= 0) & (points[:, 0] < width) & (points[:, 1] >= 0) & (points[:, 1] < height)]
    if not len(inside):
        return 0, 0, width, height
    (x0, y0), (x1, y1) = inside.min(axis=0) - MARGIN_PX, inside.max(axis=0) + MARGIN_PX
    high = max(float(y1 - y0), SMALLEST_CUT_PX[1])
    wide = max(float(x1 - x0), SMALLEST_CUT_PX[0], high * WIDTH_TO_HEIGHT)
    left, right = _span(float(x0 + x1) / 2, wide, width)
    top, bottom = _span(float(y0 + y1) / 2, high, height)
    return left, top, right, bottom


def _span(middle: float, length: float, limit: int) -> tuple[int, int]:
    """A stretch of that length around the middle, moved and shortened to lie within 0 and `limit`."""
    length = min(length, float(limit))
    start = min(max(0.0, middle - length / 2), limit - length)
    return round(start), round(start + length)


def _draw(canvas: NDArray[np.uint8], points: NDArray[np.float64], outline: Outline) -> None:
    """A light line on a dark one, so that it shows on any felt."""
    line = np.round(points * 16).astype(np.int32).reshape(-1, 1, 2)
    colour, thickness = (ACCUSED, 4) if outline.accused else (PLAIN, 2)
    cv2.polylines(canvas, [line], True, DARK, thickness + 3, cv2.LINE_AA, shift=4)
    cv2.polylines(canvas, [line], True, colour, thickness, cv2.LINE_AA, shift=4)
    if outline.label:
        _label(canvas, points, outline.label, colour)


def _label(canvas: NDArray[np.uint8], points: NDArray[np.float64], label: str, colour: tuple[int, int, int]) -> None:
    size = 0.55
    wide, high = _text_width(label, size), 22
    x = int(np.clip(points[:, 0].mean() - wide / 2, 4, max(4, canvas.shape[1] - wide - 8)))
    y = int(np.clip(points[:, 1].min() - 8, high + 2, canvas.shape[0] - 4))
    cv2.rectangle(canvas, (x - 4, y - high + 4), (x + wide + 4, y + 4), DARK, cv2.FILLED)
    cv2.putText(canvas, label, (x, y - 2), cv2.FONT_HERSHEY_DUPLEX, size, colour, 1, cv2.LINE_AA)


def _text_width(text: str, size: float) -> int:
    (width, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, size, 1)
    return int(width)
