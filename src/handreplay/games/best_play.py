"""What the house keeps of a base wager when its player decides as well as can be, by going through every deal.

Two shapes of game are worked out here: one hand against the dealer's with a Play or a fold, and bets that may be taken
back as cards are turned. The others hang on far more deals: what they need to be gone through elsewhere is said here.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import comb, lcm, prod

from handreplay.core.cards import DECK, RANKS, SUITS
from handreplay.games.counting import unlike_hands
from handreplay.games.hands import Ranked, Strength, five_card
from handreplay.games.paytables import Paytable

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
Rank = Callable[[tuple[str, ...], tuple[str, ...]], Ranked | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnBoards:
    """How a hold 'em game pays, for its best play over every board: the Ante pushes when the dealer has no pair.

    `won` and `lost` are what the second base wager brings, in stakes, with a higher and with a lower hand.
    `dealer_folds`: without a pair the dealer pays the later wager whoever is higher; `second_plays`: the second base
    wager then is decided by the hands all the same, and else pushes.
    """

    won: Callable[[Ranked], Fraction]
    lost: Callable[[Ranked], Fraction]
    dealer_folds: bool = False
    second_plays: bool = True


@dataclass(frozen=True, slots=True)
class FourOfSix:
    """An Ante with a Play of 1x to 3x on the best four of five cards, against the dealer's best four of six.

    One of the dealer's cards lies open when the player decides. The player wins ties; `bonus` goes with a Play.
    """

    bonus: Paytable


def returns(paytable: Paytable, labels: frozenset[str], otherwise: int = 0) -> Fraction:
    """What a hand brings by the paytable, in stakes; `otherwise` where it names no such hand."""
    line = paytable.line(labels)
    if line is None:
        return Fraction(otherwise)
    return Fraction(0) if line.kind == "push" else Fraction(line.num, line.den)


def play_or_fold(rank: Rank, qualifies_from: Strength, bonus: Paytable) -> Fraction:
    """The house edge of an Ante of three cards with a Play of 1x: a dealer who does not qualify pays the Ante alone.

    `qualifies_from` is the weakest strength with which the dealer qualifies. The bonus needs a Play.
    """
    strengths: dict[tuple[str, ...], Strength] = {hand: _ranked(rank, hand).strength for hand in combinations(DECK, 3)}
    places = {strength: place for place, strength in enumerate(sorted(set(strengths.values())))}
    least = min(place for strength, place in places.items() if strength >= qualifies_from)
    with_cards: dict[tuple[str, ...], list[int]] = {}
    for dealt, strength in strengths.items():
        for count in range(4):
            for held in combinations(dealt, count):
                with_cards.setdefault(held, []).append(places[strength])
    for found in with_cards.values():
        found.sort()

    def below(place: int, hand: tuple[str, ...]) -> int:
        """Dealer's hands of the other 49 cards that are weaker than that place."""
        return sum(
            (-1) ** count * bisect_left(with_cards.get(held, []), place)
            for count in range(4)
            for held in combinations(hand, count)
        )

    total = Fraction(0)
    dealers = comb(len(DECK) - 3, 3)
    for hand, weight in unlike_hands(3):
        ordered = tuple(sorted(hand, key=DECK.index))
        own = places[strengths[ordered]]
        unqualified = below(least, ordered)
        weaker = max(below(own, ordered) - unqualified, 0) if own > least else 0
        equal = below(own + 1, ordered) - below(own, ordered) if own >= least else 0
        stronger = dealers - unqualified - weaker - equal
        played = Fraction(unqualified + 2 * weaker - 2 * stronger, dealers)
        played += returns(bonus, _ranked(rank, ordered).labels)
        total += weight * max(played, Fraction(-1))
    return -total / comb(len(DECK), 3)


def _ranked(rank: Rank, hand: tuple[str, ...]) -> Ranked:
    found = rank(hand, ())
    assert found is not None
    return found


def take_back_or_let_ride(bets: Paytable) -> Fraction:
    """The house edge, in one bet, of three equal bets of which two may come back: on three cards, then on four.

    Each bet that stands is paid by the paytable on five cards, or lost.
    """
    scale = lcm(*(line.den for line in bets.entries))
    plain, suited = _returns_of_five(bets, scale)
    of_four: dict[tuple[int, ...], int] = {}  # what a bet brings over all 48 last cards, scaled
    rides = 0
    for hand, weight in unlike_hands(4):
        brought = sum(_brought((*hand, card), plain, suited) for card in DECK if card not in hand)
        of_four[_suit_masks(hand)] = brought
        rides += weight * max(brought, 0)
    first = third = 0
    for hand, weight in unlike_hands(3):
        brought = sum(of_four[_suit_masks((*hand, card))] for card in DECK if card not in hand)
        third += weight * brought
        first += weight * max(brought, 0)
    four, three = comb(len(DECK), 4) * 48, comb(len(DECK), 3) * 49 * 48
    return -(Fraction(rides, four) + Fraction(first + third, three)) / scale


def _returns_of_five(bets: Paytable, scale: int) -> tuple[dict[int, int], dict[int, int]]:
    """By the product of the ranks' primes: what five cards bring when of several suits, and when of one."""
    plain: dict[int, int] = {}
    suited: dict[int, int] = {}
    for ranks in combinations_with_replacement(RANKS, 5):
        key = _product(ranks)
        if max(map(ranks.count, ranks)) <= len(SUITS):
            hand = tuple(rank + SUITS[place % 4] for place, rank in enumerate(ranks))
            plain[key] = _scaled(bets, hand, scale)
            if len(set(ranks)) == 5:
                suited[key] = _scaled(bets, tuple(rank + "c" for rank in ranks), scale)
    return plain, suited


def _scaled(bets: Paytable, hand: tuple[str, ...], scale: int) -> int:
    ranked = five_card(hand)
    assert ranked is not None
    return int(returns(bets, ranked.labels, otherwise=-1) * scale)


def _brought(hand: tuple[str, ...], plain: dict[int, int], suited: dict[int, int]) -> int:
    key = _product(card[0] for card in hand)
    return suited[key] if len({card[1] for card in hand}) == 1 else plain[key]


def _product(ranks: Iterable[str]) -> int:
    return prod(PRIMES[RANKS.index(rank)] for rank in ranks)


def _suit_masks(hand: tuple[str, ...]) -> tuple[int, ...]:
    """The ranks of each suit as bits, whichever suit is which."""
    masks = dict.fromkeys(SUITS, 0)
    for card in hand:
        masks[card[1]] |= 1 << RANKS.index(card[0])
    return tuple(sorted(masks.values()))
