"""What people decided about findings, and how far two people agree who decided apart."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from handreplay.errors import HandreplayError
from handreplay.review.log import Entry

Choice = Literal["confirm", "reject", "open"]
Fault = Literal["none", "dealer", "patron"]

CHOICES: tuple[str, ...] = get_args(Choice)
FAULTS: tuple[str, ...] = get_args(Fault)
CHOICE_WORDS = {"confirm": "confirmed", "reject": "rejected", "open": "left open"}
FAULT_WORDS = {"none": "no error", "dealer": "dealer error", "patron": "patron error"}
MOST_CENTS = 10**12
LONGEST_REMARK = 4000
NAMED = ("code", "seat", "wager", "message", "expected_cents", "observed_cents", "variance_cents", "t")


class EntryError(HandreplayError):
    """Something that a reviewer entered cannot be taken. The message says what and why."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One person's word on one finding. `was` is the finding as it stood then."""

    entry: int
    at: str
    by: str
    finding: str
    choice: Choice
    fault: Fault
    loss_cents: int
    saving_cents: int
    remark: str
    was: Mapping[str, Any]

    def stale(self, finding: Mapping[str, Any]) -> bool:
        """Whether the finding says something else now than when it was decided on."""
        return any(finding.get(name) != self.was.get(name) for name in NAMED)


def finding_keys(findings: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A name for each finding that stays the same when its round is replayed: code, round, seat, wager."""
    keys: list[str] = []
    for finding in findings:
        stem = f"{finding['code']}.{finding['round']}.{finding['seat'] or '-'}.{finding['wager'] or '-'}"
        number = sum(key == stem or key.startswith(f"{stem}.") for key in keys) + 1
        keys.append(stem if number == 1 else f"{stem}.{number}")
    return tuple(keys)


def clean_text(value: object, what: str, longest: int) -> str:
    """A text that a person typed, without control characters but line ends. Raises EntryError."""
    if not isinstance(value, str):
        raise EntryError(f"{what} is not a text")
    text = "".join(char for char in value.replace("\r\n", "\n") if char.isprintable() or char == "\n").strip()
    if len(text) > longest:
        raise EntryError(f"{what} has {len(text)} characters, at most {longest} are kept")
    return text


def decision_body(raw: object, finding: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The part of a log entry that says what was decided. Raises EntryError."""
    if not isinstance(raw, dict):
        raise EntryError("a decision is an object")
    choice, fault = raw.get("choice"), raw.get("fault", "none")
    if choice not in CHOICES:
        raise EntryError(f"a decision is one of {', '.join(CHOICES)}")
    if fault not in FAULTS:
        raise EntryError(f"the type of error is one of {', '.join(FAULTS)}")
    amounts = {}
    for name in ("loss_cents", "saving_cents"):
        value = raw.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_CENTS:
            raise EntryError(f"{name} is not a whole number of cents of at least 0")
        amounts[name] = value
    return {
        "kind": "decision",
        "round": finding["round"],
        "finding": key,
        "choice": choice,
        "fault": fault,
        **amounts,
        "remark": clean_text(raw.get("remark", ""), "the remark", LONGEST_REMARK),
        "was": {name: finding.get(name) for name in NAMED},
    }


def decisions_of(entries: Iterable[Entry]) -> dict[str, Decision]:
    """The latest decision on each finding, of entries already chosen by whose they are."""
    latest: dict[str, Decision] = {}
    for entry in entries:
        body = entry.body
        if body is None or body.get("kind") != "decision":
            continue
        latest[body["finding"]] = Decision(
            entry=entry.number,
            at=body["at"],
            by=body["by"],
            finding=body["finding"],
            choice=body["choice"],
            fault=body["fault"],
            loss_cents=body["loss_cents"],
            saving_cents=body["saving_cents"],
            remark=body["remark"],
            was=body["was"],
        )
    return latest


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a blind second reviewer and the others agree, over the findings that both decided on."""

    second: str
    both: tuple[tuple[Decision, Decision], ...]  # the others', the second's
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def apart(self) -> tuple[tuple[Decision, Decision], ...]:
        return tuple((a, b) for a, b in self.both if (a.choice, a.fault) != (b.choice, b.fault))

    @property
    def share(self) -> float | None:
        """The share of findings on which choice and type of error are the same; None when nothing can be compared."""
        return 1 - len(self.apart) / len(self.both) if self.both else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of the choices: 1 full agreement, 0 no more than by chance; None where it is not defined."""
        if not self.both:
            return None
        total = len(self.both)
        seen = sum(a.choice == b.choice for a, b in self.both) / total
        chance = sum(
            (sum(a.choice == choice for a, _ in self.both) / total)
            * (sum(b.choice == choice for _, b in self.both) / total)
            for choice in CHOICES
        )
        return None if chance == 1 else (seen - chance) / (1 - chance)


def agreement(second: str, first: Mapping[str, Decision], own: Mapping[str, Decision]) -> Agreement:
    both = tuple((first[key], own[key]) for key in sorted(first.keys() & own.keys()))
    return Agreement(second, both, tuple(sorted(first.keys() - own.keys())), tuple(sorted(own.keys() - first.keys())))
