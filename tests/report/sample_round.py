"""A short round of Ultimate Texas Hold 'Em for the report tests: seat 5 is paid on a Blind that should push."""

from typing import Any

from handreplay.core.events import (
    CardMoved,
    CardPlaced,
    CardTurned,
    ChipsChanged,
    DeckShuffled,
    Declared,
    Event,
    RackCard,
    Round,
    StubMoved,
)
from handreplay.core.money import chips
from handreplay.core.readings import Known, Reading, Unreadable

HANDS = {"seat5": ("Qs", "Jd"), "dealer": ("Qh", "Kh")}
BOARD = ("4d", "4c", "2d", "7h", "Js")


def known(card: str, confidence: float = 0.99) -> Reading[str]:
    return Known(card, confidence)


def unseen(reason: str = "face down") -> Reading[str]:
    return Unreadable(reason)


def chip_event(t: float, zone: str, before: dict[str, int], after: dict[str, int], actor: Any = "player") -> Event:
    return ChipsChanged(
        t=t, zone=zone, actor=actor, before=Known(chips(before), 1.0), after=Known(chips(after), 1.0), confidence=0.99
    )


def _stakes() -> list[Event]:
    return [
        DeckShuffled(t=0.4, actor="dealer"),
        chip_event(1.5, "seat5.ante", {}, {"100": 1}),
        chip_event(3.2, "seat5.blind", {}, {"100": 1}),
        Declared(t=4.0, what="no_more_bets"),
    ]


def _deal() -> list[Event]:
    places = ["seat5.cards", "dealer.cards", "seat5.cards", "dealer.cards", "rack"]
    dealt: list[Event] = [
        CardPlaced(t=6.0 + 2 * n, card=f"c{n + 1:02d}", zone=zone, face="down", identity=unseen(), actor="dealer")
        for n, zone in enumerate(places)
    ]
    board = [
        CardPlaced(t=18.0 + n, card=f"c{n + 6:02d}", zone="community", face="up", identity=known(card), actor="dealer")
        for n, card in enumerate(BOARD)
    ]
    return [*dealt, chip_event(16.0, "seat5.play", {}, {"100": 4}), *board, StubMoved(t=24.0, to="rack")]


def _showdown() -> list[Event]:
    turned = zip(("c02", "c04", "c01", "c03"), (*HANDS["dealer"], *HANDS["seat5"]), strict=True)
    return [
        CardTurned(t=26.0 + n, card=card, face="up", identity=known(identity), actor="dealer")
        for n, (card, identity) in enumerate(turned)
    ]


def _settled() -> list[Event]:
    paid = [
        chip_event(32.0, "seat5.ante", {"100": 1}, {"100": 2}, "dealer"),
        chip_event(34.0, "seat5.play", {"100": 4}, {"100": 8}, "dealer"),
        chip_event(36.0, "seat5.blind", {"100": 1}, {"100": 2}, "dealer"),
    ]
    taken_up = [
        chip_event(42.0 + n, zone, before, {}, "player")
        for n, (zone, before) in enumerate(
            [("seat5.ante", {"100": 2}), ("seat5.play", {"100": 8}), ("seat5.blind", {"100": 2})]
        )
    ]
    return [*paid, *taken_up]


def _picked_up() -> list[Event]:
    order = [("c01", "seat5.cards"), ("c03", "seat5.cards"), *((f"c{n:02d}", "community") for n in range(6, 11))]
    order += [("c02", "dealer.cards"), ("c04", "dealer.cards")]
    return [
        CardMoved(t=46.0 + n / 1000, card=card, source=zone, to="rack", actor="dealer")
        for n, (card, zone) in enumerate(order)
    ]


def rack() -> tuple[RackCard, ...]:
    return (
        RackCard("c05", unseen(), "burn"),
        *(RackCard(f"c{n:02d}", known(card), "seat5") for n, card in zip((1, 3), HANDS["seat5"], strict=True)),
        *(RackCard(f"c{n + 6:02d}", known(card), "community") for n, card in enumerate(BOARD)),
        *(RackCard(f"c{n:02d}", known(card), "dealer") for n, card in zip((2, 4), HANDS["dealer"], strict=True)),
    )


def sample_round(number: int = 2, start: float = 0.0) -> Round:
    """The round, with all of its times moved to begin at `start` seconds."""
    events = [*_stakes(), *_deal(), *_showdown(), *_settled(), *_picked_up()]
    return Round(
        number=number,
        table="UTH-12",
        game="ultimate-texas-holdem",
        start=start,
        end=start + 48.0,
        events=tuple(shifted(event, start) for event in sorted(events, key=lambda event: event.t)),
        rack=rack(),
        clock_start="2026-11-30T01:10:50.063-05:00",
        source={"file": "cam12.mp4", "sha256": "ab" * 32},
    )


def shifted(event: Event, seconds: float) -> Event:
    return changed(event, t=round(event.t + seconds, 3))


def changed(event: Event, **values: Any) -> Event:
    """A copy with other values; dataclasses.replace for slotted subclasses."""
    import dataclasses

    return dataclasses.replace(event, **values)


def document() -> dict[str, Any]:
    """What a perfect audit of the sample round says."""

    def row(wager: str, staked: int, due: tuple[str, int], got: tuple[str, int]) -> dict[str, Any]:
        return {
            "seat": 5,
            "wager": wager,
            "staked_cents": staked,
            "expected": {"result": due[0], "pay_cents": due[1]},
            "observed": {"result": got[0], "pay_cents": got[1]},
        }

    return {
        "schema": "handreplay.findings/1",
        "tool": {"name": "handreplay", "version": "0.1.0", "models": {"cards.onnx": "ef" * 32}},
        "table": "UTH-12",
        "game": "ultimate-texas-holdem",
        "rules": "pa-653a",
        "source": {"file": "cam12.mp4", "sha256": "ab" * 32},
        "rounds": [
            {
                "round": 2,
                "start": 0.0,
                "end": 48.0,
                "verdict": "finding",
                "hands": {
                    "dealer": {"cards": ["Qh", "Kh"], "rank": "pair", "best": ["4d", "4c", "Kh", "Qh", "Js"]},
                    "seat5": {"cards": ["Qs", "Jd"], "rank": "two pair", "best": ["Jd", "Js", "4d", "4c", "Qs"]},
                },
                "settlement": [
                    row("ante", 10000, ("win", 10000), ("win", 10000)),
                    row("play", 40000, ("win", 40000), ("win", 40000)),
                    row("blind", 10000, ("push", 0), ("win", 10000)),
                ],
            }
        ],
        "findings": [
            {
                "code": "PY02",
                "name": "overpaid",
                "round": 2,
                "seat": 5,
                "wager": "blind",
                "t": 36.0,
                "status": "confirmed",
                "confidence": 0.991,
                "expected_cents": 0,
                "observed_cents": 10000,
                "variance_cents": 10000,
                "citation": "58 Pa. Code 653a.12(b)",
                "remedy": "Recover $100.00 by the house's procedure for payment errors.",
                "message": "Seat 5 Blind: paid $100.00 on two pair, due a push.",
                "evidence": [{"t": 36.0, "frame": 540, "image": "evidence/r0002_PY02_1.jpg"}],
            }
        ],
    }
