"""Training crops for the card reader are labelled, repeatable and of one size."""

import pytest

pytest.importorskip("PIL", reason="drawing decks needs the train extra")

import numpy as np

from handreplay.core.cards import DECK
from handreplay.synth.card_crops import KINDS, CropMaker
from handreplay.synth.decks import load_decks
from handreplay.vision.straighten import CROP_HEIGHT_PX, CROP_WIDTH_PX


@pytest.fixture(scope="module")
def decks():
    return load_decks(21, None, drawn=2)


def test_the_same_seed_makes_the_same_crops(decks):
    first, again, other = (CropMaker(decks, seed, shots=1).sheet(6) for seed in (4, 4, 5))
    assert all(np.array_equal(a.picture, b.picture) and a.card == b.card for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.picture, b.picture) for a, b in zip(first, other, strict=True))


def test_labels_say_what_can_be_told_from_the_crop(decks):
    crops = CropMaker(decks, 6, shots=1).sheet(60)
    assert {crop.kind for crop in crops} == set(range(len(KINDS)))
    for crop in crops:
        assert crop.picture.shape == (CROP_HEIGHT_PX, CROP_WIDTH_PX, 3)
        assert (crop.card >= 0) == (KINDS[crop.kind] == "face")
        if crop.readable:
            assert crop.visible >= 0.8 or any(crop.index_shown)
        if KINDS[crop.kind] != "face":
            assert not crop.readable


def test_every_camera_that_photographs_a_scene_sees_the_same_card(decks):
    crops = CropMaker(decks, 8, shots=2).sheet(5)
    assert [crop.card for crop in crops[:5]] == [crop.card for crop in crops[5:]]
    assert not np.array_equal(crops[0].picture, crops[5].picture)


def test_many_cards_lie_in_fans_with_one_index_in_sight(decks):
    faces = [crop for crop in CropMaker(decks, 9, shots=1).sheet(80) if crop.card >= 0]
    strips = [crop for crop in faces if crop.visible < 0.6 and sum(crop.index_shown) == 1]
    assert len(strips) > len(faces) / 10


def test_black_cards_come_more_often_than_red_ones(decks):
    faces = [crop for crop in CropMaker(decks, 10, shots=1).sheet(150) if crop.card >= 0]
    black = sum(DECK[crop.card][1] in "cs" for crop in faces)
    assert 0.52 < black / len(faces) < 0.75
