"""Round logs: what is written is read back, and what cannot be used is refused with its file and line."""

import json
import lzma
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handreplay.config import load_profile
from handreplay.core import events as ev
from handreplay.core.cards import DECK
from handreplay.core.money import chips
from handreplay.core.readings import Known, Reading, Unreadable
from handreplay.core.roundlog import parse_round, read_rounds, round_line, write_rounds
from handreplay.errors import LogError
from handreplay.games import log_limits


@lru_cache(maxsize=1)
def malformed() -> dict[str, dict[str, Any]]:
    lines = lzma.decompress((Path(__file__).parent / "malformed.jsonl.xz").read_bytes()).decode().splitlines()
    return {case["case"]: case for case in map(json.loads, lines)}


@pytest.mark.parametrize("name", list(malformed()))
def test_a_log_that_cannot_be_used_names_file_and_line(name: str, tmp_path: Path) -> None:
    case = malformed()[name]
    (tmp_path / "table.toml").write_text(case["table"])
    log = tmp_path / "night.rounds.jsonl"
    log.write_text(case["log"])
    with pytest.raises(LogError) as raised:
        read_rounds(log, log_limits(load_profile(tmp_path / "table.toml").rules()))
    text = str(raised.value)
    assert "night.rounds.jsonl" in text and "\n" not in text
    assert case["line"] is None or re.search(rf"line {case['line']}\b", text)


def a_round(**changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "schema": "handreplay.round/1",
        "table": "T-01",
        "game": "ultimate-texas-holdem",
        "round": 1,
        "start": 0.0,
        "end": 9.0,
        "events": [],
    }
    return base | changes


def placed(**changes: Any) -> dict[str, Any]:
    base = {"t": 1.0, "type": "card_placed", "card": "c1", "zone": "seat1.cards", "face": "down", "identity": None}
    return base | changes


def changed(**changes: Any) -> dict[str, Any]:
    return {"t": 1.0, "type": "chips_changed", "zone": "seat1.ante", "before": {}, "after": {"25": 1}} | changes


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (a_round(end=-1.0), "before start"),
        (a_round(clock_start="yesterday"), "clock_start"),
        (a_round(clock_start="2026-11-30T01:10:12"), "offset"),
        (a_round(source=[]), "source"),
        (a_round(source={"file": "\x1b[31mred.mp4"}), "control character"),
        (a_round(round=1.5), "round"),
        (a_round(start=10**400), "start"),
        (a_round(events={}), "events"),
        (a_round(events=["a"]), "event 1"),
        (a_round(events=[placed(), placed(t=2.0)]), "a second time"),
        (a_round(events=[placed(zone="lap")]), "lap"),
        (a_round(events=[placed(zone="seat0.cards")]), "seat0.cards"),
        (a_round(events=[placed(confidence=1.2)]), "confidence"),
        (a_round(events=[placed(candidates=[["Ah", 0.7], ["Ad", 0.7]])]), "add to more than 1"),
        (a_round(events=[placed(candidates=[["Ah", 2]])]), "probability"),
        (a_round(events=[placed(candidates=["Ah"])]), "candidate"),
        (a_round(events=[placed(back=-1)]), "back"),
        (a_round(events=[changed(before=7)]), "chips"),
        (a_round(events=[changed(before={"25": 10**9})]), "from 0 to 100,000"),
        (a_round(events=[changed(after={"25": True})]), "25"),
        (a_round(events=[changed(after={"free": 1})]), "free"),
        (a_round(events=[changed(to="pocket")]), "to"),
        (a_round(events=[{"t": 1, "type": "declared", "what": "lunch"}]), "what"),
        (a_round(events=[{"t": 1, "type": "declared", "what": "player_left"}]), "seat"),
        (a_round(events=[{"t": 1, "type": "declared", "what": "magic_card", "identity": "1x"}]), "identity"),
        (a_round(events=[{"t": 2, "type": "footage_gap", "until": 1}]), "gap"),
        (a_round(events=[{"t": 2, "type": "stub_moved", "to": "rack", "exposed": "no"}]), "exposed"),
        (a_round(rack=[{"card": "c1", "identity": None, "hand": "sleeve"}]), "sleeve"),
        (a_round(partial=3), "partial"),
    ],
)
def test_a_field_that_cannot_be_used_is_named(line: dict[str, Any], part: str, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(a_round(round=7)) + "\n\n" + json.dumps(line) + "\n")
    with pytest.raises(LogError, match="line 3") as raised:
        read_rounds(log)
    assert part in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe", b'{"a":1e999}'])
def test_a_file_without_a_round_is_refused(content: bytes, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_bytes(content)
    with pytest.raises(LogError, match=r"log\.jsonl"):
        read_rounds(log)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="cannot be read"):
        read_rounds(tmp_path / "none.jsonl")


def test_a_folder_is_told_apart_from_a_log(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"is a folder; name the round log in it, such as .*rounds\.jsonl"):
        read_rounds(tmp_path)


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    lines = [json.dumps(a_round()), json.dumps(a_round(round=2))]
    log.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode() + b"\r\n")
    assert [round_.number for round_ in read_rounds(log)] == [1, 2]


def test_unknown_top_level_fields_are_kept_and_a_partial_round_says_why(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(a_round(shoe="X7", partial="ends early")) + "\n")
    (round_,) = read_rounds(log)
    assert (round_.extra, round_.partial) == ({"shoe": "X7"}, "ends early")
    assert json.loads(round_line(round_))["shoe"] == "X7"


CARDS: st.SearchStrategy[Reading[str]] = st.one_of(
    st.sampled_from(DECK).map(lambda card: Known(card, 1.0)),
    st.lists(st.tuples(st.sampled_from(DECK), st.sampled_from([0.25, 0.125])), max_size=3).map(
        lambda pairs: Unreadable("not read", tuple(pairs))
    ),
)
PILES = st.dictionaries(st.sampled_from(["0.50", "5", "25"]), st.integers(0, 9), max_size=3).map(chips)
PLAIN = st.text(st.characters(exclude_categories=["Cc", "Cs"]))
COMMON: dict[str, Any] = {
    "actor": st.sampled_from(["dealer", "player", "unknown"]),
    "frame": st.none() | st.integers(0, 10**6),
}
EVENTS: st.SearchStrategy[ev.Event] = st.one_of(
    st.builds(
        ev.ChipsChanged,
        t=st.just(0.0),
        zone=st.sampled_from(["seat1.ante", "seat6.trips"]),
        before=PILES.map(lambda pile: Known(pile, 1.0)),
        after=st.one_of(
            PILES.map(lambda pile: Known(pile, 1.0)),
            PILES.map(lambda pile: Unreadable("not read", ((pile, 0.5),))),
        ),
        to=st.sampled_from([None, "tray", "player"]),
        **COMMON,
    ),
    st.builds(ev.StubMoved, t=st.just(0.0), to=st.just("rack"), exposed=st.booleans(), **COMMON),
    st.builds(ev.StubCounted, t=st.just(0.0), count=st.integers(0, 52), **COMMON),
    st.builds(ev.DeckShuffled, t=st.just(0.0), back=st.none() | st.integers(0, 1), **COMMON),
    st.builds(ev.FootageGap, t=st.just(0.0), until=st.sampled_from([1.5, 99.0]), **COMMON),
    st.builds(ev.Declared, t=st.just(0.0), what=st.just("no_more_bets"), note=st.none() | PLAIN, **COMMON),
)


@settings(max_examples=60)
@given(cards=st.lists(CARDS, max_size=4), others=st.lists(EVENTS, max_size=6), partial=st.none() | st.just("cut"))
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, cards: list[Reading[str]], others: list[ev.Event], partial: str | None
) -> None:
    lying = [
        ev.CardPlaced(t=0.0, card=f"c{n}", zone="seat1.cards", face="up", identity=card, back=0)
        for n, card in enumerate(cards)
    ]
    round_ = ev.Round(
        number=3, table="T", game="g", start=0.0, end=9.0, events=(*lying, *others), partial=partial, extra={"x": [1]}
    )
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    write_rounds(path, [round_])
    (again,) = read_rounds(path)
    assert round_line(again) == round_line(round_) == path.read_text().rstrip("\n")
    assert (again.partial, again.extra, len(again.events)) == (partial, {"x": [1]}, len(round_.events))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"table": "T\x1b[31m"}, "U+001B"),
        ({"partial": "\x9b2J"}, "U+009B"),
        ({"events": [placed(card="c\x07")]}, "U+0007"),
        ({"table": "T\ud800"}, "half a letter"),
        ({"source": {"file": "\udcff.mp4"}}, "half a letter"),
    ],
)
def test_a_text_that_would_speak_to_the_terminal_or_cannot_be_written_is_refused(
    changes: dict[str, Any], said: str, tmp_path: Path
) -> None:
    log = tmp_path / "r.jsonl"
    log.write_text(json.dumps(a_round(**changes)) + "\n")
    with pytest.raises(LogError, match=re.escape(said)):
        read_rounds(log)


def test_letters_of_every_script_and_line_ends_in_notes_are_kept(tmp_path: Path) -> None:
    log = tmp_path / "r.jsonl"
    log.write_text(json.dumps(a_round(table="Tïsch 🂡 七", partial="starts late\n\tsee note")) + "\n")
    (round_,) = read_rounds(log)
    assert (round_.table, round_.partial) == ("Tïsch 🂡 七", "starts late\n\tsee note")


@given(st.lists(st.floats(0.0001, 1.0), min_size=2, max_size=12))
def test_what_a_reading_may_be_is_read_back_however_its_probabilities_round(weights: list[float]) -> None:
    shares = [weight / sum(weights) for weight in weights]
    piles = tuple((chips({"5": count}), share) for count, share in enumerate(shares, start=1))
    faces = tuple(zip(DECK, shares, strict=False))
    unread: Reading[Any] = Unreadable("glare", piles)
    events = (
        ev.ChipsChanged(t=1.0, zone="seat1.ante", before=Known((), 1.0), after=unread),
        ev.CardPlaced(t=2.0, card="c1", zone="community", face="up", identity=Unreadable("glare", faces), back=None),
    )
    round_ = ev.Round(number=1, table="T", game="let-it-ride", start=0.0, end=9.0, events=events)
    read = parse_round(json.loads(round_line(round_)), "line 1")
    for event, share_of in zip(read.events, (piles, faces), strict=True):
        reading = event.after if isinstance(event, ev.ChipsChanged) else getattr(event, "identity", None)
        assert isinstance(reading, Unreadable)
        for (value, share), (true, exact) in zip(reading.candidates, share_of, strict=True):
            assert value == true and abs(share - exact) < 0.0005 * (len(weights) + 1)
