"""Readings of one thing at several moments become one, and the cards of a round become cards of one deck."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from handreplay.core.cards import DECK
from handreplay.core.money import Chips, chips
from handreplay.core.observations import SeenCard, SeenStack
from handreplay.core.readings import Known, Reading, Unreadable

KNOWN_CARD = 0.9
KNOWN_CHIPS = 0.9
PLAIN_CHIPS = 0.99
ELSE = 0.3  # chance, at least, of being none of the cards known already, for being told by elimination
DUPLICATE = 0.98  # two cards both read this surely are two cards, even if one deck cannot hold them
MAX_CANDIDATES = 12
FLOOR = 1e-6
LOOKS_COUNTED = 4  # looks at one resting card are alike: more of them add nothing


@dataclass(slots=True)
class CardVotes:
    """What several looks at one card say of it: mean log probability over the deck, sharpened a little by number."""

    log_sums: list[float] = field(default_factory=lambda: [0.0] * len(DECK))
    looks: int = 0
    whole: bool = False  # more than a strip beside another card was seen of it

    def add(self, probabilities: Sequence[float], *, whole: bool = True) -> None:
        """One more look: over core.cards.DECK, or empty when the face did not show."""
        if len(probabilities) == len(DECK):
            for number, probability in enumerate(probabilities):
                self.log_sums[number] += math.log(max(probability, FLOOR))
            self.looks += 1
            self.whole |= whole

    def probabilities(self, *, as_one: bool = False) -> dict[str, float]:
        """Empty when the face was never seen. `as_one`: as if all looks together told no more than one of them."""
        if not self.looks:
            return {}
        sharpness = (1.0 if as_one else math.sqrt(min(self.looks, LOOKS_COUNTED))) / self.looks
        top = max(self.log_sums)
        weights = [math.exp((value - top) * sharpness) for value in self.log_sums]
        total = sum(weights)
        return {card: weight / total for card, weight in zip(DECK, weights, strict=True)}


def one_deck(votes: Mapping[str, CardVotes]) -> dict[str, Reading[str]]:
    """Identities for the cards of one round. A weak reading gives way to a sure one of the same card.

    Looks that agree are surer than one only where nothing speaks against them, as the same card elsewhere does: of two
    that are both read as one card, and neither surely, neither is known. What hardly can be another card than those
    known already is more likely one of them seen twice. A strip, however it is read, is misread more often than a deck
    has a card twice.
    """
    shown = {name: vote.probabilities() for name, vote in votes.items() if vote.looks}
    alone = {name: votes[name].probabilities(as_one=True) for name in shown}
    identities: dict[str, Reading[str]] = {name: Unreadable("face not seen") for name in votes}
    taken: dict[str, str] = {}
    for name in sorted(shown, key=lambda name: (-max(alone[name].values()), name)):
        belief = shown[name]
        best = _likeliest(belief)
        if best in taken:
            belief, rival = alone[name], taken[best]
            if belief[best] >= KNOWN_CARD and not (votes[rival].whole and alone[rival][best] >= DUPLICATE):
                identities[rival] = as_reading(alone[rival], math.inf, "another card looks like it")
        needed = KNOWN_CARD
        if belief[best] < DUPLICATE or (best in taken and not votes[name].whole):
            free = {card: p for card, p in belief.items() if card not in taken}
            total = sum(free.values())
            needed = KNOWN_CARD if total >= ELSE else math.inf
            belief = {card: p / total for card, p in free.items()} if total > FLOOR else belief
            best = _likeliest(belief)
        taken.setdefault(best, name)
        identities[name] = as_reading(belief, needed, "index not clear")
    return identities


def _likeliest(belief: Mapping[str, float]) -> str:
    return max(belief, key=lambda card: (belief[card], card))


def as_reading(belief: Mapping[str, float], threshold: float, reason: str) -> Reading[str]:
    ranked = sorted(belief.items(), key=lambda item: (-item[1], item[0]))
    if ranked[0][1] >= threshold:
        return Known(ranked[0][0], round(ranked[0][1], 4))
    return Unreadable(reason, tuple((card, round(p, 4)) for card, p in ranked[:MAX_CANDIDATES] if p >= 0.005))


Piles = dict[Chips, float]  # probability of each pile; adds to at most 1


def piles(reading: Reading[Chips]) -> Piles:
    match reading:
        case Known(value, confidence):
            return {value: confidence}
        case Unreadable(candidates=candidates):
            return dict(candidates)


def together(stacks: Iterable[SeenStack]) -> Piles:
    """The whole of a zone from its stacks."""
    total: Piles = {(): 1.0}
    for stack in stacks:
        added: Piles = {}
        for pile, p in total.items():
            for more, q in piles(stack.chips).items():
                both = chips({d: dict(pile).get(d, 0) + dict(more).get(d, 0) for d in {**dict(pile), **dict(more)}})
                added[both] = added.get(both, 0.0) + p * q
        total = trimmed(added)
    return total


def trimmed(belief: Piles) -> Piles:
    ranked = sorted(belief.items(), key=lambda item: (-item[1], item[0]))[:MAX_CANDIDATES]
    return {pile: p for pile, p in ranked if p > 1e-4}


def fused(first: Piles, second: Piles) -> Piles | None:
    """Two looks at the same chips; None when they cannot be of the same chips."""
    if not first or not second:
        return first or second
    common = {pile: math.sqrt(first[pile] * second[pile]) for pile in first.keys() & second.keys()}
    if sum(min(first[pile], second[pile]) for pile in common) < 0.05:
        return None
    scale = max(sum(first.values()), sum(second.values())) / sum(common.values())
    return trimmed({pile: p * scale for pile, p in common.items()})


def pile_reading(belief: Piles) -> Reading[Chips]:
    """Every pile that the picture allows, unless there is no doubt; the rules weigh them against each other."""
    if not belief:
        return Unreadable("chips not readable")
    ranked = sorted(belief.items(), key=lambda item: (-item[1], item[0]))
    if ranked[0][1] >= PLAIN_CHIPS:
        return Known(ranked[0][0], round(min(1.0, ranked[0][1]), 4))
    return Unreadable("number of chips not certain", tuple((pile, round(p, 4)) for pile, p in ranked))


def likeliest(belief: Piles) -> Chips | None:
    return max(belief, key=lambda pile: (belief[pile], pile)) if belief else None


def distance(first: tuple[float, float], second: tuple[float, float]) -> float:
    return math.hypot(first[0] - second[0], first[1] - second[1])


def center(seen: SeenCard) -> tuple[float, float]:
    xs, ys = zip(*seen.corners_mm, strict=True)
    return sum(xs) / 4, sum(ys) / 4
