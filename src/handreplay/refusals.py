"""Why a file cannot be used as a recording, in words that a person can act on."""

from pathlib import Path

import av
import av.container

from handreplay.errors import FootageError


def check_file(path: Path) -> None:
    """Raises FootageError when the file cannot hold a recording, whatever is in it."""
    try:
        if path.is_dir():
            raise FootageError(f"{path}: is a folder; name a recording in it")
        if path.exists() and not path.is_file():
            raise FootageError(f"{path}: is no ordinary file")
        with path.open("rb") as stream:
            head = stream.read(4)
    except FileNotFoundError:
        raise FootageError(f"{path}: no such file; check the name") from None
    except (OSError, ValueError) as error:
        raise FootageError(f"{path}: cannot be read ({getattr(error, 'strerror', None) or error})") from None
    if not head:
        raise FootageError(f"{path}: empty file; copy or export it again")
    if path.name.startswith("._") or head == b"\x00\x05\x16\x07":
        raise FootageError(f"{path}: is a side-car that macOS left beside a recording, not the recording; ignored")


def why_not(path: Path, error: Exception) -> str:
    """What an error of PyAV at opening means."""
    if _lacks_index(path):
        return "the recording was not closed by the recorder (it has pictures but no index); export it again"
    if isinstance(error, (av.error.InvalidDataError, av.error.ArgumentError)):
        return "is not a recording in any format that can be read; export it as mp4 or mkv"
    return f"cannot be opened ({plain(error)}); export it again as mp4 or mkv"


def _lacks_index(path: Path) -> bool:
    """An mp4 without its 'moov' box: walks the boxes at the top."""
    kinds: set[bytes] = set()
    with path.open("rb") as stream:
        size = path.stat().st_size
        at = 0
        while at + 8 <= size and len(kinds) < 1000:
            stream.seek(at)
            head = stream.read(16)
            length, kind = int.from_bytes(head[:4], "big"), head[4:8]
            if length == 1:
                length = int.from_bytes(head[8:16], "big")
            kinds.add(kind)
            if length < 8:
                break
            at += length
    return b"ftyp" in kinds and b"moov" not in kinds


def streams(container: av.container.InputContainer) -> str:
    """What a file without pictures holds."""
    kinds = sorted({stream.type for stream in container.streams})
    return f"only {' and '.join(kinds)}" if kinds else "nothing that can be played"


def plain(error: BaseException) -> str:
    """An error's own words."""
    return str(getattr(error, "strerror", None) or error)
