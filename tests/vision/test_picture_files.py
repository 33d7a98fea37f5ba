"""Photographs: what is refused before decoding, what is damaged, and how they lie."""

import os
import struct
import zlib

import cv2
import numpy as np
import pytest

from handreplay.errors import FootageError
from handreplay.vision.picture_files import NotAPictureError, read_picture


def picture(width: int = 60, height: int = 40) -> np.ndarray:
    shown = np.zeros((height, width, 3), np.uint8)
    shown[:, : width // 3] = (0, 0, 255)
    return shown


def turned_jpeg(orientation: int) -> bytes:
    """A JPEG whose camera noted how it was held."""
    data = cv2.imencode(".jpg", picture())[1].tobytes()
    tiff = b"MM\x00*\x00\x00\x00\x08" + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, orientation, 0, 0)
    note = b"Exif\x00\x00" + tiff
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(note) + 2) + note + data[2:]


@pytest.mark.parametrize("ending", ["jpg", "png", "webp", "bmp"])
def test_common_kinds_of_picture_are_read(tmp_path, ending):
    file = tmp_path / f"a.{ending}"
    cv2.imwrite(str(file), picture())
    assert read_picture(file).shape == (40, 60, 3)


def test_a_picture_is_read_as_it_is_displayed(tmp_path):
    file = tmp_path / "held.jpg"
    file.write_bytes(turned_jpeg(6))  # to be turned a quarter clockwise
    shown = read_picture(file)
    assert shown.shape == (60, 40, 3)
    assert shown[5, 20, 2] > 200  # the red third is now on top
    assert shown[50, 20, 2] < 60


def png_head(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (png_head(60000, 60000), "60000 x 60000"),
        (png_head(0, 5), "an empty picture"),
        (b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03" + b"\0" * 40, "65535 x 65535"),
        (b"GIF89a" + b"\0" * 40, "JPEG, PNG, WebP or BMP"),
        (b"", "JPEG, PNG, WebP or BMP"),
        (b"\xff\xd8\xff", "JPEG, PNG, WebP or BMP"),
        (png_head(60, 40), "damaged"),
    ],
)
def test_what_is_no_usable_picture_is_refused_in_one_line(tmp_path, data, told):
    file = tmp_path / "bad.jpg"
    file.write_bytes(data)
    with pytest.raises(FootageError, match=told) as error:
        read_picture(file)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_one_line(tmp_path):
    with pytest.raises(FootageError, match=r"nowhere\.jpg: cannot be read"):
        read_picture(tmp_path / "nowhere.jpg")


@pytest.mark.parametrize(("width", "height"), [(30_001, 64), (64, 32_768)])
def test_a_side_longer_than_can_be_worked_on_is_refused(tmp_path, width, height):
    file = tmp_path / "panorama.png"
    file.write_bytes(png_head(width, height))
    with pytest.raises(FootageError, match="30000 along a side; cut out or scale down"):
        read_picture(file)


def test_the_oldest_head_of_a_bmp_is_read_too(tmp_path):
    file = tmp_path / "old.bmp"
    rows = bytes([0, 0, 255] * 2 + [0, 0]) * 3
    file.write_bytes(
        b"BM" + struct.pack("<IHHI", 26 + len(rows), 0, 0, 26) + struct.pack("<IHHHH", 12, 2, 3, 1, 24) + rows
    )
    assert read_picture(file).shape == (3, 2, 3)


def noise_jpeg() -> bytearray:
    noise = np.random.default_rng(1).integers(0, 255, (200, 200, 3), np.uint8)
    return bytearray(cv2.imencode(".jpg", noise)[1].tobytes())


def test_a_jpeg_with_a_part_missing_in_its_middle_is_damaged_and_says_nothing_else(tmp_path, capfd):
    data = noise_jpeg()
    file = tmp_path / "gap.jpg"
    file.write_bytes(data[: len(data) // 2] + data[len(data) // 2 + 2000 :])
    with pytest.raises(FootageError, match="damaged or cut short"):
        read_picture(file)
    assert capfd.readouterr().err == ""


def test_stray_bytes_before_the_end_of_a_jpeg_harm_nothing(tmp_path):
    data = noise_jpeg()
    file = tmp_path / "stray.jpg"
    file.write_bytes(data[:-2] + b"\x00\x11\x22" + data[-2:])
    assert read_picture(file).shape == (200, 200, 3)


def test_what_a_decoder_says_of_a_broken_png_stays_off_the_terminal(tmp_path, capfd):
    file = tmp_path / "cut.png"
    file.write_bytes(cv2.imencode(".png", picture())[1].tobytes()[:-40])
    with pytest.raises(FootageError, match="damaged or cut short"):
        read_picture(file)
    os.write(2, b"heard again\n")
    assert capfd.readouterr().err == "heard again\n"


def test_a_file_of_another_kind_is_told_from_a_damaged_picture(tmp_path):
    file = tmp_path / "clip.mp4"
    file.write_bytes(b"\0\0\0\x18ftypmp42" + b"\0" * 40)
    with pytest.raises(NotAPictureError):
        read_picture(file)
