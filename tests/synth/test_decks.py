"""Decks drawn for training look like decks: 52 different faces, the same every time, and different from one another."""

import pytest

pytest.importorskip("PIL", reason="drawing decks needs the train extra")

import numpy as np

from handreplay.core.cards import DECK
from handreplay.errors import ModelError
from handreplay.synth.decks import load_decks
from handreplay.synth.faces import HEIGHT_PX, WIDTH_PX


def test_every_card_of_a_deck_has_a_face_of_its_own():
    for deck in load_decks(3, None, drawn=3):
        faces = {deck.face(card).tobytes() for card in DECK}
        assert len(faces) == len(DECK), deck.name


def test_faces_and_backs_are_4_px_per_mm_with_rounded_corners():
    deck = load_decks(5, None, drawn=1)[0]
    for picture in (deck.face("Td"), deck.back(2)):
        assert picture.shape == (HEIGHT_PX, WIDTH_PX, 4)
        assert picture.dtype == np.uint8
        assert picture[0, 0, 3] == 0
        assert picture[HEIGHT_PX // 2, WIDTH_PX // 2, 3] == 255


def test_the_same_seed_draws_the_same_decks_and_another_seed_others():
    first, again, other = (load_decks(seed, None, drawn=2)[1] for seed in (7, 7, 8))
    assert np.array_equal(first.face("Qs"), again.face("Qs"))
    assert np.array_equal(first.back(1), again.back(1))
    assert not np.array_equal(first.face("Qs"), other.face("Qs"))


def test_a_two_ended_face_reads_the_same_from_both_ends_where_the_indices_are():
    deck = next(d for d in load_decks(11, None, drawn=20) if d.style.index_order == "rank over suit")
    face = deck.face("Kh")[:, :, :3].astype(int)
    corner = np.s_[: HEIGHT_PX // 8, : WIDTH_PX // 8]
    assert np.abs(face[corner] - face[::-1, ::-1][corner]).mean() < 2


def test_a_six_is_no_nine_upside_down():
    for deck in load_decks(13, None, drawn=6):
        six, nine = deck.face("6s").astype(int), deck.face("9s").astype(int)
        assert np.abs(six - nine[::-1, ::-1]).mean() > 0.5, deck.name


def test_artwork_is_used_only_where_all_52_cards_are_there(tmp_path):
    for deck, cards in (("half", DECK[:26]), ("whole", DECK)):
        (tmp_path / deck).mkdir()
        for card in cards:
            (tmp_path / deck / f"{card}.png").write_bytes(b"")
    assert [deck.name for deck in load_decks(1, tmp_path, drawn=1)] == ["drawn-1-0", "whole"]


def test_a_folder_without_a_whole_deck_is_no_artwork(tmp_path):
    (tmp_path / "decks" / "half").mkdir(parents=True)
    with pytest.raises(ModelError, match=r"decks: holds no deck of 52 pictures"):
        load_decks(1, tmp_path / "decks", drawn=1)
