"""What became of each labelled card of a photograph."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from handreplay.train import stills_check
from handreplay.train.stills_check import check, compare, table
from handreplay.vision.stills import Still, StillCard


def card(left: float, identity: str | None) -> StillCard:
    corners = [[left, 0.0], [left + 60, 0.0], [left + 60, 84.0], [left, 84.0]]
    return StillCard(np.array(corners), identity, 0.97)


def box(left: float) -> tuple[float, float, float, float]:
    return (left, 0.0, left + 60, 84.0)


def test_each_labelled_card_is_right_wrong_unread_or_missed() -> None:
    truth = [("As", box(0)), ("Kd", box(100)), ("9h", box(200)), ("2c", box(300))]
    seen = [card(3, "As"), card(98, "Kh"), card(204, None), card(500, "7s")]
    counts, mistakes = compare(truth, seen)
    assert counts == {"cards": 4, "found": 3, "right": 1, "wrong": 1, "unread": 1, "read elsewhere": 1}
    assert mistakes == ["Kd read as Kh (0.97)"]


def test_one_outline_is_of_one_card() -> None:
    counts, _ = compare([("As", box(0)), ("As", box(10))], [card(5, "As")])
    assert (counts["cards"], counts["found"], counts["right"]) == (2, 1, 1)


def test_every_so_many_photographs_of_a_source_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Reads:
        def read(self, picture: np.ndarray) -> Still:
            return Still((card(0, "As"),), 0)

    monkeypatch.setattr(stills_check, "StillReader", Reads)
    cv2.imwrite(str(tmp_path / "a.png"), np.zeros((90, 70, 3), np.uint8))
    one = {"file": "a.png", "source": "s", "objects": [{"kind": "card", "label": "As", "box": box(0)}]}
    chips = {"file": "no.png", "source": "s", "objects": [{"kind": "chip", "label": "red", "box": box(0)}]}
    (tmp_path / "labels.json").write_text(json.dumps({"images": [one, chips, one, one, one]}), "utf-8")
    counts, wrong = check(tmp_path / "labels.json", 2, 1)
    assert counts["s"]["pictures"] == 2 and counts["s"]["right"] == 2 and wrong == []
    assert table(counts).splitlines()[-1].split() == ["all", "2", "2", "2", "2", "0", "0", "0"]
