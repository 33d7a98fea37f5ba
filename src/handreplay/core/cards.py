"""Cards as two characters, rank and suit: `Ah`, `Td`."""

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)
CARD_NUMBER: dict[str, int] = {card: number for number, card in enumerate(DECK)}
