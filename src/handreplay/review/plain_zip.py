"""ZIP files written one single way: stored, sorted, without times or attributes. Any other byte is then an alteration.

Reading never unpacks anything to the disk: names are checked, sizes are limited, and the file must be, byte for byte,
what writing its contents again would give.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from handreplay.errors import OutputError
from handreplay.review.log import AlteredError

MOST_FILES = 5_000
MOST_BYTES = 4_000_000_000  # of the whole file; beyond it the format would need other fields
PIECE = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,120}){0,3}")
_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
_DATE = 0x21  # 1 January 1980, the format's first day


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside. `offset` is where its content begins."""

    name: str
    size: int
    crc: int
    offset: int


def write_zip(stream: BinaryIO, contents: Mapping[str, bytes | Path]) -> None:
    """Write the files, sorted by name. Raises OutputError when they are too many or too large."""
    if len(contents) > MOST_FILES:
        raise OutputError(f"an evidence file holds at most {MOST_FILES} files")
    members = []
    for name in sorted(contents):
        if not _NAME.fullmatch(name):
            raise ValueError(f"not a name for a file in evidence: {name!r}")
        content = contents[name]
        size, crc = _measured(content)
        start = stream.tell()
        stream.write(_local(name, size, crc))
        members.append((Member(name, size, crc, stream.tell()), start))
        for piece in _pieces(content):
            stream.write(piece)
        if stream.tell() > MOST_BYTES:
            raise OutputError("the evidence would be larger than 4 GB; name fewer rounds or a shorter one")
    begin = stream.tell()
    for member, start in members:
        stream.write(_central(member, start))
    stream.write(_end(len(members), begin, stream.tell() - begin))


def read_zip(stream: BinaryIO) -> dict[str, Member]:
    """The files inside. Raises AlteredError unless every byte outside their contents is as `write_zip` writes it."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - 22))
    tail = stream.read(22)
    if size > MOST_BYTES or len(tail) < 22 or tail[:4] != _END:
        raise AlteredError("it is not a whole evidence file: its end is missing or was altered")
    count, _, length, begin = struct.unpack("<HHII", tail[8:20])[0:4]
    if count > MOST_FILES or begin + length + 22 != size or tail != _end(count, begin, length):
        raise AlteredError("its list of files was altered")
    stream.seek(begin)
    directory = stream.read(length)
    members: dict[str, Member] = {}
    place = position = 0
    for _ in range(count):
        member, place, position = _next(stream, directory, place, position)
        if members and member.name <= max(members):
            raise AlteredError("its list of files was altered")
        members[member.name] = member
    if place != length or position != begin:
        raise AlteredError("something was put between its files")
    return members


def content_of(stream: BinaryIO, member: Member, most: int | None = None) -> bytes:
    """A whole small file. Raises AlteredError when it is larger than `most` bytes."""
    if most is not None and member.size > most:
        raise AlteredError(f"{member.name} is larger than such a file ever is")
    return b"".join(pieces_of(stream, member))


def pieces_of(stream: BinaryIO, member: Member) -> Iterator[bytes]:
    stream.seek(member.offset)
    left = member.size
    while left:
        piece = stream.read(min(PIECE, left))
        if not piece:
            raise AlteredError(f"{member.name} is cut short")
        left -= len(piece)
        yield piece


def _next(stream: BinaryIO, directory: bytes, place: int, position: int) -> tuple[Member, int, int]:
    """The member whose line of the list begins at `place`, which must lie at `position` of the file."""
    if len(directory) < place + 46:
        raise AlteredError("its list of files is cut short")
    crc, size, _, length = struct.unpack("<IIIH", directory[place + 16 : place + 30])
    raw = directory[place + 46 : place + 46 + length]
    name = raw.decode("ascii", "replace")
    if not _NAME.fullmatch(name):
        raise AlteredError(f"it holds a file of a name that no evidence has: {name[:80]!r}")
    member = Member(name, size, crc, position + 30 + length)
    line = _central(member, position)
    if directory[place : place + len(line)] != line:
        raise AlteredError(f"what the list says of {name} was altered")
    stream.seek(position)
    if stream.read(30 + length) != _local(name, size, crc):
        raise AlteredError(f"the head of {name} was altered")
    return member, place + len(line), member.offset + size


def _local(name: str, size: int, crc: int) -> bytes:
    raw = name.encode("ascii")
    return struct.pack("<4sHHHHHIIIHH", _LOCAL, 20, 0, 0, 0, _DATE, crc, size, size, len(raw), 0) + raw


def _central(member: Member, start: int) -> bytes:
    raw = member.name.encode("ascii")
    fields = (_CENTRAL, 20, 20, 0, 0, 0, _DATE, member.crc, member.size, member.size, len(raw), 0, 0, 0, 0, 0, start)
    return struct.pack("<4sHHHHHHIIIHHHHHII", *fields) + raw


def _end(count: int, begin: int, length: int) -> bytes:
    return struct.pack("<4sHHHHIIH", _END, 0, 0, count, count, length, begin, 0)


def _measured(content: bytes | Path) -> tuple[int, int]:
    size = crc = 0
    for piece in _pieces(content):
        size, crc = size + len(piece), zlib.crc32(piece, crc)
    return size, crc


def _pieces(content: bytes | Path) -> Iterable[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with content.open("rb") as stream:
        while piece := stream.read(PIECE):
            yield piece
