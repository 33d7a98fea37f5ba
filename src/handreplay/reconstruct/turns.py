"""When cards came that were not seen to come: one by one hands get their cards turn by turn."""

import math
from collections.abc import Mapping, Sequence

from handreplay.reconstruct.card_story import CardStory

USUAL_SECONDS = 0.7  # from one hand's card to the next one's


def in_turn(hands: Mapping[str, Sequence[CardStory]]) -> None:
    """Give cards whose coming was not seen a time between their own turn and the next, as other hands show it.

    A time at which such a card was noticed is kept if it lies there.
    """
    for name, cards in hands.items():
        others = [other for key, other in hands.items() if key != name]
        for turn, card in enumerate(cards):
            if card.timed or card.face_up:
                continue
            shown = min((change.t for change in card.turns), default=math.inf)
            earliest = max((t for t in _times(others, turn) if t < shown), default=-math.inf)
            latest = min((t for t in _times(others, turn + 1) if t > earliest), default=shown)
            if not earliest <= card.placed <= latest and earliest > -math.inf:
                card.placed, card.frame = earliest + min(USUAL_SECONDS, (latest - earliest) / 2), None


def _times(hands: Sequence[Sequence[CardStory]], turn: int) -> list[float]:
    return [hand[turn].placed for hand in hands if len(hand) > turn and hand[turn].timed]
