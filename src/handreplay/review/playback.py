"""The recording of a run, for the page: where it is, whether it is still the one that was audited, how it is played.

Browsers play what they can as it is. For the rest a proxy copy of one round is made beside nothing that matters, in a
temporary folder, and says on the picture and on the page that it is one.
"""

import json
import threading
from pathlib import Path
from typing import Any, Literal

from handreplay import cutting
from handreplay.errors import FootageError
from handreplay.footage import sha256_of
from handreplay.review.desk import Desk
from handreplay.store import Run

LEAD_S = 2.0  # shown before and after a round
SEARCHED_AT_ONCE = 64_000_000  # bytes: a smaller recording is compared with its hash before it is shown

Check = Literal["not found", "being checked", "the same", "another"]
State = Literal["none", "direct", "proxy"]


class Playback:
    """One run's recording. Safe to use from several threads."""

    def __init__(self, desk: Desk, recording: Path | None, workshop: Path) -> None:
        """`recording` overrides where the audit says it was; `workshop` is a folder for proxy copies."""
        self.desk = desk
        self.path, told = _where(desk.run, recording)
        self.check: Check = "not found"
        self.why_not = told
        self.direct = False
        self.times_as_in_the_file = times_as_in_the_file(desk.run)
        self._workshop = workshop
        self._guard = threading.Lock()
        self._proxies: dict[int, cutting.Cut] = {}
        if self.path is not None:
            self._look(self.path)

    def _look(self, path: Path) -> None:
        facts = _facts(self.desk.run)
        try:
            self.direct = cutting.plays_in_browsers(path) and self.times_as_in_the_file
        except FootageError as error:
            self.path, self.why_not = None, str(error)
            return
        if "bytes" in facts and path.stat().st_size != facts["bytes"]:
            self._set(self.desk.provenance.source_sha256 == "")
            return
        self.check = "being checked"
        if path.stat().st_size <= SEARCHED_AT_ONCE:
            self._compare(path)
        else:
            threading.Thread(target=self._compare, args=(path,), name="hash", daemon=True).start()

    def _compare(self, path: Path) -> None:
        try:
            self._set(sha256_of(path) == self.desk.provenance.source_sha256)
        except FootageError as error:
            self.path, self.why_not, self.check = None, str(error), "not found"

    def _set(self, same: bool) -> None:
        self.check = "the same" if same else "another"
        if not same:
            self.why_not = f"{self.path} is not the recording that was audited: its SHA-256 is another"
            self.path = None

    def state(self) -> State:
        return "none" if self.path is None else "direct" if self.direct else "proxy"

    def proxy(self, number: int) -> cutting.Cut:
        """A proxy copy of a round, made the first time that it is asked for. Raises FootageError."""
        with self._guard:
            if number not in self._proxies:
                if self.path is None:
                    raise FootageError(self.why_not)
                start, end = self.span(number)
                self._proxies[number] = cutting.proxy(
                    self.path,
                    start,
                    end,
                    self._workshop / f"round{number}",
                    times_as_in_the_file=self.times_as_in_the_file,
                )
            return self._proxies[number]

    def span(self, number: int) -> tuple[float, float]:
        """The seconds of the recording to show for a round."""
        line = self.desk.lines[number]
        return max(0.0, float(line["start"]) - LEAD_S), float(line["end"]) + LEAD_S

    def offset(self) -> float:
        """Seconds to add to a time of the recording for the browser's."""
        return cutting.browser_offset(self.path) if self.path is not None and self.direct else 0.0

    def picture_times(self, number: int) -> tuple[float, ...]:
        """Of a round's pictures, where the recording is played as it is; empty where they cannot be told."""
        if self.path is None or not self.direct:
            return ()
        try:
            return cutting.picture_times(self.path, *self.span(number))
        except FootageError:
            return ()


def _facts(run: Run) -> dict[str, Any]:
    if "recording.json" not in run.manifest["files"]:
        return {}
    facts = json.loads(run.path("recording.json").read_text("utf-8"))
    return facts if isinstance(facts, dict) else {}


def times_as_in_the_file(run: Run) -> bool:
    """Whether the recording's own timestamps tell its times; taken to be so where the run does not say."""
    return _facts(run).get("times_as_in_the_file") is not False


def _where(run: Run, given: Path | None) -> tuple[Path | None, str]:
    """The recording, or why there is none to show."""
    if given is not None:
        return (given.resolve(), "") if given.is_file() else (None, f"no such recording: {given}")
    told = _facts(run).get("path")
    if not isinstance(told, str):
        return None, "the run does not say where its recording is; start the review with --footage"
    for path in (Path(told), run.folder / Path(told).name):
        if path.is_file():
            return path, ""
    return None, f"the recording is no longer at {told}; start the review with --footage"


def recording_of(run: Run, given: Path | None) -> Path | None:
    """Where the run's recording is; None when it is not where the audit found it. Raises FootageError."""
    path, told = _where(run, given)
    if path is None and given is not None:
        raise FootageError(told)
    return path


def same_recording(run: Run, given: Path | None) -> Path | None:
    """As `recording_of`, with its hash compared. Raises FootageError for another recording."""
    path = recording_of(run, given)
    if path is not None and sha256_of(path) != run.manifest["source"]["sha256"]:
        raise FootageError(f"{path} is not the recording that {run.folder} was audited from: its SHA-256 is another")
    return path
