"""From a judged recording to the files of its run folder, in one call.

rounds.jsonl   findings.json   findings.csv   report.html   evidence/*.jpg

For whoever looks at the run later, in `handreplay review`: table.toml (the profile, byte for byte), recording.json
(where the recording was) and seen.jsonl (where cards and chips were read).
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from handreplay import __version__
from handreplay.config import Profile
from handreplay.core.events import Round
from handreplay.core.findings import Audit
from handreplay.core.observations import Observation, PictureLost
from handreplay.core.roundlog import round_line
from handreplay.core.timeline import JUMP
from handreplay.footage import Stamp, Tally, check_unchanged
from handreplay.footage_quiet import LONGEST_SECONDS
from handreplay.report import words
from handreplay.report.evidence import Taken, photograph, shots, take
from handreplay.report.findings_csv import findings_csv
from handreplay.report.findings_json import findings_document, findings_text
from handreplay.report.page import render_page
from handreplay.report.page_parts import Coverage, Report
from handreplay.report.seen_lines import seen_lines
from handreplay.rules.triage import Span
from handreplay.store import Provenance, write_run
from handreplay.vision.calibration import Calibration

Taking = Callable[[Iterable[float]], Iterable[tuple[float, Taken]]]  # the pictures on show at these seconds


def make_run_files(
    audit: Audit,
    rounds: Sequence[Round],
    profile: Profile,
    *,
    provenance: Provenance,
    coverage: Coverage,
    recording: Path | None = None,
    tally: Tally | None = None,
    observations: Sequence[Observation] = (),
    taking: Taking | None = None,
) -> tuple[Report, dict[str, bytes]]:
    """The report and the content of every file by name, ready for `store.write_run`.

    With a `recording` every finding gets its pictures, the sooner for the `tally` of its first reading; `observations`
    let them outline the cards and chips that were read, `taking` takes pictures that lie beyond the recording's end as
    well. Raises FootageError when the recording can no longer be read.
    """
    zones = {zone.name: zone.polygon for zone in profile.zones}
    pictures: dict[str, bytes] = {}
    turned = False
    if recording is not None:
        calibration = Calibration.from_profile(profile)
        turned = dealer_at_the_bottom(calibration)
        planned = shots(audit, rounds, zones)
        seconds = [shot.t for shot in planned]
        audit, pictures = photograph(
            audit,
            planned,
            taking(seconds) if taking else take(recording, seconds, tally),
            rounds=rounds,
            zones=zones,
            calibration=calibration,
            observations=observations,
        )
    source = {"file": provenance.source_file, "sha256": provenance.source_sha256}
    report = Report(
        document=findings_document(audit, profile.rules(), source=source, models=provenance.models),
        rounds=rounds,
        zones=zones,
        provenance=provenance,
        coverage=replace(coverage, remarks=(*_misfit(observations), *coverage.remarks)),
        timezone=profile.table.timezone,
        turned=turned,
        pictures=pictures,
    )
    files = {
        "rounds.jsonl": "".join(f"{round_line(round_)}\n" for round_ in rounds).encode(),
        "findings.json": findings_text(report.document).encode(),
        "findings.csv": findings_csv(audit).encode(),
        "report.html": render_page(report).encode(),
        **_for_review(profile, recording, tally, observations),
        **pictures,
    }
    return report, files


def _misfit(observations: Iterable[Observation]) -> Iterator[str]:
    """That the picture showed another view than the profile's: where no round is made of it no finding says so."""
    lost = [one for one in observations if isinstance(one, PictureLost) and one.camera_moved]
    if lost:
        seconds = words.duration(sum(one.end - one.start for one in lost))
        yield (
            f"The picture does not fit the table profile for {seconds}, in which nothing was read, first at "
            f"{words.position(lost[0].start)}: {lost[0].reason}."
        )


def _for_review(
    profile: Profile, recording: Path | None, tally: Tally | None, observations: Sequence[Observation]
) -> dict[str, bytes]:
    """The profile is left out when its file has changed since it was loaded; a review then asks for it."""
    files: dict[str, bytes] = {}
    content = profile.path.read_bytes() if profile.path.is_file() else b""
    if hashlib.sha256(content).hexdigest() == profile.sha256:
        files["table.toml"] = content
    if recording is not None:
        where = {
            "schema": "handreplay.recording/1",
            "path": str(recording.resolve()),
            "bytes": recording.stat().st_size,
            "times_as_in_the_file": tally is not None and _as_in_the_file(tally),
        }
        files["recording.json"] = json.dumps(where, ensure_ascii=False, indent=1).encode() + b"\n"
    if observations:
        files["seen.jsonl"] = seen_lines(observations).encode()
    return files


def _as_in_the_file(tally: Tally) -> bool:
    """Whether a picture's timestamp in the file, less the first one's, is its time in the audit."""
    return tally.finished and not tally.estimated and not any(gap.reason.startswith(JUMP) for gap in tally.gaps)


def dealer_at_the_bottom(calibration: Calibration) -> bool:
    """Whether the players' side of the felt lies above the dealer's in the picture."""
    dealer, players = calibration.to_picture_px([(0.0, 100.0), (0.0, 700.0)])
    return bool(players[1] < dealer[1])


class Audited(Protocol):
    """What the pipeline hands over for one recording."""

    @property
    def footage(self) -> Path: ...
    @property
    def footage_sha256(self) -> str: ...
    @property
    def stamp(self) -> Stamp | None: ...
    @property
    def tally(self) -> Tally: ...
    @property
    def profile(self) -> Profile: ...
    @property
    def models(self) -> Mapping[str, str]: ...
    @property
    def rounds(self) -> Sequence[Round]: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def passed_over(self) -> Sequence[Span]: ...


def keep_run(folder: Path, audited: Audited, observations: Sequence[Observation] = ()) -> Report:
    """Write the run folder of an audited recording. Raises OutputError when it cannot be written."""
    provenance = Provenance(
        version=__version__,
        source_file=audited.footage.name,
        source_sha256=audited.footage_sha256,
        profile_file=audited.profile.path.name,
        profile_sha256=audited.profile.sha256,
        models=audited.models,
    )
    report, files = make_run_files(
        audited.audit,
        audited.rounds,
        audited.profile,
        provenance=provenance,
        coverage=coverage_of(audited.tally, audited.profile, audited.passed_over),
        recording=audited.footage,
        tally=audited.tally,
        observations=observations,
    )
    check_unchanged(audited.footage, audited.stamp)  # whose pictures were just taken
    write_run(folder, files, provenance)
    return report


def coverage_of(tally: Tally, profile: Profile, triaged: Sequence[Span] = ()) -> Coverage:
    """What a reading of the recording covered, and what limited it, in sentences. `triaged`: of these seconds triage
    looked at key pictures only."""
    remarks = [f"Table profile: {warning}." for warning in profile.warnings]
    if tally.times != "exact":
        remarks.append(f"Times are {tally.times}.")
    if tally.stretched != 1:
        remarks.append(
            f"The recording is dark or veiled; it was read with its contrast raised {tally.stretched:.1f} times. "
            "Pictures are shown as recorded."
        )
    if triaged:
        passed_s, all_s = sum(span.seconds for span in triaged), float(tally.seconds)
        keys = sum(any(span.start <= key.seconds <= span.end for span in triaged) for key in tally.keys)
        remarks.append(
            f"Triage: of {passed_s:,.0f} of {all_s:,.0f} seconds only "
            f"{'one key picture was' if keys == 1 else f'{keys:,} key pictures were'} looked at. "
            "Rounds in them are not judged, and what came first within seconds was not seen: what is found is a reason "
            "to audit the recording in full."
        )
    elif tally.passed_over_microseconds:
        passed_s, all_s = tally.passed_over_microseconds / 1e6, float(tally.seconds)
        remarks.append(
            f"{passed_s:,.0f} of {all_s:,.0f} seconds, in which the table was empty and nothing moved, were looked at "
            f"no closer than one picture every {LONGEST_SECONDS} seconds."
        )
    if profile.standard_layout:
        remarks.append("The table profile draws no zones; the game's standard layout was taken.")
    return Coverage(
        duration_s=float(tally.seconds),
        gaps=tuple(tally.gaps),
        triaged_s=sum(span.seconds for span in triaged),
        remarks=tuple(remarks),
    )
