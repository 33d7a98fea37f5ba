"""One adaptation from pictures to what may be written: see the package."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from handreplay.adapt.chip_colours import ChipColour, middle, palette
from handreplay.adapt.labels import labels_for
from handreplay.adapt.measure import (
    LEAST_FACES,
    LEAST_STACKS,
    CardScore,
    ChipScore,
    Question,
    card_score,
    chips_help,
    cross_fitted,
    fitted_temperature,
    halves,
    helps,
    questions,
    spreads,
    stack_score,
    training_helps,
)
from handreplay.adapt.views import Face, Seer, Stack, Views, open_picture, path_of, read_again
from handreplay.config import Chip, Profile
from handreplay.errors import HandreplayError, ModelError, OutputError, ProfileError
from handreplay.vision.card_reader import CardReader
from handreplay.vision.weights import load, load_file

TRAINED, CHECKPOINT = "reader.onnx", "adapt.pt"
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What was tried, the scores on views that it was not fitted to, and whether that is help enough to keep it."""

    what: str
    before: CardScore | ChipScore | None
    after: CardScore | ChipScore | None
    kept: bool
    why: str


@dataclass(frozen=True, slots=True)
class Adapted:
    """The whole result. What is None was not kept."""

    views: Views
    cards: CardScore
    chips: ChipScore
    temperature: float | None
    colours: dict[str, ChipColour] | None
    measured: dict[str, ChipColour]
    reader_sha256: str | None
    tried: tuple[Fitted, ...]
    questions: tuple[Question, ...]


def adapt(names: Sequence[str], profile: Profile, out: Path, *, training: bool, say: Say) -> Adapted:
    """Read the pictures, fit what can be fitted, and keep what helps. Writes at most the trained reader into `out`.

    Raises HandreplayError for pictures, labels or a profile that cannot be used, ModelError when training is asked for
    and cannot be done.
    """
    if training:
        _check_training()
    if profile.deck.reader is not None or profile.deck.reader_temperature != 1.0:
        raise ProfileError(f"{profile.path}: is adapted already; give the profile that it was made from")
    paths = [path_of(name) for name in names]
    for number, path in enumerate(paths):
        if path.name in {other.name for other in paths[:number]}:
            raise HandreplayError(f"{path}: another picture has the same name; give each a name of its own")
    values = [chip.value for chip in profile.chips]
    labels = [labels_for(path, values) for path in paths]
    seer = Seer(profile)
    for name, path, lying in zip(names, paths, labels, strict=True):
        picture = open_picture(name)
        say(f"reading {path.name}")
        seer.add(path, picture, lying)
    views = seer.views()
    if not views.faces and not views.stacks:
        raise HandreplayError(
            f"{names[0]}: no card that shows its face and no stack of chips was found in the pictures"
        )
    faces = [face for face in views.faces if face.label is not None]
    stacks = [stack for stack in views.stacks if stack.label is not None]
    temperature, cooled = _temperature(faces)
    own, trained = _trained(faces, out, say) if training else (None, [])
    colours, measured, coloured = _colours(stacks, profile)
    return Adapted(
        views=views,
        cards=card_score(spreads(faces), _labels(faces)),
        chips=stack_score(stacks, [stack.piles for stack in stacks]),
        temperature=own.temperature if own else temperature,
        colours=colours,
        measured=measured,
        reader_sha256=own.sha256 if own else None,
        tried=(*cooled, *trained, *coloured),
        questions=tuple(questions(views.faces, CardReader().read, profile.table.decks)),
    )


def _labels(views: Sequence[Face] | Sequence[Stack]) -> list[str]:
    return [view.label for view in views if view.label is not None]


def _temperature(faces: Sequence[Face]) -> tuple[float | None, list[Fitted]]:
    what = "how sure the card reader says it is (temperature)"
    if len(faces) < LEAST_FACES:
        return None, [Fitted(what, None, None, False, f"{len(faces)} labelled faces; {LEAST_FACES} are needed")]
    probabilities, cards = spreads(faces), _labels(faces)
    first = halves(faces)
    before = card_score(probabilities, cards)
    after = card_score(cross_fitted(probabilities, cards, first), cards)
    if not helps(before, after):
        return None, [Fitted(what, before, after, False, "no help on the half that it was not fitted to")]
    return fitted_temperature(probabilities, cards), [
        Fitted(what, before, after, True, "helps on the half not fitted to")
    ]


def _colours(
    stacks: Sequence[Stack], profile: Profile
) -> tuple[dict[str, ChipColour] | None, dict[str, ChipColour], list[Fitted]]:
    what = "colours of the chips, measured from the picture"
    found = _measured(stacks)
    if not stacks:
        return None, found, [Fitted(what, None, None, False, "no labelled stack in a still of the table's camera")]
    nominal = {chip.value: _colour(chip) for chip in profile.chips}
    first = halves(stacks)
    tested: list[Stack] = []
    piles = []
    for half in (first, ~first):
        learnt = _measured([stack for stack, inside in zip(stacks, ~half, strict=True) if inside])
        own = [stack for stack, inside in zip(stacks, half, strict=True) if inside and stack.label in learnt]
        chips = recoloured(profile.chips, palette(nominal, learnt))
        tested += own
        piles += [reading.piles if reading else () for reading in read_again(own, profile, chips)]
    if len(tested) < LEAST_STACKS:
        why = (
            f"{len(tested)} stacks of a denomination that the other half shows too; {LEAST_STACKS} are needed to check"
        )
        return None, found, [Fitted(what, None, None, False, why)]
    before, after = stack_score(tested, [stack.piles for stack in tested]), stack_score(tested, piles)
    if not chips_help(before, after):
        return None, found, [Fitted(what, before, after, False, "the profile's own colours do as well")]
    return palette(nominal, found), found, [Fitted(what, before, after, True, "helps on stacks not measured")]


def _measured(stacks: Sequence[Stack]) -> dict[str, ChipColour]:
    """The median colours of each denomination."""
    values = sorted(set(_labels(stacks)))
    return {value: middle([stack.colour for stack in stacks if stack.label == value]) for value in values}


def _colour(chip: Chip) -> ChipColour:
    face, edge = (
        (float(int(text[1:3], 16)), float(int(text[3:5], 16)), float(int(text[5:7], 16)))
        for text in (chip.face, chip.edge)
    )
    return ChipColour(face, edge)


def recoloured(chips: Sequence[Chip], colours: dict[str, ChipColour]) -> list[Chip]:
    """The chips with these colours."""
    changed = []
    for chip in chips:
        face, edge = colours[chip.value].texts()
        changed.append(chip.model_copy(update={"face": face, "edge": edge}))
    return changed


def _check_training() -> None:
    missing = [name for name in ("torch", "onnx") if find_spec(name) is None]
    if missing:
        raise ModelError(f"adapt --train: needs {' and '.join(missing)}; in the checkout run: pip install '.[train]'")


@dataclass(frozen=True, slots=True)
class _OwnReader:
    sha256: str
    temperature: float


def _trained(faces: Sequence[Face], out: Path, say: Say) -> tuple[_OwnReader | None, list[Fitted]]:
    """The reader trained on with the first half, if it helps on the second.

    What is learnt by heart is believed too firmly, so its temperature is fitted as well: for the scores, each part of
    the second half is read at the temperature that the other part asks for.
    """
    what = "the card reader, trained on with crops of these cards"
    first = halves(faces)
    taught = [face for face, inside in zip(faces, first, strict=True) if inside]
    tested = [face for face, inside in zip(faces, first, strict=True) if not inside]
    if min(len(taught), len(tested)) < LEAST_FACES:
        why = (
            f"{len(taught)} labelled faces to train with and {len(tested)} to test on; {LEAST_FACES} of each are needed"
        )
        return None, [Fitted(what, None, None, False, why)]
    from handreplay.train.adapt_reader import train_on

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{out}: cannot be made ({error.strerror})") from None
    path, cards = out / TRAINED, _labels(tested)
    sha256 = train_on([face.crop for face in taught], _labels(taught), path, say)
    before = card_score(spreads(tested), cards)
    try:
        readings = CardReader(load_file(path, sha256)).read([face.crop for face in tested])
    except ModelError:
        path.unlink(missing_ok=True)
        return None, [Fitted(what, before, None, False, "afterwards it misread the built-in picture")]
    told = np.array([reading.probabilities for reading in readings])
    after = card_score(cross_fitted(told, cards, halves(tested)), cards)
    if training_helps(before, after):
        own = _OwnReader(sha256, fitted_temperature(told, cards))
        return own, [Fitted(what, before, after, True, "helps on the half that it was not trained with")]
    path.unlink(missing_ok=True)
    why = "no help on the half that it was not trained with; no weights written"
    return None, [Fitted(what, before, after, False, why)]


def shipped_reader() -> str:
    """Hash of the shipped card reader, for the report."""
    return load("reader").sha256
