"""The report of an adaptation: lines for the terminal, a document, and a page with every crop and how it was read."""

import base64
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from handreplay.adapt.labels import draft
from handreplay.adapt.measure import CardScore, ChipScore
from handreplay.adapt.profile_text import adapted_profile
from handreplay.adapt.run import CHECKPOINT, TRAINED, Adapted, Fitted, shipped_reader
from handreplay.adapt.views import Face, Stack
from handreplay.config import Profile
from handreplay.errors import OutputError
from handreplay.report.look_picture import percent
from handreplay.report.page import render, style
from handreplay.store import try_place
from handreplay.vision.straighten import Picture
from handreplay.vision.zone_reader import KNOWN_CARD

SCHEMA = "handreplay.adapt/1"
REPORT = "report.json"
_MOST_CROPS = 400
_MOST_LINES = 12  # of one kind; the page shows every crop


def check_folder(out: Path, profile: Profile) -> None:
    """Raises OutputError unless the folder is new, empty, or of an earlier adaptation, not that of the profile, and can
    be written to. Changes nothing on disk."""
    if (out / profile.path.name).is_file() and (out / profile.path.name).samefile(profile.path):
        raise OutputError(f"{out}: holds the profile itself; name another folder for the results")
    if out.exists() and not out.is_dir():
        raise OutputError(f"{out}: is a file; name a folder for the results")
    if out.is_dir() and any(out.iterdir()) and not ((out / REPORT).is_file() or (out / CHECKPOINT).is_file()):
        raise OutputError(f"{out}: holds other files; name a new or an empty folder")
    try:
        try_place(out)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written to ({error.strerror})") from None


def write_all(out: Path, result: Adapted, profile: Profile) -> list[str]:
    """Write report, page, drafts of labels and, where something helps, the profile. The names of what was written."""
    files = {
        REPORT: json.dumps(as_json(result, profile), indent=1, ensure_ascii=False) + "\n",
        "report.html": page(result),
    }
    by_picture: dict[str, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for face in result.views.faces:
        by_picture[face.picture][0].append((face.label or face.reading.card, face.at, face.reading.confidence))
    for stack in result.views.stacks:
        kind, chance = likeliest_kind(stack)
        by_picture[stack.picture][1].append((stack.label or kind, stack.at, chance))
    for name, (cards, stacks) in by_picture.items():
        files[f"labels/{Path(name).stem}.toml"] = draft(cards, stacks)
    if result.colours or result.temperature or result.reader_sha256:
        files[profile.path.name] = adapted_profile(
            profile.path.read_text("utf-8"),
            profile.path.name,
            colours=result.colours,
            temperature=result.temperature,
            reader=(TRAINED, result.reader_sha256) if result.reader_sha256 else None,
        )
    try:
        if profile.path.name not in files and (out / profile.path.name).is_file():
            (out / profile.path.name).unlink()  # an earlier adaptation's, which this one does not confirm
        for name, text in files.items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(text, "utf-8")
    except OSError as error:
        raise OutputError(f"{out}: cannot be written ({error.strerror})") from None
    return sorted(files)


def likeliest_kind(stack: Stack) -> tuple[str, float]:
    """The likeliest single denomination of a stack and its probability."""
    chances: dict[str, float] = defaultdict(float)
    for pile, chance in stack.piles:
        if len(pile) == 1:
            chances[pile[0][0]] += chance
    return max(chances.items(), key=lambda item: (item[1], item[0])) if chances else ("", 0.0)


def as_text(result: Adapted) -> str:
    """The report as lines."""
    labelled = sum(face.label is not None for face in result.views.faces)
    stacks = sum(stack.label is not None for stack in result.views.stacks)
    lines = [
        f"Faces found: {len(result.views.faces)}, {labelled} of them labelled. "
        f"Stacks found: {len(result.views.stacks)}, {stacks} of them labelled.",
        *_few(f"{picture}: no face was found for {card}" for picture, card in result.views.missed_cards),
        *result.views.remarks,
    ]
    if labelled:
        lines.append(f"Cards as shipped: {_words(result.cards)}")
        lines += _few(
            f"{_place(face)} is {face.label}, read as {face.reading.card} at {percent(face.reading.confidence)}"
            for face in result.views.faces
            if face.label not in (None, face.reading.card)
        )
    if stacks:
        lines.append(f"Chips as shipped: {_words(result.chips)}")
    lines += [line for one in result.tried for line in _tried(one)]
    if result.questions:
        lines.append("Please check these; the drafts of labels hold them as read:")
        lines += _few(
            f"{one.picture} at {one.at[0]:.0f}, {one.at[1]:.0f}: {one.read}; {one.why}" for one in result.questions
        )
    elif labelled < len(result.views.faces):
        lines.append(
            "Without labels nothing can be said to be right; the readings agree with themselves and each other."
        )
    return "\n".join(lines)


def _few(lines: Iterable[str]) -> list[str]:
    every = list(lines)
    more = [f"  and {len(every) - _MOST_LINES} more, in report.json"] if len(every) > _MOST_LINES else []
    return [*(f"  {line}" for line in every[:_MOST_LINES]), *more]


def _tried(one: Fitted) -> list[str]:
    head = f"{'Kept' if one.kept else 'Not kept'}: {one.what}; {one.why}."
    scores = [(name, score) for name, score in (("before", one.before), ("after", one.after)) if score is not None]
    return [head, *(f"  {name}: {_words(score)}" for name, score in scores)]


def _words(score: CardScore | ChipScore) -> str:
    if isinstance(score, CardScore):
        return (
            f"{score.right} of {score.seen} right, {score.sure} read at {KNOWN_CARD:.0%} or more, "
            f"{score.sure_wrong} of those wrong; surprise {score.surprise:.3f}, "
            f"calibration error {score.calibration_error:.3f}"
        )
    return (
        f"{score.right} of {score.seen} stacks of the right denomination, which is given {score.chance:.0%} on average"
    )


def _place(face: Face) -> str:
    return f"{face.picture} at {face.at[0]:.0f}, {face.at[1]:.0f}"


def as_json(result: Adapted, profile: Profile) -> dict[str, Any]:
    """The report as a document."""
    return {
        "schema": SCHEMA,
        "profile": {"file": profile.path.name, "sha256": profile.sha256},
        "models": {"reader": shipped_reader()},
        "cards": asdict(result.cards),
        "chips": asdict(result.chips),
        "tried": [asdict(one) for one in result.tried],
        "kept": {
            "reader_temperature": result.temperature,
            "reader_sha256": result.reader_sha256,
            "chips": _colours_json(result.colours or {}),
        },
        "measured_chips": _colours_json(result.measured),
        "faces": [
            {
                "picture": face.picture,
                "at": [round(value, 1) for value in face.at],
                "label": face.label,
                "read": face.reading.card,
                "probability": round(face.reading.confidence, 4),
            }
            for face in result.views.faces
        ],
        "stacks": [_stack_json(stack) for stack in result.views.stacks],
        "missed_cards": [list(one) for one in result.views.missed_cards],
        "questions": [asdict(one) for one in result.questions],
        "remarks": list(result.views.remarks),
    }


def _stack_json(stack: Stack) -> dict[str, Any]:
    kind, chance = likeliest_kind(stack)
    at = [round(value, 1) for value in stack.at]
    return {"picture": stack.picture, "at": at, "label": stack.label, "read": kind, "probability": round(chance, 4)}


def _colours_json(colours: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    return {value: dict(zip(("face", "edge"), colour.texts(), strict=True)) for value, colour in colours.items()}


def page(result: Adapted) -> str:
    """The report as one page that needs nothing else."""
    faces = sorted(
        result.views.faces, key=lambda face: (face.label in (None, face.reading.card), face.reading.confidence)
    )
    return render(
        "adapt.html",
        style=style("base.css"),
        lines=as_text(result).splitlines(),
        faces=[_face_part(face) for face in faces[:_MOST_CROPS]],
        stacks=[_stack_part(stack) for stack in result.views.stacks[:_MOST_CROPS]],
    )


def _face_part(face: Face) -> dict[str, Any]:
    return {
        "source": _embedded(face.crop),
        "said": f"{face.reading.card} {percent(face.reading.confidence)}",
        "label": face.label,
        "wrong": face.label not in (None, face.reading.card),
        "where": _place(face),
    }


def _stack_part(stack: Stack) -> dict[str, Any]:
    x, y = stack.patch.to_px([stack.top_mm])[0]
    left, top = (max(0, int(value) - 60) for value in (x, y))
    kind, chance = likeliest_kind(stack)
    face, edge = stack.colour.texts()
    return {
        "source": _embedded(stack.tile[top : top + 120, left : left + 120]),
        "said": f"{kind} {percent(chance)}",
        "label": stack.label,
        "wrong": stack.label not in (None, kind),
        "where": f"{stack.picture} at {stack.at[0]:.0f}, {stack.at[1]:.0f}",
        "face": face,
        "edge": edge,
    }


def _embedded(picture: Picture) -> str:
    done, coded = cv2.imencode(".jpg", np.ascontiguousarray(picture), [cv2.IMWRITE_JPEG_QUALITY, 88])
    if not done:
        raise ValueError("OpenCV could not code a crop")
    return f"data:image/jpeg;base64,{base64.b64encode(coded.tobytes()).decode('ascii')}"
