"""What the judging half says of a log: findings, settlement rows, a verdict a round (FORMATS.md, section 3)."""

from dataclasses import dataclass, replace
from typing import Literal

from handreplay.core.money import Cents

Status = Literal["confirmed", "probable", "review"]
Verdict = Literal["clean", "finding", "review", "incomplete"]
Result = Literal["win", "lose", "push", "returned", "unsettled"]

CONFIRMED_FROM = 0.98  # of probability and of confidence
PROBABLE_FROM = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A picture that shows it. `image` is a path inside the audit's output folder."""

    t: float
    frame: int
    image: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault, or one thing that could not be read.

    `t` is when to look, in seconds from the first picture. `confidence` is that of the weakest reading it hangs on.
    Amounts are cents, None where none applies or none can be told. `variance_cents` is what the player ended up with
    minus what the rules give. `basis` says how well the cited rule is known: text, proposed, cited, sister, practice,
    general, or house for what is this product's own.
    """

    code: str
    name: str
    round: int
    t: float
    frame: int | None
    status: Status
    confidence: float
    citation: str
    basis: str
    remedy: str
    message: str
    seat: int | None = None
    wager: str | None = None
    expected_cents: Cents | None = None
    observed_cents: Cents | None = None
    variance_cents: Cents | None = 0
    evidence: tuple[Evidence, ...] = ()

    @property
    def about_footage(self) -> bool:
        return self.code.startswith("FT")

    @property
    def counts_as_fault(self) -> bool:
        return not self.about_footage and self.status != "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A result and what the house adds to the wager for it; None: cannot be told."""

    result: Result
    pay_cents: Cents | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementRow:
    seat: int
    wager: str
    staked_cents: Cents | None
    expected: Outcome
    observed: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown:
    """A hand as far as it was read: `rank` and `best` are None unless every card that makes it is known."""

    cards: tuple[str | None, ...]
    rank: str | None
    best: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundVerdict:
    round: int
    start: float
    end: float
    verdict: Verdict
    hands: tuple[tuple[str, HandShown], ...] = ()  # "dealer", "seat1", ...
    settlement: tuple[SettlementRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    rounds: tuple[RoundVerdict, ...]
    findings: tuple[Finding, ...]

    def with_findings(self, more: tuple[Finding, ...]) -> "Audit":
        """The audit with findings from elsewhere (a moved camera, say), in order, verdicts to match."""
        findings = in_order((*self.findings, *more), tuple(round_.round for round_ in self.rounds))
        rounds = tuple(replace(r, verdict=verdict_of(r, findings)) for r in self.rounds)
        return Audit(rounds=rounds, findings=findings)


def in_order(findings: tuple[Finding, ...], rounds: tuple[int, ...]) -> tuple[Finding, ...]:
    place = {number: index for index, number in enumerate(rounds)}
    return tuple(
        sorted(
            findings, key=lambda f: (place.get(f.round, len(place)), f.t, f.code, f.seat or 0, f.wager or "", f.message)
        )
    )


def verdict_of(round_: RoundVerdict, findings: tuple[Finding, ...]) -> Verdict:
    """The round's verdict in the light of all findings; a round once incomplete is never clean."""
    own = [finding for finding in findings if finding.round == round_.round]
    if any(finding.counts_as_fault for finding in own):
        return "finding"
    if round_.verdict == "incomplete" or any(finding.code in ("FT01", "FT02") for finding in own):
        return "incomplete"
    return "review" if own else "clean"


def status_of(confidence: float) -> Status:
    """The status of a fault that every reading shows, by the confidence of its weakest reading."""
    if confidence >= CONFIRMED_FROM:
        return "confirmed"
    return "probable" if confidence >= PROBABLE_FROM else "review"


def exit_code(audit: Audit) -> int:
    """0 everything was checked and nothing found, 1 faults, 3 nothing found but something stays open."""
    if any(finding.counts_as_fault for finding in audit.findings):
        return 1
    open_ends = audit.findings or any(round_.verdict in ("review", "incomplete") for round_ in audit.rounds)
    return 3 if open_ends else 0
