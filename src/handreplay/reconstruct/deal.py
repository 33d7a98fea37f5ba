"""What the rules of the table let one expect of a deal. Expected is not seen: it only decides what cannot be seen."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """How many cards each hand has and how they come; numbers are None where nothing is known.

    `dealer_down` of the dealer's cards lie face down and the others face up. Hands come `at_once` out of an automated
    shoe, which then gives `unseen` cards to the rack. Community cards are dealt face down with the hands, or face up
    after them.
    """

    hand: int | None = None
    dealer: int | None = None
    dealer_down: int | None = None
    community: int | None = None
    community_down: bool = False
    at_once: bool = False
    burns: bool = True
    unseen: int = 0

    def backs(self, zone: str) -> int | None:
        """How many cards are dealt face down to a zone."""
        if zone == "dealer.cards":
            return self.dealer if self.dealer_down is None else self.dealer_down
        if zone == "community":
            return self.community if self.community_down else 0
        return self.hand

    def size(self, zone: str) -> float:
        """How many cards a zone holds when the round is over; infinity where that is not known."""
        number = {"dealer.cards": self.dealer, "community": self.community}.get(zone, self.hand)
        return math.inf if number is None else number

    def dealer_open(self) -> bool:
        """Do some of the dealer's cards lie face up from the start?"""
        return self.dealer is not None and self.dealer_down is not None and self.dealer_down < self.dealer


UNKNOWN = Deal()
