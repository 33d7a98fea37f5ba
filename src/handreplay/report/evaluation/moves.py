"""Events of a log against the true ones: found, missed, invented, and in the right order."""

from collections import Counter
from collections.abc import Sequence

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    DeckChanged,
    DeckShuffled,
    Event,
    FootageGap,
    Round,
    StubCounted,
    StubMoved,
)
from handreplay.report.evaluation.scores import Events, Score

SAME_MOMENT_S = 0.5  # closer than this, two events have no order that a viewer could state
UNHURRIED_S = 1.5  # chips of different seats are moved by several people at once

Key = tuple[str, ...]  # the event type first, then what tells it from others of its type


def keyed_events(round_: Round) -> list[tuple[Key, Event]]:
    """Physical events with type and zone, in time order. What an operator declared cannot be seen and is left out."""
    lies: dict[str, str] = {}
    keyed: list[tuple[Key, Event]] = []
    for event in round_.events:
        match event:
            case CardPlaced():
                lies[event.card] = event.zone
                keyed.append((("card_placed", event.zone), event))
            case CardTurned():
                keyed.append((("card_turned", lies.get(event.card, "?"), event.face), event))
            case CardMoved():
                keyed.append((("card_moved", lies.get(event.card, event.source), event.to), event))
                lies[event.card] = event.to
            case ChipsChanged():
                keyed.append((("chips_changed", event.zone), event))
            case StubMoved():
                keyed.append((("stub_moved", event.to), event))
            case StubCounted():
                keyed.append((("stub_counted",), event))
            case DeckShuffled():
                keyed.append((("deck_shuffled",), event))
            case DeckChanged():
                keyed.append((("deck_changed",), event))
            case FootageGap(zone=None):
                keyed.append((("footage_gap",), event))
            case _:
                pass
    return keyed


def compare_events(truth: Sequence[Round], seen: Sequence[Round], score: Score, tolerance_s: float) -> None:
    """Match over the whole clip, so that a round border in the wrong place is not counted a second time."""
    mine, others = _by_key(truth), _by_key(seen)
    for key in sorted(mine.keys() | others.keys()):
        events = score.events.setdefault(key[0], Events())
        pairs, missed, invented = _match(mine.get(key, []), others.get(key, []), tolerance_s)
        events.right += len(pairs)
        events.missed += len(missed)
        events.invented += len(invented)
        score.notes += [f"{event.t:.1f} s {' '.join(key)}: missed" for event in missed]
        score.notes += [f"{event.t:.1f} s {' '.join(key)}: invented" for event in invented]
        if key[0] == "chips_changed":
            _compare_actors(pairs, score)


def _by_key(rounds: Sequence[Round]) -> dict[Key, list[Event]]:
    keyed: dict[Key, list[Event]] = {}
    for round_ in rounds:
        for key, event in keyed_events(round_):
            keyed.setdefault(key, []).append(event)
    return {key: sorted(events, key=lambda event: event.t) for key, events in keyed.items()}


def _match(
    truth: list[Event], seen: list[Event], tolerance_s: float
) -> tuple[list[tuple[Event, Event]], list[Event], list[Event]]:
    """One to one, earliest with earliest: on a line this finds as many pairs as there can be."""
    pairs: list[tuple[Event, Event]] = []
    missed: list[Event] = []
    invented: list[Event] = []
    i = j = 0
    while i < len(truth) and j < len(seen):
        apart = round(seen[j].t - truth[i].t, 6)
        if abs(apart) <= tolerance_s:
            pairs.append((truth[i], seen[j]))
            i, j = i + 1, j + 1
        elif apart < 0:
            invented.append(seen[j])
            j += 1
        else:
            missed.append(truth[i])
            i += 1
    return pairs, missed + truth[i:], invented + seen[j:]


def _compare_actors(pairs: list[tuple[Event, Event]], score: Score) -> None:
    for truth, seen in pairs:
        if truth.actor == "unknown":
            continue
        if seen.actor == "unknown":
            score.actors.unknown += 1
        elif seen.actor == truth.actor:
            score.actors.right += 1
        else:
            score.actors.wrong += 1
            score.notes.append(f"{truth.t:.1f} s {getattr(truth, 'zone', '')}: {truth.actor}, taken for {seen.actor}")


def same_order(truth: Round, seen: Round) -> bool:
    """The same cards dealt and shown and the same changes of chips, in the same order.

    Events closer together than a viewer could tell apart may change places: 0.5 s for the dealer's cards, 1.5 s
    where chips are concerned, since players move theirs while the dealer works elsewhere.
    """
    mine, others = _occurrences(truth), _occurrences(seen)
    if mine.keys() != others.keys():
        return False
    in_order = sorted(mine, key=lambda key: (mine[key], key))
    for place, first in enumerate(in_order):
        for second in in_order[place + 1 :]:
            chips = "chips_changed" in (first[0][0], second[0][0])
            apart = mine[second] - mine[first]
            if apart > (UNHURRIED_S if chips else SAME_MOMENT_S) and others[second] < others[first]:
                return False
    return True


def _occurrences(round_: Round) -> dict[tuple[Key, int], float]:
    """The k-th event of each kind and its second. Cards picked up are judged by the rack instead."""
    count: Counter[Key] = Counter()
    at: dict[tuple[Key, int], float] = {}
    for key, event in keyed_events(round_):
        if key[0] in ("card_placed", "card_turned", "chips_changed"):
            count[key] += 1
            at[key, count[key]] = event.t
    return at
