"""What lies in a picture, as a person writes it, and which reading each label means."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handreplay.adapt.labels import Labels, by_place, draft, in_any_order, labels_for
from handreplay.core.cards import CARD_NUMBER, DECK
from handreplay.errors import HandreplayError

VALUES = ("5", "25")


def written(folder: Path, text: str) -> Labels:
    (folder / "a.toml").write_text(text, "utf-8")
    return labels_for(folder / "a.png", VALUES)


def test_a_picture_without_a_file_beside_it_has_no_labels(tmp_path: Path) -> None:
    assert not labels_for(tmp_path / "a.png", VALUES).any


def test_a_draft_reads_back_as_what_it_says(tmp_path: Path) -> None:
    labels = written(tmp_path, draft([("As", (10.4, 20.0), 0.93)], [("25", (5.0, 6.0), 0.4)]))
    assert labels == Labels(card_at=(("As", (10.0, 20.0)),), stack_at=(("25", (5.0, 6.0)),))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cards = ['10h']", '"10h" is no card'),
        ("stacks = ['100']", 'no chip "100"'),
        ("kards = []", 'unknown key "kards"'),
        ("cards = 'As'", "must be a list"),
        ("[[card]]\nidentity = 'As'", r"card\[1\]: needs identity"),
        ("[[stack]]\nvalue = '5'\nat = [1, nan]", r"stack\[1\]: needs value"),
        ("[[card]]\nidentity = 'As'\nat = [1, 2]\nsure = true", r"card\[1\]"),
        ("= =", "not valid TOML"),
    ],
)
def test_labels_that_cannot_be_meant_are_refused_with_file_and_place(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(HandreplayError, match=told) as caught:
        written(tmp_path, text)
    assert "a.toml" in str(caught.value) and "\n" not in str(caught.value)


def test_a_label_at_a_place_means_the_nearest_thing_within_reach() -> None:
    middles = [(0.0, 0.0), (100.0, 0.0), (300.0, 0.0)]
    assert by_place([("As", (90.0, 5.0)), ("Kd", (200.0, 0.0))], middles, [40.0] * 3) == {1: "As"}


def test_cards_in_any_order_go_to_the_faces_that_they_fit_together() -> None:
    chances = np.full((2, 52), 0.001)
    chances[0, CARD_NUMBER["6h"]], chances[0, CARD_NUMBER["8h"]] = 0.55, 0.4
    chances[1, CARD_NUMBER["6h"]], chances[1, CARD_NUMBER["8h"]] = 0.9, 0.002
    assert in_any_order(["6h", "8h"], chances) == {0: "8h", 1: "6h"}


def test_labels_or_faces_too_many_are_left_over() -> None:
    chances = np.full((2, 52), 0.001)
    chances[0, CARD_NUMBER["As"]] = chances[1, CARD_NUMBER["Kd"]] = 0.9
    assert in_any_order(["Kd"], chances) == {1: "Kd"}
    assert in_any_order(["Kd", "As", "2c"], chances) == {0: "As", 1: "Kd"}
    assert in_any_order(["Kd"], np.zeros((0, 52))) == {}


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 10_000))
def test_no_other_order_is_likelier(faces: int, labels: int, seed: int) -> None:
    chances = np.random.default_rng(seed).dirichlet(np.full(52, 0.1), faces)
    cards = list(DECK[:labels])
    found = in_any_order(cards, chances)

    def surprise(pairs: list[tuple[int, str]]) -> float:
        return sum(-np.log(max(chances[face, CARD_NUMBER[card]], 1e-9)) for face, card in pairs)

    if faces >= labels:
        best = min(surprise(list(zip(order, cards, strict=True))) for order in permutations(range(faces), labels))
    else:
        best = min(surprise(list(enumerate(order))) for order in permutations(cards, faces))
    assert len(found) == min(faces, labels)
    assert surprise(list(found.items())) == pytest.approx(best, abs=1e-6)
