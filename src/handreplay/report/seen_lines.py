"""seen.jsonl: where cards and chips were read, so that a reviewer can see them outlined on the moving picture.

One JSON object a line, one line a reading of a zone, in the order of reading. Millimetres of the felt, to a tenth.
"""

import json
from collections.abc import Iterable

from handreplay.core.observations import Observation, SeenCard, SeenStack, ZoneSeen
from handreplay.core.readings import Known
from handreplay.report import words


def seen_lines(observations: Iterable[Observation]) -> str:
    """The text of the file. An unread face or pile is labelled "?", a back has no label."""
    seen = [item for item in observations if isinstance(item, ZoneSeen)]
    return "".join(json.dumps(_fields(item), ensure_ascii=False, separators=(",", ":")) + "\n" for item in seen)


def _fields(item: ZoneSeen) -> dict[str, object]:
    return {
        "t": round(item.start, 3),
        "zone": item.zone,
        "cards": [_card(card) for card in item.cards],
        "stacks": [_stack(stack) for stack in item.stacks],
    }


def _card(card: SeenCard) -> dict[str, object]:
    label = card.identity.value if isinstance(card.identity, Known) else ("?" if card.face_up else "")
    return {"corners_mm": [[round(x, 1), round(y, 1)] for x, y in card.corners_mm], "label": label}


def _stack(stack: SeenStack) -> dict[str, object]:
    label = words.pile(stack.chips).split(" (")[0] if isinstance(stack.chips, Known) else "?"
    return {"base_mm": [round(stack.base_mm[0], 1), round(stack.base_mm[1], 1)], "label": label}
