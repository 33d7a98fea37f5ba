"""What a recording is and whether it can serve: read once from end to end, measured, and held against the profile.

A card index is taken as 8 mm high, the standard size; jumbo indices are larger and easier.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol

import cv2
import numpy as np

from handreplay.core.plain import plain
from handreplay.core.timeline import Gap
from handreplay.footage import FootageInfo, Frame, Picture, Tally, pictures, probe, sha256_of
from handreplay.footage_tone import tone_of
from handreplay.vision.calibration import Calibration, CameraProfile
from handreplay.vision.fit import Fit, FitWatch, Misfit, misfits
from handreplay.vision.zones import Zones, ZoneShape

INDEX_MM = 8.0
READABLE_INDEX_PX = 4.0
DOUBTFUL_INDEX_PX = 2.5
READABLE_CHIP_PX = 14.0
MOST_BLUR_OF_INDEX = 0.35  # a blur (standard deviation) beyond this share of the index height melts it
_SLOWEST_FOR_A_GLIMPSE = 8  # pictures a second; an exposed card may show for 0.3 s
_SAMPLES = 12
_SETTLED_SECONDS = 3.0  # a view that no shift explains is given a few looks before it is called another view

Verdict = Literal["usable", "incomplete", "unusable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """What the camera makes of the table. Lengths in pixels are the smallest over the zones."""

    px_per_mm: tuple[float, float]  # smallest and largest over the zones
    index_px: float
    chip_px: float
    chip_step_px: tuple[float, float]  # how far one chip more moves a stack's top: smallest and largest
    size_fits: bool
    outside: tuple[str, ...]  # zones that the picture does not show whole
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    info: FootageInfo
    sha256: str
    tally: Tally
    constant_rate: bool
    usual_rate: float | None  # pictures a second, as found
    key_interval_seconds: float | None
    blur_px: float | None  # standard deviation of the edges' blur
    table: TableView | None
    misfits: tuple[Misfit, ...]  # where the picture does not fit the profile, or has no colour
    faults: tuple[str, ...]  # why it cannot be used
    doubts: tuple[str, ...]  # why it shows less than it should

    @property
    def verdict(self) -> Verdict:
        if self.faults:
            return "unusable"
        return "incomplete" if self.tally.gaps or self.misfits else "usable"

    @property
    def exit_code(self) -> int:
        return {"usable": 0, "incomplete": 3, "unusable": 2}[self.verdict]


class ChipSize(Protocol):
    @property
    def diameter_mm(self) -> float: ...
    @property
    def thickness_mm(self) -> float: ...


class TableProfile(CameraProfile, Protocol):
    """What is needed of a table profile."""

    @property
    def zones(self) -> Sequence[ZoneShape]: ...
    @property
    def chips(self) -> Sequence[ChipSize]: ...


def examine(path: Path, profile: TableProfile | None = None) -> ProbeReport:
    """Read a recording through and measure it; with a table profile, say what can be read on the table.

    Raises FootageError when the file cannot be read at all, ProfileError when the profile has no sound camera.
    """
    calibration = Calibration.from_profile(profile) if profile else None
    zones = Zones(profile.zones, calibration) if profile and calibration else None
    info = probe(path)
    tally = Tally()
    same_camera = calibration is not None and (info.width, info.height) == tuple(calibration.size)
    felt = _felt_mask(zones) if zones and same_camera else None
    watch = FitWatch(calibration, zones) if calibration and zones and same_camera else None
    blurs, fits = _measured(pictures(path, tally=tally, tone=tone_of(path)), info, felt, watch)
    blur = float(np.median(blurs)) if blurs else None
    table = _table_view(info, calibration, zones, profile.chips) if profile and calibration and zones else None
    rate, constant = _rate(tally)
    return ProbeReport(
        info=info,
        sha256=sha256_of(path),
        tally=tally,
        constant_rate=constant,
        usual_rate=rate,
        key_interval_seconds=_key_interval([key.seconds for key in tally.keys]),
        blur_px=blur,
        table=table,
        misfits=tuple(misfits(fits)),
        faults=tuple(_faults(info, table, blur, calibration, fits)),
        doubts=tuple(_doubts(tally, table, rate, info)),
    )


def blur_of(luma: Picture, felt: Picture | None = None) -> float | None:
    """How soft the picture's sharpest edges are: standard deviation of their blur in pixels; None without edges.

    Only where `felt` (H, W) is not 0, since a clock drawn into the picture stays sharp before any blur.
    An edge of contrast c blurred by s has its steepest slope at c / (s * sqrt(2 pi)).
    """
    smooth = cv2.GaussianBlur(luma, (0, 0), 0.7)  # noise would pass for sharp edges; its share is taken off again
    picture = smooth.astype(np.float32)
    slope = cv2.magnitude(
        cv2.Sobel(picture, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(picture, cv2.CV_32F, 0, 1, scale=1 / 8)
    )
    window = np.ones((11, 11), dtype=np.uint8)
    contrast = cv2.subtract(cv2.dilate(smooth, window), cv2.erode(smooth, window)).astype(np.float32)
    peaks = (slope >= cv2.dilate(slope, np.ones((3, 3), dtype=np.uint8))) & (contrast > 60) & (slope > 0)
    if felt is not None:
        peaks &= felt > 0
    if int(peaks.sum()) < 50:
        return None
    spread = contrast[peaks] / (slope[peaks] * np.sqrt(2 * np.pi))
    sharp = float(np.percentile(spread, 10))
    return float(np.sqrt(max(sharp**2 - 0.7**2, 0.0)))


def as_json(report: ProbeReport) -> dict[str, Any]:
    """The report as plain values."""
    info, tally, table = report.info, report.tally, report.table
    return {
        "schema": "handreplay.probe/1",
        "source": {"file": info.path.name, "sha256": report.sha256, "bytes": info.bytes},
        "verdict": report.verdict,
        "container": info.container,
        "codec": info.codec,
        "pixel_format": info.pixel_format,
        "colour": info.colour,
        "size": [info.width, info.height],
        "rotation_degrees": info.rotation_degrees,
        "rate": {
            "declared": _rounded(info.rate),
            "usual": _rounded(report.usual_rate),
            "kind": "constant" if report.constant_rate else "variable",
        },
        "duration_seconds": _rounded(tally.seconds),
        "promised_seconds": _rounded(info.promised_seconds),
        "times": tally.times,
        "pictures": {
            "promised": info.promised_pictures,
            "read": tally.pictures,
            "shown": tally.shown,
            "not_believed": tally.distrusted,
            "out_of_order": tally.out_of_order,
        },
        "gaps": [{"start": _rounded(g.start), "end": _rounded(g.end), "reason": g.reason} for g in tally.gaps],
        "bits_per_second": info.bits_per_second,
        "key_interval_seconds": _rounded(report.key_interval_seconds),
        "blur_px": _rounded(report.blur_px),
        "table": None
        if table is None
        else {
            "px_per_mm": [_rounded(value) for value in table.px_per_mm],
            "index_px": _rounded(table.index_px),
            "chip_px": _rounded(table.chip_px),
            "chip_step_px": [_rounded(value) for value in table.chip_step_px],
            "size_fits": table.size_fits,
            "zones_outside": list(table.outside),
        },
        "misfits": [
            {"start": round(m.start, 3), "end": round(m.end, 3), "reason": m.why, "shift_px": _rounded_pair(m.shift_px)}
            for m in report.misfits
        ],
        "faults": list(report.faults),
        "doubts": list(report.doubts),
    }


def as_text(report: ProbeReport) -> str:
    """The report for a reader at a terminal."""
    info, tally, table = report.info, report.tally, report.table
    promised = f" of {info.promised_pictures} promised" if info.promised_pictures else ""
    kind = "constant" if report.constant_rate else "variable"
    lines = [
        f"{plain(info.path.name)}: {report.verdict}",
        f"  container    {info.container}, {info.codec}, {info.pixel_format}, {info.colour}",
        f"  picture      {info.width} x {info.height}{_turned(info)}, {_told(report.usual_rate)} a second, {kind} rate",
        f"  length       {_told(tally.seconds)} s, times {tally.times}",
        f"  pictures     {tally.pictures} read{promised}, {tally.shown} whole",
        f"  bit rate     {_told(info.bits_per_second and info.bits_per_second / 1e6)} Mbit/s, "
        f"a key picture every {_told(report.key_interval_seconds)} s",
        f"  blur         {_told(report.blur_px)} px",
    ]
    if table is not None:
        low, high = table.px_per_mm
        lines += [
            f"  scale        {low:.2f} to {high:.2f} px per mm over the zones",
            f"  card index   {table.index_px:.1f} px high where it is smallest",
            f"  chips        {table.chip_px:.0f} px across; one chip more moves a stack's top by "
            f"{table.chip_step_px[0]:.1f} to {table.chip_step_px[1]:.1f} px",
        ]
    lines += [f"  gap          {_clock(gap.start)} to {_clock(gap.end)}: {gap.reason}" for gap in tally.gaps]
    lines += [
        f"  view         {_clock(misfit.start)} to {_clock(misfit.end)}: {misfit.why}" for misfit in report.misfits
    ]
    lines += [f"  unusable     {fault}" for fault in report.faults]
    lines += [f"  note         {doubt}" for doubt in report.doubts]
    return "\n".join(lines)


def _felt_mask(zones: Zones) -> Picture:
    """The part of the picture (H, W) that the zones span."""
    width, height = zones.calibration.size
    outline = cv2.convexHull(np.concatenate(list(zones.polygons_px.values())).astype(np.float32))
    mask = np.zeros((height, width), dtype=np.uint8)
    cv2.fillConvexPoly(mask, np.round(outline).astype(np.int32), 255)
    return mask


def _measured(
    items: Iterable[Frame | Gap], info: FootageInfo, felt: Picture | None, watch: FitWatch | None
) -> tuple[list[float], list[Fit]]:
    """Blur of some pictures, spread over the recording as far as its length is known, and every look at the fit."""
    fits: list[Fit] = []
    length = float(info.promised_seconds or 60)
    blurs: list[float] = []
    due = 0.0
    for item in items:
        if isinstance(item, Gap):
            continue
        fit = watch.look(item) if watch else None
        fits += [fit] if fit else []
        if item.seconds >= due:
            due = float(item.seconds) + length / _SAMPLES
            found = blur_of(np.ascontiguousarray(item.luma), felt)
            blurs += [] if found is None else [found]
    return blurs, fits


def _table_view(info: FootageInfo, calibration: Calibration, zones: Zones, chips: Sequence[ChipSize]) -> TableView:
    points = np.concatenate(list(zones.polygons_mm.values()))
    scales = calibration.scales(points)
    wagers = [zones.center_mm(name) for name in zones.names if name.startswith("seat") and not name.endswith(".cards")]
    thickness = min(chip.thickness_mm for chip in chips)
    leans = [
        float(np.linalg.norm(calibration.lean_mm_per_mm(point))) * thickness * calibration.px_per_mm(point)
        for point in wagers
    ]
    return TableView(
        px_per_mm=(float(scales.min()), float(scales.max())),
        index_px=float(scales.min()) * INDEX_MM,
        chip_px=float(scales.min()) * min(chip.diameter_mm for chip in chips),
        chip_step_px=(min(leans, default=0.0), max(leans, default=0.0)),
        size_fits=(info.width, info.height) == tuple(calibration.size),
        outside=tuple(name for name in zones.names if zones.share_in_picture(name) < 0.98),
        warnings=calibration.warnings,
    )


def _faults(
    info: FootageInfo, table: TableView | None, blur: float | None, calibration: Calibration | None, fits: list[Fit]
) -> Iterable[str]:
    if table is None or calibration is None:
        return
    if not table.size_fits:
        width, height = calibration.size
        yield f"the picture is {info.width}x{info.height}, but the profile's camera is {width}x{height}"
    if table.index_px < DOUBTFUL_INDEX_PX:
        yield f"card indices are {table.index_px:.1f} px high; {DOUBTFUL_INDEX_PX:g} px are the least to read a card"
    elif blur is not None and blur > MOST_BLUR_OF_INDEX * table.index_px:
        yield f"the picture is too soft: a blur of {blur:.1f} px, with card indices {table.index_px:.1f} px high"
    settled = [fit for fit in fits if fit.at >= _SETTLED_SECONDS] or fits
    if settled and not any(fit.ok for fit in settled):
        yield f"the picture never fits the profile: {fits[-1].why}; use the profile of this camera"


def _doubts(tally: Tally, table: TableView | None, rate: float | None, info: FootageInfo) -> Iterable[str]:
    if tally.estimated_rate is not None:
        yield f"times are {tally.times}"
    if tally.stretched != 1:
        yield f"dark or veiled; it is read with its contrast raised {tally.stretched:.1f} times"
    if tally.out_of_order:
        yield f"{tally.out_of_order} pictures had a time that had already passed and were left out"
    if rate is not None and rate < _SLOWEST_FOR_A_GLIMPSE:
        yield f"at {rate:.1f} pictures a second a card that is exposed for a moment may not be seen"
    if "assumed" in info.colour:
        yield f"the file does not say how its colours were made: {info.colour}"
    if table is None:
        return
    if DOUBTFUL_INDEX_PX <= table.index_px < READABLE_INDEX_PX:
        yield f"card indices are only {table.index_px:.1f} px high; many cards will stay unread"
    if table.chip_px < READABLE_CHIP_PX:
        yield f"chips are only {table.chip_px:.0f} px across; amounts will stay unread"
    for name in table.outside:
        yield f"the picture does not show the whole zone {name}"
    yield from table.warnings


def _rate(tally: Tally) -> tuple[float | None, bool]:
    """Pictures a second, by the commonest step, and whether nearly all steps are like it."""
    if not tally.steps:
        return None, True
    usual = round((tally.usual_step_s or 0.0) * 1_000_000)
    alike = [(step, count) for step, count in tally.steps.items() if abs(step - usual) <= max(2000, usual // 10)]
    count = sum(number for _, number in alike)
    mean = sum(step * number for step, number in alike) / count
    return (1_000_000 / mean if mean else None), count >= 0.98 * sum(tally.steps.values())


def _key_interval(keys: list[Fraction]) -> float | None:
    return float(np.median(np.diff([float(key) for key in keys]))) if len(keys) > 1 else None


def _rounded_pair(pair: tuple[float, float] | None) -> list[float] | None:
    return None if pair is None else [round(pair[0], 1), round(pair[1], 1)]


def _rounded(value: Fraction | float | None) -> float | None:
    return None if value is None else round(float(value), 3)


def _told(value: Fraction | float | None) -> str:
    return "unknown" if value is None else f"{float(value):.2f}".rstrip("0").rstrip(".")


def _turned(info: FootageInfo) -> str:
    return f" (turned by {info.rotation_degrees} degrees as the file asks)" if info.rotation_degrees else ""


def _clock(seconds: Fraction | float) -> str:
    """`0:01:05.320`, as a player shows it."""
    milliseconds = round(seconds * 1000)
    whole, rest = divmod(milliseconds, 1000)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}.{rest:03d}"
