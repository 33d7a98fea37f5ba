"""A tally as JSON values: kept with what was seen in a recording, since pictures are found again by it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from typing import Any

from handreplay.core.timeline import Gap
from handreplay.footage import KeyPicture, Tally


def tally_fields(tally: Tally) -> dict[str, Any]:
    """Every field by name; times are exact, as "numerator/denominator"."""
    told = {field.name: getattr(tally, field.name) for field in fields(tally)}
    return {
        **told,
        "keys": [[str(key.seconds), key.index, key.ticks] for key in tally.keys],
        "steps": {str(step): count for step, count in sorted(tally.steps.items())},
        "gaps": [[str(gap.start), str(gap.end), gap.reason] for gap in tally.gaps],
        "seconds": str(tally.seconds),
        "estimated_rate": None if tally.estimated_rate is None else str(tally.estimated_rate),
    }


def tally_of(told: Mapping[str, Any]) -> Tally:
    """The tally again. Raises ValueError, KeyError or TypeError when it is none."""
    rate = told["estimated_rate"]
    return Tally(
        **{
            **told,
            "keys": [KeyPicture(Fraction(seconds), int(index), ticks) for seconds, index, ticks in told["keys"]],
            "steps": Counter({int(step): int(count) for step, count in told["steps"].items()}),
            "gaps": [Gap(Fraction(start), Fraction(end), str(reason)) for start, end, reason in told["gaps"]],
            "seconds": Fraction(told["seconds"]),
            "estimated_rate": None if rate is None else Fraction(rate),
        }
    )
