"""Evidence is whole or refused: by handreplay verify, and by sha256sum on a machine without it."""

import dataclasses
import hashlib
import io
import json
import random
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import av
import pytest

from handreplay import cutting
from handreplay.errors import HandreplayError, OutputError
from handreplay.footage import Frame, pictures, probe, shown_at
from handreplay.review import plain_zip, signing
from handreplay.review.case_file import CaseOptions, top_folder, write_case
from handreplay.review.desk import Desk, Reviewer
from handreplay.review.log import AlteredError
from handreplay.review.verify import verify
from tests.clips import remux
from tests.review.conftest import ANN, CLIP
from tests.review.test_desk import PAID, event, paid_blind

TOP = "case-UTH-12-r0001"


@pytest.fixture
def reviewed(desk: Desk) -> Desk:
    desk.decide(ANN, PAID, {"choice": "confirm", "fault": "dealer", "loss_cents": 10000, "remark": "paid a push"})
    desk.correct(ANN, 1, {"op": "right", "event": paid_blind(desk)})
    return desk


@pytest.fixture
def bare(reviewed: Desk, tmp_path: Path) -> Path:
    """A case without a clip, small enough to try every byte."""
    write_case(reviewed, 1, tmp_path / "case.zip", CaseOptions(by=ANN))
    return tmp_path / "case.zip"


def key(folder: Path, name: str = "key.pem") -> Path:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    made = Ed25519PrivateKey.generate()
    form, none = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / name).write_bytes(made.private_bytes(serialization.Encoding.PEM, form, none))
    (folder / f"{name}.pub").write_bytes(signing.public_pem(made))
    return folder / name


def test_a_case_holds_all_that_a_stranger_needs_and_verifies(reviewed: Desk, tmp_path: Path) -> None:
    out = tmp_path / "case.zip"
    digest = write_case(reviewed, 1, out, CaseOptions(by=ANN, recording=CLIP)).sha256
    assert hashlib.sha256(out.read_bytes()).hexdigest() == digest
    verdict = verify(out)
    assert verdict.whole and any("not signed" in remark for remark in verdict.remarks)
    with zipfile.ZipFile(out) as case:
        names = {name.removeprefix(f"{TOP}/") for name in case.namelist()}
        about = json.loads(case.read(f"{TOP}/case.json"))
        readme = case.read(f"{TOP}/README.txt").decode()
    wanted = "README.txt SHA256SUMS case.json clip.mp4 report.html report.pdf report.json round.machine.jsonl "
    wanted += (
        "round.corrected.jsonl findings.machine.json findings.corrected.json review.jsonl manifest.json table.toml "
    )
    assert set(wanted.split()) | {"rules/PY02.txt"} <= names
    assert sum(name.startswith("pictures/") for name in names) == 2
    assert about["source"]["sha256"] == reviewed.provenance.source_sha256 and about["clip"]["encoded_anew"] is False
    assert "sha256sum -c SHA256SUMS" in readme and reviewed.provenance.source_sha256 in readme
    assert (reviewed.log.entries()[-1].body or {})["sha256"] == digest


def test_a_finding_that_corrections_brought_up_is_pictured_too(desk: Desk, tmp_path: Path) -> None:
    kept = event(desk, 1, zone="seat2.ante", after={})
    desk.correct(ANN, 1, {"op": "remove", "event": kept})
    (key,) = set(desk.state().keys) - {PAID}
    write_case(desk, 1, tmp_path / "case.zip", CaseOptions(by=ANN, recording=CLIP))
    with zipfile.ZipFile(tmp_path / "case.zip") as case:
        code = key.split(".")[0]
        picture = case.read(f"{TOP}/pictures/corrected_r0001_{code}_1.jpg")
    assert picture.startswith(b"\xff\xd8") and len(picture) > 20_000


def test_a_case_is_compared_with_its_recording_picture_by_picture(reviewed: Desk, tmp_path: Path) -> None:
    out, other = tmp_path / "case.zip", tmp_path / "other.mp4"
    write_case(reviewed, 1, out, CaseOptions(by=ANN, recording=CLIP))
    assert any("bit for bit" in line for line in verify(out, recording=CLIP).checked)
    other.write_bytes(CLIP.read_bytes()[:-1] + b"x")
    assert not verify(out, recording=other).whole and not verify(out, recording=tmp_path / "none").whole


def test_it_checks_with_sha256sum_after_unpacking(bare: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(bare) as case:
        case.extractall(tmp_path / "unpacked")
    done = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=tmp_path / "unpacked" / TOP, capture_output=True)
    assert done.returncode == 0 and b"FAILED" not in done.stdout


def test_one_altered_byte_anywhere_in_a_case_is_found(bare: Path) -> None:
    """A good sample of the bytes inside the files and between them, and the edges of all."""
    whole = bare.read_bytes()
    with bare.open("rb") as stream:
        members = plain_zip.read_zip(stream)
    inside = {place for m in members.values() for place in range(m.offset, m.offset + m.size)}
    outside = [place for place in range(len(whole)) if place not in inside]
    chance = random.Random(1)
    sample = [*chance.sample(sorted(inside), 100), *chance.sample(outside, 300)]
    edges = [place for m in members.values() for place in (m.offset, m.offset + m.size - 1)]
    for place in [*edges, *sample, *outside[-22:]]:
        bare.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert not verify(bare).whole, f"byte {place} of {len(whole)}"
    for shorter in (whole[:-1], whole[1:], whole + b"\0", whole[: len(whole) // 2], b""):
        bare.write_bytes(shorter)
        assert not verify(bare).whole


def test_a_case_put_together_anew_with_a_file_altered_added_or_left_out_is_refused(bare: Path) -> None:
    with zipfile.ZipFile(bare) as case:
        files = {name: case.read(name) for name in case.namelist()}
    log = f"{TOP}/review.jsonl"
    fewer = {name: content for name, content in files.items() if name != log}
    for changed in (
        {**files, log: files[log].replace(b"confirm", b"reject.", 1)},
        {**files, f"{TOP}/extra.txt": b"new"},
        {**files, "other/extra.txt": b"new"},
        {**files, "loose.txt": b"new"},
        fewer,
    ):
        with bare.open("wb") as stream:
            plain_zip.write_zip(stream, changed)
        assert not verify(bare).whole


def test_hashes_made_to_match_an_altered_review_log_do_not_help(bare: Path) -> None:
    with zipfile.ZipFile(bare) as case:
        files = {name: case.read(name) for name in case.namelist()}
    files[f"{TOP}/review.jsonl"] = files[f"{TOP}/review.jsonl"].replace(b"paid a push", b"all is well")
    sums = [
        f"{hashlib.sha256(content).hexdigest()}  {name.partition('/')[2]}\n"
        for name, content in sorted(files.items())
        if not name.endswith("SHA256SUMS")
    ]
    files[f"{TOP}/SHA256SUMS"] = "".join(sums).encode()
    with bare.open("wb") as stream:
        plain_zip.write_zip(stream, files)
    assert any("entry" in line for line in verify(bare).wrong)


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/passwd", f"{TOP}/../../evil", "C:\\evil", f"{TOP}/a b", ""])
def test_names_that_would_lead_outside_are_refused_and_nothing_is_unpacked(tmp_path: Path, name: str) -> None:
    path = tmp_path / "slip.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(zipfile.ZipInfo(name or "x"), b"evil")
    assert not verify(path).whole
    with pytest.raises(ValueError, match="not a name"):
        plain_zip.write_zip(io.BytesIO(), {name: b""})
    assert [entry.name for entry in tmp_path.iterdir()] == ["slip.zip"]


def test_a_compressed_bomb_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(f"{TOP}/SHA256SUMS", b"0" * 50_000_000)
    assert path.stat().st_size < 100_000 and not verify(path).whole


def test_a_zip_of_ours_is_read_by_everybody_and_the_same_contents_give_the_same_bytes(tmp_path: Path) -> None:
    contents = {"a/b.txt": b"one", "a/c.txt": b"", "a.bin": bytes(range(256)) * 9000}
    made = io.BytesIO()
    plain_zip.write_zip(made, contents)
    with zipfile.ZipFile(made) as case:
        assert case.testzip() is None and {name: case.read(name) for name in case.namelist()} == contents
    again = io.BytesIO()
    plain_zip.write_zip(again, dict(reversed(contents.items())))
    assert made.getvalue() == again.getvalue()
    assert plain_zip.content_of(made, plain_zip.read_zip(made)["a.bin"]) == contents["a.bin"]
    with pytest.raises(AlteredError, match="larger"):
        plain_zip.content_of(made, plain_zip.read_zip(made)["a.bin"], 100)


def test_a_signed_case_names_its_signer_and_a_wrong_one_is_found(reviewed: Desk, tmp_path: Path) -> None:
    private, out = key(tmp_path), tmp_path / "case.zip"
    write_case(reviewed, 1, out, CaseOptions(by=ANN, sign_key=private))
    assert verify(out).whole and verify(out, signer=tmp_path / "key.pem.pub").whole
    key(tmp_path, "other.pem")
    assert not verify(out, signer=tmp_path / "other.pem.pub").whole
    with zipfile.ZipFile(out) as case:
        files = {name: case.read(name) for name in case.namelist()}
    for name in (f"{TOP}/SHA256SUMS.sig", f"{TOP}/signer.pem"):
        with out.open("wb") as stream:
            plain_zip.write_zip(stream, {k: v for k, v in files.items() if k != name})
        assert not verify(out).whole
    stranger = {**files, f"{TOP}/signer.pem": (tmp_path / "other.pem.pub").read_bytes()}
    with out.open("wb") as stream:
        plain_zip.write_zip(stream, stranger)
    assert not verify(out).whole


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed here")
def test_the_signature_checks_with_openssl_as_the_readme_says(reviewed: Desk, tmp_path: Path) -> None:
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", tmp_path / "k.pem"], check=True)
    write_case(reviewed, 1, tmp_path / "case.zip", CaseOptions(by=ANN, sign_key=tmp_path / "k.pem"))
    with zipfile.ZipFile(tmp_path / "case.zip") as case:
        case.extractall(tmp_path)
    call = "openssl pkeyutl -verify -pubin -inkey signer.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig"
    assert subprocess.run(call.split(), cwd=tmp_path / TOP, capture_output=True).returncode == 0


def test_an_unsigned_case_does_not_pass_for_a_signed_one(bare: Path, tmp_path: Path) -> None:
    key(tmp_path)
    assert not verify(bare, signer=tmp_path / "key.pem.pub").whole


@pytest.mark.parametrize("content", [b"", b"no key", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_a_key_file_that_is_none_is_refused_before_anything_is_written(
    reviewed: Desk, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "key.pem").write_bytes(content)
    with pytest.raises(HandreplayError, match="private key"):
        write_case(reviewed, 1, tmp_path / "case.zip", CaseOptions(by=ANN, sign_key=tmp_path / "key.pem"))
    assert not (tmp_path / "case.zip").exists()


def test_evidence_is_never_written_over_and_a_round_must_be_there(reviewed: Desk, bare: Path) -> None:
    with pytest.raises(OutputError, match="never written over"):
        write_case(reviewed, 1, bare, CaseOptions(by=ANN))
    with pytest.raises(OutputError, match="no round 9"):
        write_case(reviewed, 9, bare.with_name("new.zip"), CaseOptions(by=ANN))
    with pytest.raises(OutputError, match="cannot write"):
        write_case(reviewed, 1, bare.parent / "no" / "case.zip", CaseOptions(by=ANN))


@pytest.mark.parametrize("table", ["AUX", "Pit 1: BJ", "../../x", "=1+1", "стол", "x" * 300])
def test_a_tables_name_never_makes_a_file_name_that_a_disk_cannot_hold(desk: Desk, table: str) -> None:
    desk.table = dataclasses.replace(desk.table, table=table)
    name = top_folder(desk, 1)
    assert re.fullmatch(r"case-[A-Za-z0-9-]{1,40}-r0001", name)


def test_nothing_is_handed_over_of_a_run_that_was_altered_since_it_was_opened(reviewed: Desk, tmp_path: Path) -> None:
    picture = next((reviewed.folder / "evidence").iterdir())
    picture.write_bytes(picture.read_bytes()[:-1] + b"x")
    with pytest.raises(OutputError, match="altered"):
        write_case(reviewed, 1, tmp_path / "case.zip", CaseOptions(by=ANN))
    assert not (tmp_path / "case.zip").exists()


def test_the_same_log_gives_the_same_case(reviewed: Desk, bare: Path, tmp_path: Path) -> None:
    again = Path(shutil.copytree(reviewed.folder, tmp_path / "again"))
    for name in ("review.jsonl", "review.head"):  # as they were before the copy was noted
        lines = (reviewed.folder / name).read_bytes().splitlines(keepends=True)
        (again / name).write_bytes(b"".join(lines[:-1]) if name == "review.jsonl" else b"")
    (again / "review.head").write_bytes(_head(again / "review.jsonl"))
    write_case(Desk(again), 1, tmp_path / "again.zip", CaseOptions(by=ANN))
    assert (tmp_path / "again.zip").read_bytes() == bare.read_bytes()


def _head(log: Path) -> bytes:
    last = json.loads(log.read_bytes().splitlines()[-1])
    return json.dumps({"hash": last["hash"], "n": last["n"]}, separators=(",", ":")).encode() + b"\n"


def test_other_rounds_entries_are_there_with_their_hash_alone(reviewed: Desk, tmp_path: Path) -> None:
    reviewed.note(Reviewer("Ann"), {"kind": "report", "round": 2, "fields": {"staff": "a name of no concern here"}})
    write_case(reviewed, 1, tmp_path / "case.zip", CaseOptions(by=ANN))
    assert verify(tmp_path / "case.zip").whole
    assert b"of no concern" not in (tmp_path / "case.zip").read_bytes()


# ---- run folders


def test_a_reviewed_run_verifies_with_its_recording(reviewed: Desk) -> None:
    verdict = verify(reviewed.folder)
    assert verdict.whole and any("recording" in line for line in verdict.checked)


def test_one_altered_byte_anywhere_in_a_run_is_found(reviewed: Desk) -> None:
    chance = random.Random(2)
    for path in sorted(path for path in reviewed.folder.rglob("*") if path.is_file()):
        if path.name == "review.lock":
            continue
        whole = path.read_bytes()
        for place in {0, len(whole) - 1, *(chance.randrange(len(whole)) for _ in range(12))}:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            assert not verify(reviewed.folder).whole, f"{path.name}, byte {place}"
        path.write_bytes(whole)
    assert verify(reviewed.folder).whole


def test_a_log_moved_to_another_run_is_found(reviewed: Desk, made_run: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(made_run, tmp_path / "other"))
    manifest = json.loads((other / "manifest.json").read_bytes())
    manifest["tool"]["version"] = "9.9.9"
    del manifest["manifest_sha256"]
    (other / "manifest.json").write_text(json.dumps(manifest))
    for name in ("review.jsonl", "review.head"):
        shutil.copy(reviewed.folder / name, other)
    assert any("another run" in line for line in verify(other).wrong)


def test_another_recording_is_found_and_a_missing_one_said(reviewed: Desk, tmp_path: Path) -> None:
    other = tmp_path / "cut.mp4"
    other.write_bytes(CLIP.read_bytes()[:-5])
    assert not verify(reviewed.folder, recording=other).whole
    assert not verify(reviewed.folder, recording=tmp_path / "none.mp4").whole


# ---- cuts


def test_a_cut_holds_the_recordings_own_pictures_bit_for_bit(tmp_path: Path) -> None:
    made = cutting.cut(CLIP, 9.0, 13.0, tmp_path / "clip")
    assert made.copied and (made.start, made.pictures) == (8.0, 76) and made.end == pytest.approx(13.0, abs=0.07)
    assert cutting.data_sha256(made.path) == made.data_sha256
    again = cutting.cut(CLIP, 9.0, 13.0, tmp_path / "again")
    assert again.path.read_bytes() == made.path.read_bytes()
    first = next(item for item in pictures(made.path) if isinstance(item, Frame))
    ((_, original),) = shown_at(CLIP, [8.0])
    assert (first.luma == original.luma).all()


def test_what_cannot_be_cut_is_encoded_anew_and_says_so(tmp_path: Path) -> None:
    """A raw stream without times cannot be entered in the middle."""
    raw = remux(CLIP, tmp_path / "raw.h264", container="h264")
    made = cutting.cut(raw, 0.5, 1.0, tmp_path / "clip")
    assert not made.copied and made.data_sha256 is None and "Encoded anew" in made.remark


@pytest.mark.parametrize("degrees", [90, 180])
def test_a_cut_of_a_turned_recording_is_turned_alike(tmp_path: Path, degrees: int) -> None:
    turned = tmp_path / "turned.mp4"
    with av.open(str(CLIP)) as source, av.open(str(turned), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        stream.set_display_rotation(degrees)
        for packet in source.demux(video=0):
            if packet.dts is None or packet.pts * packet.time_base > 5:
                break
            packet.stream = stream
            target.mux(packet)
    assert probe(turned).rotation_degrees == degrees
    made = cutting.cut(turned, 0.0, 2.0, tmp_path / "clip")
    assert made.copied and probe(made.path).rotation_degrees == degrees


def test_a_recording_whose_clock_was_set_is_cut_by_decoding_it(tmp_path: Path) -> None:
    made = cutting.cut(CLIP, 1.0, 1.5, tmp_path / "clip", times_as_in_the_file=False)
    assert not made.copied and "timestamps jump" in made.remark and made.start == pytest.approx(1.0, abs=0.07)


def test_a_quick_proxy_shows_the_same_times_as_one_that_decodes_everything(tmp_path: Path) -> None:
    slow = cutting.proxy(CLIP, 5.0, 5.4, tmp_path / "slow")
    quick = cutting.proxy(CLIP, 5.0, 5.4, tmp_path / "quick", times_as_in_the_file=True)
    assert (quick.start, quick.end, quick.pictures) == pytest.approx((slow.start, slow.end, slow.pictures), abs=0.001)
    assert quick.path.read_bytes() == slow.path.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["quick.mp4", "slow.mp4"]


def test_a_proxy_copy_says_on_its_pictures_that_it_is_one(tmp_path: Path) -> None:
    marked = cutting.proxy(CLIP, 4.0, 4.2, tmp_path / "marked")
    plain = cutting.proxy(CLIP, 4.0, 4.2, tmp_path / "plain", words=None)
    strips = []
    for made in (marked, plain):
        frame = next(item for item in pictures(made.path) if isinstance(item, Frame))
        strips.append(frame.luma[:24, 500:780].astype(int))
    assert abs(strips[0] - strips[1]).max() > 100
    assert cutting.plays_in_browsers(marked.path) and marked.start == pytest.approx(4.0, abs=0.07)


def test_what_is_no_evidence_file_is_not_called_altered(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no evidence", "utf-8")
    with pytest.raises(OutputError, match="neither the folder of a run nor an evidence file"):
        verify(text)
