"""What the Hold 'Em games share: two cards in the hand, five on the board, the best five of seven."""

from handreplay.games.hands import Ranked, best_five, five_card

BOARD = 5


def rank(hand: tuple[str, ...], community: tuple[str, ...]) -> Ranked | None:
    """The hand with the board; None until the board is complete. A sixth community card has no part in it."""
    return five_card(hand + community[:BOARD]) if len(community) >= BOARD else None


def best(hand: tuple[str, ...], community: tuple[str, ...]) -> tuple[str, ...]:
    return best_five(hand + community[:BOARD])
