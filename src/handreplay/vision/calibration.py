"""Where the felt lies in the picture: between millimetres of the table and pixels of one fixed camera.

The table plane has +x to the dealer's left and +y to the players, so seen from above it reads like a picture with the
dealer at the top: x to the right, y downwards. Picture coordinates start at the picture's corner, so the middle of the
top left pixel is (0.5, 0.5), half a pixel more than OpenCV's index.

A point above the felt is seen where the ray from the camera through it meets the felt behind it. That needs the
camera's place but no focal length, so heights are exact even for a profile that gives only `position_mm`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from handreplay.errors import ProfileError

Floats = NDArray[np.float64]
Picture = NDArray[np.uint8]

_WORST_SHARE_OF_WIDTH = 0.006  # a calibration that misses its own points by more is refused: 11 px at 1920
_DOUBTFUL_SHARE_OF_WIDTH = 0.002
_ITERATIONS = 30
_FAR_PX = 20000.0  # beyond any picture, and still an int16 when counted from a window's corner
_ROWS_AT_ONCE = 16  # of a patch's map: what is at work then stays in the processor's cache


class CameraSettings(Protocol):
    """The `[camera]` section of a table profile."""

    @property
    def size(self) -> tuple[int, int]: ...
    @property
    def image_points(self) -> Sequence[tuple[float, float]]: ...
    @property
    def table_points(self) -> Sequence[tuple[float, float]]: ...
    @property
    def distortion(self) -> Sequence[float]: ...
    @property
    def focal_px(self) -> float | None: ...
    @property
    def principal_px(self) -> tuple[float, float] | None: ...
    @property
    def position_mm(self) -> tuple[float, float, float] | None: ...


class CameraProfile(Protocol):
    """Anything with a camera section; None when the profile serves round logs only."""

    @property
    def camera(self) -> CameraSettings | None: ...


def _cubic_weights() -> Floats:
    """Weights (_STEP, 4) of values at -1, 0, 1 and 2 for those at 0, 1 / _STEP and so on."""
    nodes, at = (-1.0, 0.0, 1.0, 2.0), np.arange(_STEP) / _STEP
    others = [[other for other in nodes if other != node] for node in nodes]
    weights = [np.prod([(at - o) / (n - o) for o in rest], axis=0) for n, rest in zip(nodes, others, strict=True)]
    return np.asarray(np.stack(weights, axis=1))


_STEP = 8  # pixels of a patch
_CUBIC = _cubic_weights()


@dataclass(frozen=True, slots=True)
class Lens:
    """Brown's lens model in OpenCV's order k1 k2 p1 p2 k3 k4 k5 k6, for normalised coordinates."""

    focal_px: float
    principal_px: tuple[float, float]
    coefficients: tuple[float, ...]  # eight

    def normalised(self, pixels: Floats) -> Floats:
        """Pixels (N, 2) to the straight-lined normalised picture (N, 2)."""
        bent = (pixels - np.asarray(self.principal_px)) / self.focal_px
        if not any(self.coefficients):
            return _floats(bent)
        straight = bent.copy()
        for _ in range(_ITERATIONS):
            scale, shift = self._terms(straight)
            straight = (bent - shift) / scale
        return _floats(straight)

    def pixels(self, straight: Floats) -> Floats:
        """The straight-lined normalised picture (N, 2) to pixels (N, 2)."""
        if any(self.coefficients):
            scale, shift = self._terms(straight)
            straight = straight * scale + shift
        return _floats(straight * self.focal_px + np.asarray(self.principal_px))

    def _terms(self, straight: Floats) -> tuple[Floats, Floats]:
        """Radial factor (N, 1) and tangential shift (N, 2) at undistorted points."""
        k1, k2, p1, p2, k3, k4, k5, k6 = self.coefficients
        x, y = np.ascontiguousarray(straight[:, 0]), np.ascontiguousarray(straight[:, 1])
        r2 = x * x + y * y
        scale = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        if k4 or k5 or k6:
            scale /= 1 + r2 * (k4 + r2 * (k5 + r2 * k6))
        shift = np.empty((len(x), 2))
        shift[:, 0] = 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        shift[:, 1] = p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        return scale[:, None], shift


@dataclass(frozen=True, eq=False)
class Calibration:
    """One fixed camera over one felt.

    `residual_px` is how far the profile's own points are missed, root mean square. `warnings` are sentences.
    """

    size: tuple[int, int]  # picture width and height, px
    lens: Lens
    felt_to_straight: Floats  # 3x3
    camera_mm: tuple[float, float, float]
    residual_px: float
    warnings: tuple[str, ...] = ()

    @classmethod
    def from_profile(cls, profile: CameraProfile) -> "Calibration":
        """Fit the camera of a table profile. Raises ProfileError when the points do not agree with each other."""
        camera = profile.camera
        if camera is None:
            raise ProfileError("the table profile has no [camera] section; footage cannot be read without one")
        image = np.asarray(camera.image_points, dtype=np.float64)
        table = np.asarray(camera.table_points, dtype=np.float64)
        lens = _lens(camera)
        matrix, _ = cv2.findHomography(table, lens.normalised(image), 0)
        if matrix is None or not np.isfinite(matrix).all():
            raise ProfileError("camera.image_points: no plane fits these points; spread them over the felt")
        homography = np.asarray(matrix, dtype=np.float64)
        if np.linalg.det(homography) <= 0:
            raise ProfileError(
                "camera.table_points: the table comes out mirrored; +x is the dealer's LEFT, +y towards the players"
            )
        misses = np.linalg.norm(lens.pixels(_through(homography, table)) - image, axis=1)
        residual, worst = float(np.sqrt(np.mean(misses**2))), int(np.argmax(misses))
        warnings = _check_residual(residual, worst, float(misses[worst]), camera.size[0])
        place, doubts = _camera_place(camera, homography, lens)
        return cls(camera.size, lens, homography, place, residual, (*warnings, *doubts))

    @cached_property
    def _straight_to_felt(self) -> Floats:
        return np.asarray(np.linalg.inv(self.felt_to_straight), dtype=np.float64)

    def to_felt_mm(self, points_px: ArrayLike, height_mm: ArrayLike = 0.0) -> Floats:
        """Picture points (N, 2) to the table point (N, 2) under what is seen there `height_mm` above the felt."""
        felt = _through(self._straight_to_felt, self.lens.normalised(_pairs(points_px)))
        foot, share = np.asarray(self.camera_mm[:2]), _column(height_mm) / self.camera_mm[2]
        return _floats(felt - (felt - foot) * share)

    def to_picture_px(self, points_mm: ArrayLike, height_mm: ArrayLike = 0.0) -> Floats:
        """Table points (N, 2), at a height above the felt (one or N), to picture points (N, 2)."""
        points = _pairs(points_mm)
        foot, height = np.asarray(self.camera_mm[:2]), _column(height_mm)
        seen_at = points + (points - foot) * (height / (self.camera_mm[2] - height))
        return self.lens.pixels(_through(self.felt_to_straight, seen_at))

    def lean_mm_per_mm(self, point_mm: ArrayLike) -> Floats:
        """How far (dx, dy) the image of a table point moves over the felt per millimetre that it rises.

        Exact for small heights; a rise of h moves it by `lean * h / (1 - h / camera height)`.
        """
        return _floats((_pairs(point_mm)[0] - np.asarray(self.camera_mm[:2])) / self.camera_mm[2])

    def px_per_mm(self, point_mm: ArrayLike) -> float:
        """Scale of the picture at a table point: square root of the picture area of one square millimetre."""
        return float(self.scales(point_mm)[0])

    def scales(self, points_mm: ArrayLike) -> Floats:
        """`px_per_mm` at table points (N, 2): (N,)."""
        points = _pairs(points_mm)
        step = np.array([1.0, 0.0])
        along = (self.to_picture_px(points + step) - self.to_picture_px(points - step)) / 2
        across = (self.to_picture_px(points + step[::-1]) - self.to_picture_px(points - step[::-1])) / 2
        area = np.abs(along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0])
        return _floats(np.sqrt(area))

    def patch(
        self,
        center_mm: tuple[float, float],
        size_mm: tuple[float, float],
        *,
        px_per_mm: float = 1.0,
        angle_deg: float = 0.0,
        height_mm: float = 0.0,
    ) -> "FeltPatch":
        """A straightened view of a rectangle of the felt (or of the plane `height_mm` above it).

        The patch's x axis points along `angle_deg` on the table (0: to the dealer's left), its y axis 90 degrees on
        (0: to the players). Keep the patch: making its map costs more than using it.
        """
        width, height = (max(1, round(side * px_per_mm)) for side in size_mm)
        patch = _Frame(center_mm, (width, height), px_per_mm, angle_deg)
        maps = self._between(patch, height_mm)
        if maps is None:
            maps = self._seen_at(patch, height_mm, np.arange(width), np.arange(height)).clip(-_FAR_PX, _FAR_PX)
        x, y = (maps - 0.5).astype(np.float32)
        coarse, fine = cv2.convertMaps(x, y, cv2.CV_16SC2)
        return FeltPatch(patch, np.asarray(coarse, dtype=np.int16), np.asarray(fine, dtype=np.uint16))

    def _seen_at(self, patch: "_Frame", height_mm: float, columns: NDArray[np.int_], rows: NDArray[np.int_]) -> Floats:
        """Where the picture shows these pixels of a patch: x and y (2, rows, columns)."""
        seen = np.empty((2, len(rows), len(columns)))
        for top in range(0, len(rows), _ROWS_AT_ONCE):
            some = rows[top : top + _ROWS_AT_ONCE]
            points = np.empty((len(some), len(columns), 2))
            points[..., 0], points[..., 1] = columns + 0.5, (some + 0.5)[:, None]
            where = self.to_picture_px(patch.to_mm(points.reshape(-1, 2)), height_mm)
            seen[:, top : top + len(some)] = where.T.reshape(2, len(some), len(columns))
        return seen

    def _between(self, patch: "_Frame", height_mm: float) -> Floats | None:
        """As `_seen_at` for all pixels, reckoned at every eighth and joined by cubics; None for views with a horizon.

        Lenses and planes bend so little within eight pixels that no thousandth of a pixel is lost.
        """
        width, height = patch.size_px
        columns, rows = (np.arange(-(-side // _STEP) + 3) * _STEP - _STEP for side in (width, height))
        seen = self._seen_at(patch, height_mm, columns, rows)
        if not np.isfinite(seen).all() or np.abs(seen).max() > _FAR_PX:
            return None
        along = np.lib.stride_tricks.sliding_window_view(seen, 4, axis=2) @ _CUBIC.T
        across = np.lib.stride_tricks.sliding_window_view(along.reshape(2, len(rows), -1), 4, axis=1)
        dense = np.einsum("ctwn,sn->ctsw", across, _CUBIC).reshape(2, -1, along.shape[2] * _STEP)
        return np.asarray(dense[:, :height, :width])


@dataclass(frozen=True, slots=True)
class _Frame:
    """A rectangle on the felt and the pixels that it is drawn with."""

    center_mm: tuple[float, float]
    size_px: tuple[int, int]
    px_per_mm: float
    angle_deg: float

    def _axes(self) -> Floats:
        """Rows: the patch's x and y directions on the table."""
        cosine, sine = np.cos(np.radians(self.angle_deg)), np.sin(np.radians(self.angle_deg))
        return np.array([[cosine, sine], [-sine, cosine]])

    def to_mm(self, patch_px: ArrayLike) -> Floats:
        away = (_pairs(patch_px) - np.asarray(self.size_px) / 2) / self.px_per_mm
        return _floats((away @ self._axes() if self.angle_deg else away) + np.asarray(self.center_mm))

    def to_px(self, points_mm: ArrayLike) -> Floats:
        middle = np.asarray(self.size_px) / 2
        return _floats((_pairs(points_mm) - np.asarray(self.center_mm)) @ self._axes().T * self.px_per_mm + middle)


@dataclass(frozen=True, eq=False)
class FeltPatch:
    """A straightened view of part of the felt, ready to be cut from any picture of its camera."""

    frame: _Frame
    coarse: NDArray[np.int16]  # OpenCV's fixed-point map: whole pixels (H, W, 2)
    fine: NDArray[np.uint16]  # and the index of the fraction (H, W)

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height of what `warp` returns."""
        return self.frame.size_px

    def warp(self, picture: Picture) -> Picture:
        """Cut the patch from a picture (H, W) or (H, W, 3); black where it reaches out of the picture."""
        cut = cv2.remap(picture, self.coarse, self.fine, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return np.asarray(cut, dtype=np.uint8)

    def middle(self, size_px: tuple[int, int]) -> "FeltPatch":
        """The same view with less around its middle: of that width and height, smaller by an even number of pixels."""
        left, top = (np.subtract(self.size_px, size_px) // 2).tolist()
        part = np.s_[top : top + size_px[1], left : left + size_px[0]]
        return FeltPatch(replace(self.frame, size_px=size_px), self.coarse[part], self.fine[part])

    def window(self, size: tuple[int, int]) -> "PictureWindow":
        """The part of a picture of this width and height that the patch is cut from."""
        first, last = zip(*(cv2.minMaxLoc(plane)[:2] for plane in cv2.split(self.coarse)), strict=True)
        low = np.clip(first, 0, np.subtract(size, 1)).astype(np.int16)
        right, bottom = (int(end) for end in np.clip(np.add(last, 2), low + 1, size))  # the pixel after is blended in
        inside = FeltPatch(self.frame, self.coarse - low, np.ascontiguousarray(self.fine))
        return PictureWindow(slice(int(low[1]), bottom), slice(int(low[0]), right), inside)

    def to_mm(self, patch_px: ArrayLike) -> Floats:
        """Patch pixels (N, 2) to table millimetres (N, 2)."""
        return self.frame.to_mm(patch_px)

    def to_px(self, points_mm: ArrayLike) -> Floats:
        """Table millimetres (N, 2) to patch pixels (N, 2)."""
        return self.frame.to_px(points_mm)


@dataclass(frozen=True, eq=False)
class PictureWindow:
    """The part of the picture that a patch is cut from. To average pictures, add up parts: that costs least."""

    rows: slice
    columns: slice
    patch: FeltPatch  # warps parts instead of pictures

    def middle(self, size_px: tuple[int, int]) -> "PictureWindow":
        """That of the patch's middle (see there)."""
        top, left = self.rows.start, self.columns.start
        within = self.patch.middle(size_px).window((self.columns.stop - left, self.rows.stop - top))
        rows = slice(top + within.rows.start, top + within.rows.stop)
        return PictureWindow(rows, slice(left + within.columns.start, left + within.columns.stop), within.patch)

    def straight(self, mean: NDArray[np.float32]) -> NDArray[np.float32]:
        """The patch, cut from a mean of parts, with its fractions."""
        cut = cv2.remap(mean, self.patch.coarse, self.patch.fine, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
        return np.asarray(cut, np.float32)


def in_bytes(straight: NDArray[np.float32]) -> Picture:
    """A patch with fractions, rounded."""
    return np.asarray(cv2.convertScaleAbs(straight), np.uint8)


def _lens(camera: CameraSettings) -> Lens:
    width, height = camera.size
    principal = camera.principal_px or (width / 2, height / 2)
    coefficients = (*camera.distortion, *[0.0] * 8)[:8]
    return Lens(camera.focal_px or float(width), principal, coefficients)


def _check_residual(residual: float, worst: int, miss: float, width: int) -> list[str]:
    told = f"misses the profile's points by {residual:.1f} px, point {worst + 1} by {miss:.1f} px"
    if residual > _WORST_SHARE_OF_WIDTH * width:
        raise ProfileError(f"camera.image_points: the calibration {told}; measure again, this point first")
    return [f"camera: the calibration {told}"] if residual > max(1.0, _DOUBTFUL_SHARE_OF_WIDTH * width) else []


def _camera_place(
    camera: CameraSettings, homography: Floats, lens: Lens
) -> tuple[tuple[float, float, float], list[str]]:
    """The camera's centre in table millimetres: as given, else from the focal length, else from the view's slant."""
    focal_factor = 1.0 if camera.focal_px is not None else _focal_factor(homography)
    derived = _centre(homography, focal_factor) if focal_factor is not None else None
    if camera.position_mm is not None:
        given = camera.position_mm
        if derived is not None and float(np.linalg.norm(np.subtract(given, derived))) > 0.1 * given[2]:
            return given, [
                "camera.position_mm: is not where the calibration points put the camera; heights may be wrong"
            ]
        return given, []
    if derived is None:
        raise ProfileError(
            "camera.position_mm: is missing, and cannot be told from the points of a camera that looks straight down; "
            "give position_mm or focal_px"
        )
    return derived, []


def _focal_factor(homography: Floats) -> float | None:
    """The focal length as a multiple of the lens's assumed one, from the right angle and equal scale of the axes.

    None when the camera looks (nearly) straight down: any focal length then explains the points.
    """
    (a, b, _), (d, e, _), (g, h, _) = homography / np.linalg.norm(homography)
    # r1 . r2 = 0 and |r1| = |r2| for columns (x / f, y / f, z); both linear in 1 / f^2
    left = np.array([a * b + d * e, a * a + d * d - b * b - e * e])
    right = -np.array([g * h, g * g - h * h])
    power = float(left @ left)
    if power <= 0:
        return None
    inverse_square = float(left @ right) / power
    slant = np.hypot(g, h) / np.hypot(np.hypot(a, d), np.hypot(b, e))
    misfit = float(np.linalg.norm(left * inverse_square - right)) / max(float(np.linalg.norm(right)), 1e-300)
    if slant < 0.1 or misfit > 0.3 or not 0.05 < inverse_square < 6.0:
        return None
    return float(1 / np.sqrt(inverse_square))


def _centre(homography: Floats, focal_factor: float) -> tuple[float, float, float]:
    """Camera centre from a plane's homography. The felt's heights count upwards, against its right-handed normal."""
    columns = np.diag([1 / focal_factor, 1 / focal_factor, 1.0]) @ homography
    scale = 2 / (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1]))
    columns = columns * (scale if columns[2, 2] > 0 else -scale)
    first, second = columns[:, 0], columns[:, 1]
    rough = np.stack([first, second, np.cross(first, second)], axis=1)
    u, _, vt = np.linalg.svd(rough)
    centre = -(u @ vt).T @ columns[:, 2]
    return float(centre[0]), float(centre[1]), float(abs(centre[2]))


def _through(matrix: Floats, points: Floats) -> Floats:
    x, y = np.ascontiguousarray(points[:, 0]), np.ascontiguousarray(points[:, 1])  # far quicker than strides
    across, down, depth = (a * x + b * y + c for a, b, c in matrix.tolist())
    projected = np.empty((len(points), 2))
    np.divide(across, depth, out=projected[:, 0])
    np.divide(down, depth, out=projected[:, 1])
    return projected


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _pairs(points: ArrayLike) -> Floats:
    return np.asarray(points, dtype=np.float64).reshape(-1, 2)


def _column(heights: ArrayLike) -> Floats:
    return np.asarray(heights, dtype=np.float64).reshape(-1, 1)
