"""What a wager is due, over every card that an unread one may be."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb

from handreplay.core.cards import DECK
from handreplay.core.money import Cents
from handreplay.core.readings import Known
from handreplay.games.envy import envy_amount
from handreplay.games.game import CardGroup, Due, Question, Wager
from handreplay.games.paytables import chosen
from handreplay.rules.replay import Replay, Seat
from handreplay.rules.tracks import Card

MOST_WORLDS = 2_500  # two cards of which nothing is known; more is said to be unreadable, not worked out
EXHAUSTIVE_FROM = 0.9  # candidates that add to so much are taken for all there are
UNREAD_WEIGHT = 1e-9
World = tuple[dict[str, str], float]  # what each unread card is, and how likely that is


@dataclass(frozen=True, slots=True)
class Prospect:
    """What may be due, with probabilities that add to 1, likeliest first; empty: too many readings to tell.

    `unread` are the cards that the doubt comes from, `guided` whether candidates say which readings are likelier,
    `confidence` that of the weakest card that was read.
    """

    dues: tuple[tuple[Due, float], ...]
    unread: tuple[Card, ...] = ()
    guided: bool = False
    confidence: float = 1.0


class Prospects:
    """Answers for one round what its wagers are due."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self._worlds: dict[tuple[CardGroup, ...], dict[int, list[World] | None]] = {}
        self._answers: dict[tuple[int, str, bool, Cents | None], tuple[list[World], frozenset[str]]] = {}

    def of(self, seat: Seat, wager: Wager, stake: Cents, folded: bool) -> Prospect:
        """What the wager is due with that stake."""
        groups: tuple[CardGroup, ...] = () if folded and wager.lost_by_fold else wager.hangs_on
        cards = self._cards(seat, groups)
        unread = tuple(card for group in groups for card in cards[group] if card.known is None)
        confidence = min(
            (c.identity.confidence for g in groups for c in cards[g] if isinstance(c.identity, Known)), default=1.0
        )
        if not unread:
            return Prospect(((self._due(seat, wager, stake, folded, cards, {}), 1.0),), confidence=confidence)
        listed = [sum(p for _, p in _candidates(card)) for card in unread if _candidates(card)]
        guided = bool(listed)
        confidence = min([confidence, *listed])
        worlds = self._worlds_of(seat, groups, unread)
        if worlds is None:
            return Prospect((), unread, guided, confidence)
        weights: dict[Due, float] = {}
        unlike, matter = self._unlike(seat, wager, stake, folded, cards, worlds)
        unread = tuple(card for card in unread if str(card.hand) in matter)
        for world, probability in unlike:
            due = self._due(seat, wager, stake, folded, cards, world)
            weights[due] = weights.get(due, 0.0) + probability
        total = sum(weights.values())
        dues = sorted(((d, w / total) for d, w in weights.items()), key=lambda p: (-p[1], p[0].result, p[0].pay or 0))
        return Prospect(tuple(dues), unread, guided, confidence)

    def envy(self, seat: Seat, stake: Cents, holders: tuple[Seat, ...]) -> Prospect:
        """Envy Bonuses due to a seat for the hands of others. A hand that was never shown claims nothing.

        Where footage is missing after the reveal, it may have been shown then.
        """
        total = 0
        confidence = 1.0
        all_seen = self.replay.seen(self.replay.shown_t, self.replay.round.end)
        for holder in holders:
            cards = self.replay.hand(f"seat{holder.number}")
            hidden = tuple(card for card in cards if not card.showings)
            if self.replay.one_player(holder.number, seat.number) or (hidden and all_seen):
                continue
            if hidden:
                return Prospect((), hidden)
            board = self.replay.hand("community") if self.replay.game.community_cards else ()
            unread = tuple(card for card in (*cards, *board) if card.known is None)
            worlds = _worlds(unread, self._seen) if unread else [({}, 1.0)]
            amounts = {self._envy_for(cards, board, world, stake) for world, _ in worlds or []}
            if len(amounts) != 1 or None in amounts:
                return Prospect((), unread)
            amount = next(iter(amounts)) or 0
            if amount and self._perhaps_own(seat, holder):
                return Prospect(())
            total += amount
            confidence = min([confidence, *(c.identity.confidence for c in cards if isinstance(c.identity, Known))])
        return Prospect(((Due("win", total) if total else Due("push"), 1.0),), confidence=confidence)

    def _perhaps_own(self, seat: Seat, holder: Seat) -> bool:
        """Whether one player may hold both boxes, which the log does not tell."""
        near = abs(seat.number - holder.number) < self.replay.table.boxes_per_player
        return near and self.replay.boxes is None

    def _envy_for(
        self, cards: tuple[Card, ...], board: tuple[Card, ...], world: dict[str, str], stake: Cents
    ) -> Cents | None:
        def faces(of: tuple[Card, ...]) -> tuple[str, ...]:
            return tuple(card.known or world[card.name] for card in of)

        return envy_amount(self.replay.game, self.replay.table, faces(cards), faces(board), stake)

    def _cards(self, seat: Seat, groups: tuple[CardGroup, ...]) -> dict[CardGroup, tuple[Card, ...]]:
        names = {"hand": f"seat{seat.number}", "dealer": "dealer", "community": "community"}
        return {group: self.replay.hand(names[group]) for group in groups}

    def _due(
        self,
        seat: Seat,
        wager: Wager,
        stake: Cents,
        folded: bool,
        cards: dict[CardGroup, tuple[Card, ...]],
        world: dict[str, str],
    ) -> Due:
        def face(group: CardGroup) -> tuple[str, ...]:
            return tuple(card.known or world[card.name] for card in cards.get(group, ()))

        question = Question(
            wager=wager.name,
            stake=stake,
            folded=folded,
            hand=face("hand"),
            dealer=face("dealer"),
            community=face("community"),
            table=self.replay.table,
            meter_cents=self.replay.meter_cents(self._turn_t(seat, wager.name)),
        )
        return self.replay.game.due(question)

    def _unlike(
        self,
        seat: Seat,
        wager: Wager,
        stake: Cents,
        folded: bool,
        cards: dict[CardGroup, tuple[Card, ...]],
        worlds: list[World],
    ) -> tuple[list[World], frozenset[str]]:
        """One world for each different answer, with the weight of all that share it: other stakes then are quick.

        Worlds share an answer when the same words say why: the same comparison, the same line of the paytable. Told too
        are the hands whose unread cards make a difference.
        """
        tables = [paytable for key in wager.paytables for paytable in chosen(self.replay.table, key)]
        own_stake = stake if any(paytable.stake_cents for paytable in tables) else None
        key = (seat.number, wager.name, folded, own_stake)
        if key not in self._answers:
            found: dict[tuple[Due, str], World] = {}
            dues: list[tuple[dict[str, str], Due]] = []
            for world, probability in worlds:
                due = self._due(seat, wager, stake, folded, cards, world)
                dues.append((world, due))
                first, weight = found.get((due, due.why), (world, 0.0))
                found[(due, due.why)] = (first, weight + probability)
            unread = [card for held in cards.values() for card in held if card.known is None]
            self._answers[key] = list(found.values()), _hands_that_matter(dues, unread)
        return self._answers[key]

    def _turn_t(self, seat: Seat, wager: str) -> float:
        """When the wager was settled, which is when a meter is read."""
        steps = self.replay.chips.get((seat.number, wager), ())
        return next((s.t for s in steps if s.t >= self.replay.settle_t), self.replay.round.end)

    # ---- worlds

    @cached_property
    def _seen(self) -> frozenset[str]:
        return frozenset(card.known for card in self.replay.cards.values() if card.known is not None)

    def _worlds_of(self, seat: Seat, groups: tuple[CardGroup, ...], unread: tuple[Card, ...]) -> list[World] | None:
        number = seat.number if "hand" in groups else 0
        known = self._worlds.setdefault(groups, {})
        if number not in known:
            known[number] = _worlds(unread, self._seen)
        return known[number]


def either(one: Prospect, other: Prospect) -> Prospect:
    """What is due when both may hold, and nothing says which is likelier."""
    weights: dict[Due, float] = {}
    for due, probability in (*one.dues, *other.dues):
        weights[due] = weights.get(due, 0.0) + probability / 2
    told = bool(one.dues and other.dues)
    unread = tuple({card.name: card for card in (*one.unread, *other.unread)}.values())
    dues = tuple(sorted(weights.items(), key=lambda pair: -pair[1])) if told else ()
    return Prospect(dues, unread, one.guided or other.guided, min(one.confidence, other.confidence))


def _hands_that_matter(dues: list[tuple[dict[str, str], Due]], unread: list[Card]) -> frozenset[str]:
    """The hands of which another reading, with all others as they were, gives another answer."""
    hands: dict[str, list[str]] = {}
    for card in unread:
        hands.setdefault(str(card.hand), []).append(card.name)
    if len(hands) == 1:
        return frozenset(hands)
    matter = set()
    for hand, names in hands.items():
        by_rest: dict[tuple[str, ...], Due] = {}
        for world, due in dues:
            rest = tuple(face for name, face in world.items() if name not in names)
            if by_rest.setdefault(rest, due) != due:
                matter.add(hand)
                break
    return frozenset(matter or hands)


def _worlds(unread: tuple[Card, ...], seen: frozenset[str]) -> list[World] | None:
    """What the unread cards may be together, with weights; None when that is more than can be gone through."""
    free = [card for card in DECK if card not in seen]
    guided = [card for card in unread if _candidates(card)]
    blind = [card for card in unread if not _candidates(card)]
    by_hand: dict[str, list[Card]] = {}
    for card in blind:
        by_hand.setdefault(str(card.hand), []).append(card)
    weights = [_weights(card, free) for card in guided]
    size = 1
    for choice in weights:
        size *= len(choice)
    left = len(free)
    for cards in by_hand.values():
        size *= comb(max(left, 0), len(cards))
        left -= len(cards)
    if size == 0 or size > MOST_WORLDS:
        return None
    return [
        (dict(zip([c.name for c in guided], faces, strict=True)) | rest, weight)
        for faces, weight in _guided(weights)
        for rest in _blind(list(by_hand.values()), [card for card in free if card not in faces])
    ] or None


def _candidates(card: Card) -> tuple[tuple[str, float], ...]:
    return () if isinstance(card.identity, Known) else card.identity.candidates


def _weights(card: Card, free: list[str]) -> list[tuple[str, float]]:
    """The card's candidates that are not seen elsewhere; the rest of the deck too where they leave much open."""
    listed = [(face, p) for face, p in _candidates(card) if face in free and p > 0]
    open_share = 1 - sum(p for _, p in _candidates(card))
    if listed and open_share <= 1 - EXHAUSTIVE_FROM:
        return listed
    others = [face for face in free if face not in {name for name, _ in listed}]
    share = max(open_share, UNREAD_WEIGHT) / max(len(others), 1)
    return listed + [(face, share) for face in others]


def _guided(weights: list[list[tuple[str, float]]]) -> Iterator[tuple[tuple[str, ...], float]]:
    for choice in product(*weights):
        faces = tuple(face for face, _ in choice)
        if len(set(faces)) == len(faces):
            weight = 1.0
            for _, probability in choice:
                weight *= probability
            yield faces, weight


def _blind(hands: list[list[Card]], free: list[str]) -> Iterator[dict[str, str]]:
    """Cards of one hand of which nothing is known are interchangeable, so their order does not matter."""
    if not hands:
        yield {}
        return
    first, *others = hands
    for faces in combinations(free, len(first)):
        left = [card for card in free if card not in faces] if others else []
        for rest in _blind(others, left):
            yield dict(zip([card.name for card in first], faces, strict=True)) | rest
