"""Writes the two pictures of a look: FILE.png as the camera sees it, FILE-felt.png from above."""

import os
from pathlib import Path

import cv2

from handreplay.errors import OutputError
from handreplay.report import words
from handreplay.report.look_picture import Picture, camera_sheet, felt_sheet
from handreplay.vision.look import Look


def places_for(footage: Path, at: float, out: Path | None, *, replace: bool) -> tuple[Path, Path]:
    """Where the pictures will go, checked before anything is read. Raises OutputError."""
    camera = out if out is not None else Path(f"{footage.stem}-{words.position(at).replace(':', '-')}.png")
    if camera.suffix.lower() != ".png":
        raise OutputError(f"{camera}: pictures are written as PNG; give a name that ends in .png")
    felt = camera.with_name(f"{camera.stem}-felt.png")
    for path in (camera, felt):
        if path.is_dir():
            raise OutputError(f"{path}: is a folder; give a name for the picture")
        if path.exists() and not replace:
            raise OutputError(f"{path}: is there already; give another --out, or --replace to write over it")
    if not camera.absolute().parent.is_dir():
        raise OutputError(f"{camera.parent}: no such folder; make it first, or give another --out")
    return camera, felt


def write_look(look: Look, camera: Path, felt: Path, *, replace: bool) -> None:
    """Draw and write both pictures. Raises OutputError."""
    for path, sheet in ((camera, camera_sheet(look)), (felt, felt_sheet(look))):
        write_png(path, sheet, replace=replace)


def write_png(path: Path, picture: Picture, *, replace: bool) -> None:
    """Write a picture, whole or not at all. Raises OutputError when it is there and may not be replaced."""
    done, coded = cv2.imencode(".png", picture)
    if not done:
        raise OutputError(f"{path}: the picture could not be coded as PNG")
    if path.exists() and not replace:
        raise OutputError(f"{path}: is there already; give another --out, or --replace to write over it")
    aside = path.with_name(f".{path.name}.unfinished")
    try:
        aside.write_bytes(coded.tobytes())
        os.replace(aside, path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror})") from None
    finally:
        aside.unlink(missing_ok=True)
