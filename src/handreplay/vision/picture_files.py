"""Opens photographs: JPEG, PNG, WebP and BMP files, as they are displayed, and nothing larger than it can work on.

The camera's note of how it was held (EXIF orientation) is obeyed; (0, 0) is the displayed picture's top left corner.
"""

import os
import struct
import tempfile
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handreplay.errors import FootageError

Picture = NDArray[np.uint8]  # H x W x 3, BGR

MOST_BYTES = 100_000_000
MOST_PIXELS = 64_000_000
MOST_SIDE = 30_000  # OpenCV warps no picture of 32,768 pixels or more along a side
_ERRORS = 2  # the file number of standard error


class NotAPictureError(FootageError):
    pass


def read_picture(path: Path) -> Picture:
    """Decode a file. Raises FootageError with what is wrong with it, NotAPictureError where it is of another kind."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise FootageError(f"{path}: is no ordinary file; give the path of a picture")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise FootageError(
                f"{path}: {size // 1_000_000} MB is more than a picture may have ({MOST_BYTES // 1_000_000} MB); "
                "export it smaller"
            )
        data = path.read_bytes()
    except OSError as error:
        raise FootageError(f"{path}: cannot be read ({error.strerror}); give the path of a picture") from None
    _check_sides(path, data)
    picture = _decoded(data)
    if picture is None:
        raise FootageError(f"{path}: damaged or cut short; export the picture again")
    return picture


def _check_sides(path: Path, data: bytes) -> None:
    """Refuse what is huge before anything of it is decoded."""
    sides = _sides(data)
    if sides is None:
        raise NotAPictureError(f"{path}: not a picture that handreplay reads; give a JPEG, PNG, WebP or BMP file")
    told = f"{path}: {sides[0]} x {sides[1]} pixels"
    if min(sides) < 1:
        raise FootageError(f"{told}: an empty picture; export it again")
    if sides[0] * sides[1] > MOST_PIXELS or max(sides) > MOST_SIDE:
        raise FootageError(
            f"{told}; at most {MOST_PIXELS // 1_000_000} million are read, {MOST_SIDE} along a side; "
            "cut out or scale down the part with the cards"
        )


def _decoded(data: bytes) -> Picture | None:
    """None where the file is cut short, or its decoder had to make up a part of the picture."""
    picture, said = _overheard(data)
    made_up = any("Corrupt JPEG data" in line and "extraneous" not in line for line in said.splitlines())
    return None if made_up else picture


def _overheard(data: bytes) -> tuple[Picture | None, str]:
    """The picture, and what its decoder wrote to standard error, which is not for users."""
    with tempfile.TemporaryFile() as heard:
        try:
            kept = os.dup(_ERRORS)
        except OSError:  # closed
            return _tried(data), ""
        try:
            os.dup2(heard.fileno(), _ERRORS)
            picture = _tried(data)
        finally:
            os.dup2(kept, _ERRORS)
            os.close(kept)
        heard.seek(0)
        return picture, heard.read(100_000).decode("utf-8", "replace")


def _tried(data: bytes) -> Picture | None:
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if picture is None else np.asarray(picture, np.uint8)


def _sides(data: bytes) -> tuple[int, int] | None:
    """Width and height that the file's head claims; None for a file of another kind."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return struct.unpack(">II", data[16:24])
    if data[:2] == b"BM" and len(data) >= 26:
        return _bmp_sides(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP" and len(data) >= 30:
        return _webp_sides(data)
    if data[:2] == b"\xff\xd8":
        return _jpeg_sides(data)
    return None


def _bmp_sides(data: bytes) -> tuple[int, int]:
    oldest = int.from_bytes(data[14:18], "little") == 12  # a head with sides of two bytes
    width, height = struct.unpack("<HH", data[18:22]) if oldest else struct.unpack("<ii", data[18:26])
    return abs(width), abs(height)


def _webp_sides(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1
    if kind == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg_sides(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        elif marker in (0x01, *range(0xD0, 0xD9)):
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None
