"""Ordinary rounds of every game with cards, wagers and decisions drawn at random, and what footage may fail to show."""

import random
from dataclasses import replace
from typing import Any

from handreplay.core.cards import DECK
from handreplay.core.events import CardPlaced, CardTurned, ChipsChanged, Event, FootageGap, Round
from handreplay.core.money import worth
from handreplay.core.readings import Known, Unreadable
from handreplay.rules.settlement import net
from tests.rules.rounds import ALL
from tests.rules.story import GAMES, Story, pile

DEALINGS = ("hand", "manual-shoe", "automated-shoe")
SIDES = {
    "pa-569": ("trips",),
    "pa-653a": ("trips",),
    "pa-677a": ("pocket_bonus", "trips_plus"),
    "pa-641a": ("progressive",),
    "pa-643a": ("let_it_ride_bonus", "three_card_bonus"),
    "pa-649a": ("six_card_bonus",),
}
MULTIPLES = {"pa-569": ((4,), (2,), (1,)), "pa-653a": ((3, 4), (2,), (1,)), "pa-677a": ((1, 2, 3), (1, 2), (1,))}
ALONE = {"pa-641a": "aces_up", "pa-649a": "pair_plus"}
HANDS = {"pa-641a": (5, 6, 0), "pa-643a": (3, 0, 2), "pa-649a": (3, 3, 0)}  # player, dealer, board; else hold 'em


def random_story(draw: random.Random, rules: str | None = None, **changes: Any) -> Story:
    rules = rules or draw.choice(ALL)
    deck = draw.sample(DECK, 52)

    def hand(count: int) -> str:
        return " ".join(deck.pop() for _ in range(count))

    player, dealer, board = HANDS.get(rules, (2, 2, 5))
    table_seats = range(1, 7 if "holdem" in GAMES[rules] else 8)
    seats = {}
    for seat in sorted(draw.sample(table_seats, draw.randint(1, 6))):
        seats[seat] = {"hand": hand(player), **_wagers(draw, rules)}
    changes.setdefault("dealing", draw.choice(DEALINGS))
    return Story(rules, seats, hand(dealer), hand(board), **changes)


def _wagers(draw: random.Random, rules: str) -> dict[str, Any]:
    base = draw.choice([10, 20, 25, 50])
    own: dict[str, Any] = {side: 5 for side in SIDES[rules] if draw.random() < 0.4}
    if rules == "pa-643a":
        at = {bet: number for number, bet in enumerate(("bet1", "bet2")) if draw.random() < 0.5}
        return own | dict.fromkeys(("bet1", "bet2", "bet3"), base) | {"at": at}
    if rules in ALONE:
        with_ante = draw.random() < 0.8
        if not with_ante or draw.random() < 0.5:
            own[ALONE[rules]] = 5
        if not with_ante:
            return own
        own["ante"] = base
        if draw.random() < 0.7:
            own["later"] = (base * (draw.choice([1, 2, 3]) if rules == "pa-641a" else 1), 0)
        return own
    own |= {"ante": base, "odds" if rules == "pa-677a" else "blind": base}
    decision = draw.choice([0, 1, 2, None])
    if decision is not None:
        own["later"] = (base * draw.choice(MULTIPLES[rules][decision]), decision)
    return own


def with_a_fault(draw: random.Random, story: Story) -> None:
    """The dealer settles one wager wrongly, or two."""
    rows = [(row.seat, row.wager) for row in story.audit().rounds[0].settlement if row.wager != "progressive"]
    for place in draw.sample(rows, min(len(rows), draw.randint(0, 2))):
        story.done[place] = draw.choice(["leave", "take", 500, 2500])


def blurred(draw: random.Random, round_: Round) -> Round:
    """The round with some readings lost: cards, stacks, whose hand it was, or a stretch of footage.

    Where candidates are given the truth is among them.
    """
    events = list(round_.events)
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(events))
        event = events[place]
        if isinstance(event, CardTurned | CardPlaced) and isinstance(event.identity, Known):
            _lose_card(draw, events, event.card, event.identity.value)
        elif isinstance(event, ChipsChanged) and draw.random() < 0.3:
            events[place] = replace(event, actor="unknown", to=None)
        elif isinstance(event, ChipsChanged) and isinstance(event.after, Known):
            _lose_stack(draw, events, place, event)
        elif draw.random() < 0.3:
            events = _with_gap(events, place, draw.randint(1, 5))
    return replace(round_, events=tuple(events))


def _lose_card(draw: random.Random, events: list[Event], card: str, true: str) -> None:
    other = draw.choice([face for face in DECK if face != true])
    choices = ((), ((true, 0.6), (other, 0.35)), ((other, 0.6), (true, 0.35)))
    for place, event in enumerate(events):
        if isinstance(event, CardTurned | CardPlaced) and event.card == card and isinstance(event.identity, Known):
            events[place] = replace(event, identity=Unreadable("glare", draw.choice(choices)))


def _lose_stack(draw: random.Random, events: list[Event], place: int, event: ChipsChanged) -> None:
    assert isinstance(event.after, Known)
    true = event.after.value
    other = pile(worth(true) + draw.choice([500, 1000, 2500]))
    choices = ((), ((true, 0.55), (other, 0.4)), ((other, 0.55), (true, 0.4)))
    events[place] = replace(event, after=Unreadable("glare", draw.choice(choices)))
    for later in range(place + 1, len(events)):
        following = events[later]
        if isinstance(following, ChipsChanged) and following.zone == event.zone:
            events[later] = replace(following, before=Unreadable("glare"))
            return


def gapped(draw: random.Random, round_: Round) -> Round:
    """The round with one or two stretches of footage lost, up to eight events each."""
    events = list(round_.events)
    for _ in range(draw.randint(1, 2)):
        events = _with_gap(events, draw.randrange(len(events)), draw.randint(1, 8))
    return replace(round_, events=tuple(events))


def _with_gap(events: list[Event], place: int, count: int) -> list[Event]:
    """Without the events of a stretch, and without cards that came in it."""
    lost = events[place : place + count]
    gone = {event.card for event in lost if isinstance(event, CardPlaced)}
    gap = FootageGap(t=lost[0].t - 0.2, until=lost[-1].t + 0.2)
    kept = [*events[:place], gap, *events[place + count :]]
    return [event for event in kept if getattr(event, "card", None) not in gone]


def house_gain(round_: Round) -> int:
    """What the house's tray gained in the round, in cents, from the chips that moved alone."""
    gain = 0
    for event in round_.events:
        if isinstance(event, ChipsChanged) and event.actor == "dealer" and event.to != "player":
            assert isinstance(event.before, Known) and isinstance(event.after, Known)
            gain += worth(event.before.value) - worth(event.after.value)
    return gain


def due_to_the_house(story: Story, rows: Any) -> int:
    """What the rules give the house, by the settlement rows."""
    gain = 0
    for row in rows:
        wager = None if row.wager == "envy" else story.game.wager(row.wager)
        if wager is None:
            gain -= row.expected.pay_cents
        else:
            gain -= net(row.expected, row.staked_cents, wager) or 0
    return gain
