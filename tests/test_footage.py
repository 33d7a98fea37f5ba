"""Recordings as recorders leave them: whole, cut, damaged, and with clocks that lie."""

import hashlib
import os
import tracemalloc
from fractions import Fraction
from itertools import pairwise

import av
import numpy as np
import pytest

from handreplay.core.timeline import Clock, Gap
from handreplay.errors import FootageError
from handreplay.footage import Frame, Tally, pictures, probe, sha256_of, shown_at
from tests.clips import cut, number_of, numbered, record, remux, scramble, sound_only


def read(path):
    tally = Tally()
    items = list(pictures(path, tally=tally))
    frames = [item for item in items if isinstance(item, Frame)]
    assert all(a.seconds < b.seconds for a, b in pairwise(frames))
    return frames, [item for item in items if isinstance(item, Gap)], tally


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("clips")


@pytest.fixture(scope="module")
def base(folder):
    return record(folder / "base.mp4", 100, b_frames=2)


@pytest.fixture(scope="module")
def fast_start(folder, base):
    return remux(base, folder / "fast.mp4", options={"movflags": "+faststart"})


@pytest.mark.parametrize(
    ("name", "codec", "container"),
    [
        ("a.mp4", "libx264", None),
        ("a.mkv", "libx264", None),
        ("a.mov", "libx264", None),
        ("a.ts", "libx264", "mpegts"),
        ("a.avi", "mpeg4", None),
        ("b.avi", "mjpeg", None),
        ("a.webm", "libvpx", None),
        ("b.mp4", "libx265", None),
    ],
)
def test_every_container_gives_every_picture_at_its_exact_time(tmp_path, name, codec, container):
    pixel_format = "yuvj420p" if codec == "mjpeg" else "yuv420p"
    path = record(tmp_path / name, 30, codec=codec, container=container, pixel_format=pixel_format)
    frames, gaps, tally = read(path)
    assert [number_of(frame.luma) for frame in frames] == list(range(30))
    tolerance = Fraction(1, 1000) if name.endswith((".mkv", ".webm")) else 0
    assert all(abs(frame.seconds - Fraction(n, 25)) <= tolerance for n, frame in enumerate(frames))
    assert (gaps, tally.times, tally.pictures, tally.finished) == ([], "exact", 30, True)


@pytest.mark.parametrize(("codec", "container"), [("libx264", "h264"), ("libx265", "hevc")])
def test_without_timestamps_times_are_counted_and_marked_as_estimated(tmp_path, codec, container):
    frames, _, tally = read(record(tmp_path / f"raw.{container}", 30, codec=codec, container=container))
    assert [frame.seconds for frame in frames] == [Fraction(n, 25) for n in range(30)]
    assert tally.times == "estimated from 25 fps"


def test_avi_with_pictures_out_of_order_is_read_in_order(tmp_path):
    frames, _, tally = read(record(tmp_path / "b.avi", 100, b_frames=2))
    assert [number_of(frame.luma) for frame in frames] == list(range(100))
    assert frames[-1].seconds == Fraction(99, 25)
    assert tally.times.startswith("exact, but for")


def test_a_variable_rate_is_no_hole_and_times_are_the_files_own(tmp_path):
    at = [*range(0, 50), *range(50, 150, 5), *range(150, 200)]
    frames, gaps, _ = read(record(tmp_path / "vfr.mp4", at=at))
    assert [frame.seconds for frame in frames] == [Fraction(ticks, 25) for ticks in at]
    assert gaps == []


def test_pictures_that_the_recorder_left_out_are_a_gap(tmp_path):
    at = [*range(0, 30), *range(33, 60), *range(110, 140)]
    _, gaps, _ = read(record(tmp_path / "hole.mp4", at=at))
    assert [(gap.start, gap.end) for gap in gaps] == [
        (Fraction(29, 25), Fraction(33, 25)),
        (Fraction(59, 25), Fraction(110, 25)),
    ]
    assert "no pictures for 0.16 s" in gaps[0].reason


def test_a_cut_file_says_what_was_promised_and_what_was_read(tmp_path, fast_start):
    frames, gaps, tally = read(cut(fast_start, tmp_path / "cut.mp4", 0.6))
    assert 40 < len(frames) < 75
    assert gaps[-1].end == 4 and gaps[-1].start >= frames[-1].seconds
    assert f"100 pictures promised, {tally.pictures} read" in gaps[-1].reason


def test_a_cut_mkv_is_noticed_by_its_length(tmp_path, base):
    _, gaps, _ = read(cut(remux(base, tmp_path / "a.mkv"), tmp_path / "cut.mkv", 0.5))
    assert gaps[-1].end == 4
    assert "cut short: 4.0 s promised" in gaps[-1].reason


def test_an_mkv_whose_length_counts_from_0_is_whole_though_it_begins_later(tmp_path):
    later = record(tmp_path / "later.mkv", 100, shift_seconds=30)
    _, gaps, tally = read(later)
    assert probe(later).promised_seconds == 34
    assert (gaps, tally.seconds) == ([], Fraction(99, 25))
    _, gaps, _ = read(cut(later, tmp_path / "cut.mkv", 0.5))
    assert "cut short: 34.0 s promised" in gaps[-1].reason


@pytest.mark.parametrize(("share", "reasons"), [(1, ["discontinuity"]), (0.75, ["discontinuity", "the recording is"])])
def test_a_clock_that_is_put_forward_in_an_mkv_promises_no_more_pictures(tmp_path, share, reasons):
    at = [number + (900 * 25 if number >= 40 else 0) for number in range(200)]
    path = record(tmp_path / "set.mkv", 200, at=at)
    _, gaps, _ = read(cut(path, tmp_path / "cut.mkv", share))
    assert [gap.reason[: len(reason)] for gap, reason in zip(gaps, reasons, strict=True)] == reasons
    assert gaps[-1].end <= 9


def test_damage_costs_its_stretch_up_to_the_next_key_picture_and_no_more(tmp_path, fast_start):
    frames, gaps, tally = read(scramble(fast_start, tmp_path / "bad.mp4", 0.55, 6000))
    shown = [number_of(frame.luma) for frame in frames]
    assert shown == [round(frame.seconds * 25) for frame in frames]
    assert tally.pictures >= 90 and tally.refused > 0
    assert len(gaps) == 1 and gaps[0].end - gaps[0].start <= Fraction(3, 2)
    assert frames[-1].seconds == Fraction(99, 25)
    assert not any(gaps[0].start < frame.seconds < gaps[0].end for frame in frames)


def test_pictures_painted_over_damaged_ones_are_not_shown(tmp_path, base):
    path = scramble(remux(base, tmp_path / "a.ts", container="mpegts"), tmp_path / "bad.ts", 0.5, 8000)
    reference = [frame.luma.astype(int) for frame in read(base)[0]]
    frames, gaps, tally = read(path)
    assert gaps and tally.distrusted > 0
    for frame in frames:
        assert np.abs(frame.luma - reference[round(frame.seconds * 25)]).mean() < 1


def test_joined_files_whose_clocks_differ_become_one_line_with_a_discontinuity(tmp_path):
    first = record(tmp_path / "p1.ts", 50, container="mpegts", shift_seconds=47718)
    second = record(tmp_path / "p2.ts", 50, container="mpegts")
    joined = tmp_path / "joined.ts"
    joined.write_bytes(first.read_bytes() + second.read_bytes())
    frames, gaps, _ = read(joined)
    assert frames[0].seconds == 0
    assert frames[-1].seconds == Fraction(99, 25)
    assert [gap.reason.split(":")[0] for gap in gaps] == ["discontinuity"]
    assert gaps[0].end == 2


def test_repeated_and_backward_timestamps_never_make_time_run_back():
    clock = Clock(Fraction(1, 25))
    stamps = [10, 10.04, 10.04, 10.02, 10.08, 3.0, 3.04, None, 3.12]
    placed = [clock.place(None if s is None else Fraction(str(s))) for s in stamps]
    assert [p and float(p.seconds) for p in placed] == [0, 0.04, None, None, 0.08, 0.12, 0.16, 0.2, 0.24]
    assert placed[5].jump == "discontinuity: the timestamps jump by -0:00:07"
    assert (clock.out_of_order, clock.estimated) == (2, 1)


def test_an_index_that_was_never_written_is_told_in_plain_words(tmp_path, base):
    with pytest.raises(FootageError, match=r"was not closed by the recorder.*export it again"):
        probe(cut(base, tmp_path / "open.mp4", 0.6))


def test_files_that_are_no_recordings_are_told_apart(tmp_path):
    cases = {
        "zero.mp4": (b"", "empty file"),
        "._cam1.mp4": (bytes(4096), "side-car"),
        "noise.mp4": (os.urandom(4096), "is not a recording"),
        "list.mp4": (b"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n", "is not a recording"),
        "text.mkv": (b"just words", "is not a recording"),
    }
    for name, (content, says) in cases.items():
        (tmp_path / name).write_bytes(content)
        for ask in (probe, lambda path: list(pictures(path))):
            with pytest.raises(FootageError, match=says) as caught:
                ask(tmp_path / name)
            assert str(tmp_path / name) in str(caught.value)
    with pytest.raises(FootageError, match="no video stream; it holds only audio"):
        probe(sound_only(tmp_path / "sound.mp4"))
    with pytest.raises(FootageError, match="no such file"):
        probe(tmp_path / "none.mp4")
    with pytest.raises(FootageError, match="is a folder"):
        probe(tmp_path)


@pytest.mark.parametrize(
    "name", ["Tisch 7 – шт テーブル.mp4", "cam%02d.mp4", "100%d.mp4", "a#b'c;e f.mp4", "-vn.mp4", "a:b.mp4"]
)
def test_any_file_name_opens(tmp_path, monkeypatch, name):
    folder = tmp_path / "Spätschicht"
    folder.mkdir()
    path = record(folder / "made.mp4", 5).rename(folder / name)
    monkeypatch.chdir(folder)
    assert len(read(name)[0]) == len(read(path)[0]) == 5


PATCHES = [(200, 30, 40), (30, 60, 190), (20, 130, 60), (235, 235, 230), (40, 40, 42), (230, 120, 30), (120, 50, 140)]


def patches(_):
    return np.array(PATCHES, dtype=np.uint8).repeat(16, axis=0)[None].repeat(64, axis=0)


@pytest.mark.parametrize("tags", [(1, 1), (1, 2), (5, 1), (5, 2), None])
def test_colours_come_out_as_recorded_in_either_matrix_and_range(tmp_path, tags):
    path = record(tmp_path / "colour.mp4", 3, draw=patches, pixel_format="yuv444p", options={"qp": "4"}, tags=tags)
    seen = read(path)[0][1].bgr()[32, 8::16, ::-1].astype(int)
    assert np.abs(seen - PATCHES).max() <= 4
    assert ("assumed" in probe(path).colour) == (tags is None)


def test_an_untagged_file_says_which_matrix_was_assumed(base):
    assert probe(base).colour == "BT.601 assumed, limited range assumed"


@pytest.mark.parametrize(("width", "height"), [(210, 130), (250, 94)])
def test_odd_sizes_are_read_to_the_last_column(tmp_path, width, height):
    def ramp(_):
        return np.linspace(0, 255, width, dtype=np.uint8)[None, :, None].repeat(height, axis=0).repeat(3, axis=2)

    frame = read(record(tmp_path / "odd.mp4", 2, draw=ramp, options={"qp": "4"}))[0][0]
    assert frame.luma.shape == (height, width)
    assert np.abs(frame.bgr()[5, :, 0].astype(int) - ramp(0)[5, :, 0]).max() < 8


def test_ten_bit_pictures_have_a_luma_too(tmp_path):
    frames, _, _ = read(record(tmp_path / "ten.mp4", 5, pixel_format="yuv420p10le"))
    assert [number_of(frame.luma) for frame in frames] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("tags", [(1, 1), (5, 2), None])
@pytest.mark.parametrize("size", [(192, 128), (250, 94)])
def test_a_part_in_colour_is_that_part_of_the_whole(tmp_path, size, tags):
    path = record(tmp_path / "a.mp4", 2, draw=lambda n: numbered(n, (320, 240))[: size[1], : size[0]], tags=tags)
    frame = read(path)[0][1]
    whole = frame.bgr()
    for top, bottom, left, right in [(0, 94, 0, 190), (31, 78, 17, 100), (2, 5, 5, 12), (93, 94, 189, 190)]:
        part = frame.bgr_part(slice(top, bottom), slice(left, right))
        assert np.array_equal(part, whole[top:bottom, left:right])


def test_a_picture_whose_colours_are_not_laid_out_in_the_usual_way_is_converted_whole(tmp_path):
    fuller = read(record(tmp_path / "fuller.mp4", 1, pixel_format="yuv444p"))[0][0]
    odd = read(record(tmp_path / "odd.mkv", 1, draw=lambda n: numbered(n)[:127], codec="ffv1"))[0][0]
    assert fuller.bgr_part(slice(0, 8), slice(0, 8)) is None
    assert odd.bgr_part(slice(0, 8), slice(0, 8)) is None


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_the_files_rotation_is_applied(tmp_path, degrees):
    path = record(tmp_path / "plain.mp4", 3)
    turned = tmp_path / "turned.mp4"
    with av.open(str(path)) as given, av.open(str(turned), "w") as output:
        stream = output.add_stream_from_template(given.streams.video[0])
        stream.set_display_rotation(degrees)
        for packet in given.demux(given.streams.video[0]):
            if packet.dts is not None:
                packet.stream = stream
                output.mux(packet)
    plain, frame, info = read(path)[0][0], read(turned)[0][0], probe(turned)
    assert info.rotation_degrees == degrees
    assert np.array_equal(frame.luma, np.rot90(plain.luma, degrees // 90))
    assert np.array_equal(frame.bgr(), np.rot90(plain.bgr(), degrees // 90))
    assert (info.height, info.width) == frame.luma.shape


def test_a_picture_over_the_limit_is_refused_before_it_is_decoded(tmp_path):
    huge = record(tmp_path / "huge.mp4", 1, draw=lambda _: np.zeros((64, 8200, 3), dtype=np.uint8))
    with pytest.raises(FootageError, match="8200x64; the limit is 8192"):
        probe(huge)


def test_a_picture_size_that_changes_inside_the_file_is_a_gap(tmp_path):
    pieces = []
    for number, size in enumerate([(192, 128), (256, 160), (192, 128)]):
        name = tmp_path / f"p{number}.h264"
        pieces.append(record(name, 25, draw=lambda n, size=size: numbered(n, size), container="h264").read_bytes())
    joined = tmp_path / "joined.h264"
    joined.write_bytes(b"".join(pieces))
    frames, gaps, _ = read(joined)
    assert {frame.luma.shape for frame in frames} == {(128, 192)}
    assert len(frames) == 50
    assert gaps[0].reason == "the picture size changes from 192x128 to 256x160"
    assert (gaps[0].start, gaps[0].end) == (Fraction(24, 25), Fraction(50, 25))


def digest(frame):
    return hashlib.sha256(np.ascontiguousarray(frame.luma)).hexdigest()


@pytest.mark.parametrize("kind", ["b-frames", "variable", "joined", "damaged", "mkv"])
def test_a_picture_asked_for_by_its_time_is_the_very_one_that_straight_decoding_showed(tmp_path, fast_start, kind):
    if kind == "b-frames":
        path = record(tmp_path / "long.mp4", 300, key_every=120, b_frames=3, options={"preset": "ultrafast", "bf": "3"})
    elif kind == "variable":
        path = record(tmp_path / "vfr.mp4", at=[*range(0, 50), *range(50, 300, 5)])
    elif kind == "joined":
        path = tmp_path / "joined.ts"
        parts = [record(tmp_path / f"{n}.ts", 40, container="mpegts", shift_seconds=5 - 5 * n) for n in range(2)]
        path.write_bytes(b"".join(part.read_bytes() for part in parts))
    elif kind == "damaged":
        path = scramble(
            record(tmp_path / "d.mp4", 200, container_options={"movflags": "+faststart"}),
            tmp_path / "bad.mp4",
            0.4,
            5000,
        )
    else:
        path = remux(fast_start, tmp_path / "a.mkv")
    frames, _, tally = read(path)
    asked = {float(frame.seconds): frame for frame in [*frames[:: max(1, len(frames) // 8)], frames[-1]]}
    for found in (dict(shown_at(path, asked)), dict(shown_at(path, asked, tally))):
        assert list(found) == sorted(asked)
        for second, frame in asked.items():
            told = found[second]
            assert (told.seconds, told.index, digest(told)) == (frame.seconds, frame.index, digest(frame))


def test_only_what_leads_up_to_the_pictures_asked_for_is_decoded(tmp_path, monkeypatch):
    path = record(tmp_path / "long.mp4", 200, key_every=20, b_frames=2)
    _, _, tally = read(path)
    monkeypatch.setattr("handreplay.footage.pictures", lambda *_: pytest.fail("read from the start"))
    found = dict(shown_at(path, [1.0, 1.02, 5.03, 7.96, 99.0], tally))
    assert {second: number_of(frame.luma) for second, frame in found.items()} == {
        1.0: 25, 1.02: 25, 5.03: 125, 7.96: 199, 99.0: 199
    }  # fmt: skip


def test_nothing_is_shown_in_a_hole(tmp_path):
    path = record(tmp_path / "a.mp4", at=[*range(0, 50), *range(100, 150)])
    _, gaps, tally = read(path)
    assert len(gaps) == 1 and not tally.whole
    assert [(second, number_of(frame.luma)) for second, frame in shown_at(path, [1.0, 3.0, 4.0], tally)] == [
        (1.0, 25), (4.0, 50)
    ]  # fmt: skip


def test_luma_is_a_view_and_not_a_copy(base):
    frame = next(iter(pictures(base)))
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    views = [frame.luma for _ in range(50)]
    assert tracemalloc.get_traced_memory()[0] - before < views[0].size * 10
    tracemalloc.stop()


def test_a_reading_can_be_stopped_at_any_time(base):
    reading = pictures(base)
    next(reading)
    reading.close()
    assert len(read(base)[0]) == 100


def test_the_hash_is_that_of_the_whole_file(base):
    assert sha256_of(base) == hashlib.sha256(base.read_bytes()).hexdigest()
    with pytest.raises(FootageError, match="cannot be read"):
        sha256_of(base.parent)


def test_a_probe_says_what_the_file_is(fast_start):
    info = probe(fast_start)
    assert (info.container, info.codec, info.width, info.height) == ("mov", "h264", 192, 128)
    assert (info.rate, info.promised_pictures, info.promised_seconds) == (25, 100, 4)
