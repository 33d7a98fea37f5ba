"""What a hand is worth: five-card order by phevaluator, three- and four-card orders here.

A ranked hand carries the labels under which a paytable may name it, so that `pair_of_tens_or_better`, `four_aces`
or `less_than_straight` need no code of their own. Suits never break a tie.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from phevaluator.evaluator import evaluate_cards

from handreplay.core.cards import RANKS, SUITS

Strength = tuple[int, ...]  # compares: higher is better, within one order only

FIVE_CARD = (
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)
FOUR_CARD = (
    "high_card",
    "pair",
    "two_pair",
    "straight",
    "flush",
    "three_of_a_kind",
    "straight_flush",
    "four_of_a_kind",
)
LOW_FOUR = 0b1000000000111  # ace, two, three, four
THREE_CARD = ("high_card", "pair", "flush", "straight", "three_of_a_kind", "straight_flush", "mini_royal")
PLURALS = {
    "2": "twos",
    "3": "threes",
    "4": "fours",
    "5": "fives",
    "6": "sixes",
    "7": "sevens",
    "8": "eights",
    "9": "nines",
    "T": "tens",
    "J": "jacks",
    "Q": "queens",
    "K": "kings",
    "A": "aces",
}
POCKET = {
    "A": "pair_of_aces",
    "K": "pair_of_kings_queens_or_jacks",
    "Q": "pair_of_kings_queens_or_jacks",
    "J": "pair_of_kings_queens_or_jacks",
}
# phevaluator counts the 7462 five-card classes from the best; the last class of each rank
LAST_CLASS = (
    (1, "royal_flush"),
    (10, "straight_flush"),
    (166, "four_of_a_kind"),
    (322, "full_house"),
    (1599, "flush"),
    (1609, "straight"),
    (2467, "three_of_a_kind"),
    (3325, "two_pair"),
    (6185, "pair"),
    (7462, "high_card"),
)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hand's rank, its strength within its order, and the names that paytables may give it."""

    rank: str
    strength: Strength
    labels: frozenset[str]

    def reaches(self, rank: str, order: tuple[str, ...] = FIVE_CARD) -> bool:
        return order.index(self.rank) >= order.index(rank)


@lru_cache(maxsize=200_000)
def five_card(cards: tuple[str, ...]) -> Ranked | None:
    """The best five of the cards; None with fewer than five."""
    if len(cards) < 5:
        return None
    number = _class_number(_distinct(cards))
    rank = next(name for last, name in LAST_CLASS if number <= last)
    return Ranked(rank, (7463 - number,), _five_card_labels(rank, number))


@lru_cache(maxsize=50_000)
def four_card(cards: tuple[str, ...]) -> Ranked | None:
    """The best four of the cards in Four Card order; None with fewer than four."""
    if len(cards) < 4:
        return None
    if len(set(cards)) < len(cards):  # a second copy of a card: four at a time, as they lie
        rank, strength, _ = max((_four_card_value(four) for four in combinations(cards, 4)), key=lambda v: v[1])
    else:
        masks = [0, 0, 0, 0]
        for card in cards:
            masks[SUITS.index(card[1])] |= 1 << RANKS.index(card[0])
        rank, strength = four_of_masks(masks)
    return Ranked(rank, strength, _labels(rank, FOUR_CARD, RANKS[strength[1]]))


def four_of_masks(suits: Sequence[int]) -> tuple[str, Strength]:
    """Rank and strength of the best four of four or more cards: for each suit its ranks as bits, the two lowest."""
    one, two, three, four = suits
    any_ = one | two | three | four
    twice = (one & two) | (three & four) | ((one | two) & (three | four))
    thrice = (one & two & (three | four)) | (three & four & (one | two))
    quads = one & two & three & four
    if quads:
        return _strongest("four_of_a_kind", quads.bit_length() - 1)
    flushes = [mask for mask in suits if mask.bit_count() >= 4]
    top = max((_top_of_four(mask) for mask in flushes), default=-1)
    if top >= 0:
        return _strongest("straight_flush", top)
    if thrice:
        triple = thrice.bit_length() - 1
        return _strongest("three_of_a_kind", triple, *_highest(any_ & ~(1 << triple), 1))
    if flushes:
        return _strongest("flush", *max(_highest(mask, 4) for mask in flushes))
    top = _top_of_four(any_)
    if top >= 0:
        return _strongest("straight", top)
    if twice.bit_count() >= 2:
        return _strongest("two_pair", *_highest(twice, 2))
    if twice:
        pair = twice.bit_length() - 1
        return _strongest("pair", pair, *_highest(any_ & ~(1 << pair), 2))
    return _strongest("high_card", *_highest(any_, 4))


def _strongest(rank: str, *ranks: int) -> tuple[str, Strength]:
    return rank, (FOUR_CARD.index(rank), *ranks)


def _top_of_four(mask: int) -> int:
    """The highest rank of four in a row, the ace also below the two; -1 without such a row."""
    rows = mask & (mask << 1) & (mask << 2) & (mask << 3)
    if rows:
        return rows.bit_length() - 1
    return 2 if mask & LOW_FOUR == LOW_FOUR else -1


def _highest(mask: int, count: int) -> list[int]:
    found: list[int] = []
    while mask and len(found) < count:
        top = mask.bit_length() - 1
        found.append(top)
        mask ^= 1 << top
    return found


@lru_cache(maxsize=50_000)
def three_card(cards: tuple[str, ...]) -> Ranked | None:
    """Three cards in Three Card order, a straight above a flush; None unless there are three."""
    if len(cards) != 3:
        return None
    rank, strength = _three_card_value(cards)
    return Ranked(rank, strength, _labels(rank, THREE_CARD, RANKS[strength[1]]))


def pocket(cards: tuple[str, ...]) -> frozenset[str]:
    """The names that a Pocket Bonus paytable may give two cards; empty unless a pair or an ace with K, Q or J."""
    if len(cards) != 2:
        return frozenset()
    high, low = sorted(cards, key=lambda card: RANKS.index(card[0]), reverse=True)
    if high[0] == low[0]:
        group = POCKET.get(high[0], "pair_of_tens_to_twos")
        return frozenset({"pair", group, f"pair_of_{PLURALS[high[0]]}"})
    if high[0] != "A" or low[0] not in "KQJ":
        return frozenset()
    how = "suited" if high[1] == low[1] else "offsuit"
    name = {"K": "king", "Q": "queen", "J": "jack"}[low[0]]
    names = {f"ace_{name}", f"ace_{name}_{how}"}
    return frozenset(names if low[0] == "K" else names | {f"ace_queen_or_ace_jack_{how}", "ace_queen_or_ace_jack"})


def best_five(cards: tuple[str, ...]) -> tuple[str, ...]:
    """The five cards that make the hand, for display: highest groups first."""
    return _arranged(max(combinations(cards, 5), key=lambda five: _strength(five)))


def best_four(cards: tuple[str, ...]) -> tuple[str, ...]:
    return _arranged(max(combinations(cards, 4), key=lambda four: _four_card_value(four)[1]))


def best_three(cards: tuple[str, ...]) -> tuple[str, ...]:
    return _arranged(cards)


@lru_cache(maxsize=1)
def known_labels() -> frozenset[str]:
    """Every hand name that a written-out paytable may use."""
    names = set(FIVE_CARD) | set(FOUR_CARD) | set(THREE_CARD)
    names |= {f"{name}_or_better" for name in names} | {f"less_than_{name}" for name in names}
    for plural in PLURALS.values():
        names |= {f"pair_of_{plural}", f"pair_of_{plural}_or_better", f"four_{plural}"}
    for low in ("king", "queen", "jack"):
        names |= {f"ace_{low}", f"ace_{low}_suited", f"ace_{low}_offsuit"}
    names |= {"ace_queen_or_ace_jack", "ace_queen_or_ace_jack_suited", "ace_queen_or_ace_jack_offsuit"}
    return frozenset(names | set(POCKET.values()) | {"pair_of_tens_to_twos"})


def _strength(five: tuple[str, ...]) -> Strength:
    ranked = five_card(five)
    return ranked.strength if ranked else ()


def _class_number(cards: tuple[str, ...]) -> int:
    if len(cards) <= 7:
        return int(evaluate_cards(*cards))
    return min(int(evaluate_cards(*seven)) for seven in combinations(cards, 7))


def _distinct(cards: tuple[str, ...]) -> tuple[str, ...]:
    """The same cards for an evaluator that knows one deck: a second copy counts for its rank, in a free suit."""
    if len(set(cards)) == len(cards):
        return cards
    distinct: list[str] = []
    for card in cards:
        held = Counter(other[1] for other in cards)
        free = [card[0] + suit for suit in sorted(SUITS, key=lambda suit: held[suit]) if card[0] + suit not in cards]
        choice = next((other for other in (card, *free) if other not in distinct), None)
        if choice is not None:
            distinct.append(choice)
    unused = (rank + suit for rank in RANKS for suit in SUITS if rank + suit not in distinct)
    while len(distinct) < 5:  # five of a kind: the lowest card there is stands for what a deck cannot hold
        distinct.append(next(unused))
    return tuple(distinct)


def _five_card_labels(rank: str, number: int) -> frozenset[str]:
    if rank == "pair":
        return _labels(rank, FIVE_CARD, RANKS[12 - (number - 3326) // 220])
    if rank == "four_of_a_kind":
        return _labels(rank, FIVE_CARD, RANKS[12 - (number - 11) // 12])
    return _labels(rank, FIVE_CARD, "2")


@lru_cache(maxsize=1_000)
def _labels(rank: str, order: tuple[str, ...], lead: str) -> frozenset[str]:
    """Names for a hand of that rank whose leading group is of rank `lead`."""
    place = order.index(rank)
    names = {rank}
    names |= {f"{name}_or_better" for name in order[: place + 1]} | {f"less_than_{name}" for name in order[place + 1 :]}
    if rank in ("royal_flush", "mini_royal"):
        names.add("straight_flush")
    if rank == "pair":
        names.add(f"pair_of_{PLURALS[lead]}")
        names |= {f"pair_of_{PLURALS[low]}_or_better" for low in RANKS[: RANKS.index(lead) + 1]}
    elif place > order.index("pair"):
        names |= {f"pair_of_{plural}_or_better" for plural in PLURALS.values()}
    if rank == "four_of_a_kind":
        names.add(f"four_{PLURALS[lead]}")
    return frozenset(names)


def _groups(cards: tuple[str, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Group sizes and the ranks that go with them, largest group first, then highest rank."""
    counts = Counter(RANKS.index(card[0]) for card in cards)
    ordered = sorted(counts.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
    return tuple(count for _, count in ordered), tuple(rank for rank, _ in ordered)


def _straight_top(ranks: tuple[int, ...], size: int) -> int | None:
    """The rank index of the straight's highest card, or None. The ace is also below the two, and nowhere between."""
    if len(ranks) != size:
        return None
    high = max(ranks)
    if high - min(ranks) == size - 1:
        return high
    low_ace = {12, *range(size - 1)}
    return size - 2 if set(ranks) == low_ace else None


def _four_card_value(four: tuple[str, ...]) -> tuple[str, Strength, tuple[str, ...]]:
    sizes, ranks = _groups(four)
    flush = len({card[1] for card in four}) == 1
    top = _straight_top(ranks, 4)
    if top is not None:
        rank, ranks = ("straight_flush" if flush else "straight"), (top,)
    elif flush:
        rank = "flush"
    else:
        rank = {(4,): "four_of_a_kind", (3, 1): "three_of_a_kind", (2, 2): "two_pair", (2, 1, 1): "pair"}.get(
            sizes, "high_card"
        )
    return rank, (FOUR_CARD.index(rank), *ranks), four


def _three_card_value(three: tuple[str, ...]) -> tuple[str, Strength]:
    sizes, ranks = _groups(three)
    flush = len({card[1] for card in three}) == 1
    top = _straight_top(ranks, 3)
    if top is not None:
        rank = "straight" if not flush else "mini_royal" if top == 12 else "straight_flush"
        return rank, (THREE_CARD.index(rank), top)
    rank = {(3,): "three_of_a_kind", (2, 1): "pair"}.get(sizes, "flush" if flush else "high_card")
    return rank, (THREE_CARD.index(rank), *ranks)


def _arranged(cards: tuple[str, ...]) -> tuple[str, ...]:
    counts = Counter(card[0] for card in cards)
    low_ace = {card[0] for card in cards} in ({"A", *RANKS[: len(cards) - 1]},)

    def place(card: str) -> tuple[int, int, str]:
        rank = -1 if low_ace and card[0] == "A" else RANKS.index(card[0])
        return (-counts[card[0]], -rank, card[1])

    return tuple(sorted(cards, key=place))
