"""Several looks at one card, and the 52 different cards of one deck."""

from handreplay.core.cards import DECK
from handreplay.core.readings import Known, Unreadable
from handreplay.reconstruct.votes import CardVotes, one_deck


def spread(**shares: float) -> list[float]:
    rest = (1 - sum(shares.values())) / (len(DECK) - len(shares))
    return [shares.get(card, rest) for card in DECK]


def votes(*looks: list[float]) -> CardVotes:
    made = CardVotes()
    for look in looks:
        made.add(look)
    return made


def test_looks_that_agree_are_surer_than_one() -> None:
    one = spread(**{"8h": 0.8, "6h": 0.15})
    assert votes(*[one] * 5).probabilities()["8h"] > 0.9


def test_a_hundred_like_looks_are_not_a_hundred_witnesses() -> None:
    one = spread(**{"8h": 0.55, "6h": 0.4})
    assert votes(*[one] * 100).probabilities()["8h"] < 0.9


def test_one_odd_look_does_not_outvote_nine() -> None:
    looks = [spread(**{"Ks": 0.9})] * 9 + [spread(**{"Qd": 0.9999})]
    assert votes(*looks).probabilities()["Ks"] > 0.95


def test_a_card_whose_face_never_showed_is_not_read() -> None:
    assert votes([]).probabilities() == {}
    assert isinstance(one_deck({"c01": votes()})["c01"], Unreadable)


def test_an_eight_seen_elsewhere_settles_a_six_that_could_be_it() -> None:
    read = one_deck({"c01": votes(spread(**{"8s": 0.5, "6s": 0.49})), "c02": votes(spread(**{"8s": 0.97}))})
    assert [reading.value for reading in read.values() if isinstance(reading, Known)] == ["6s", "8s"]


def test_two_cards_that_are_surely_the_same_both_stay() -> None:
    ace = spread(**{"Ah": 0.995})
    read = one_deck({"c01": votes(ace), "c02": votes(spread(**{"Kd": 0.95})), "c03": votes(ace)})
    assert [reading.value for reading in read.values() if isinstance(reading, Known)] == ["Ah", "Kd", "Ah"]


def test_a_card_that_is_surely_elsewhere_is_not_this_one_because_it_was_looked_at_often() -> None:
    queen = spread(Qs=0.95, Qc=0.045)
    read = one_deck({"c01": votes(*[queen] * 4), "c02": votes(spread(Qs=0.999))})
    assert isinstance(read["c01"], Unreadable) or read["c01"].value == "Qc"
    assert votes(*[queen] * 4).probabilities()["Qs"] > 0.98


def test_of_two_that_look_like_one_card_and_neither_surely_neither_is_known() -> None:
    read = one_deck({"c01": votes(*[spread(Qs=0.96, Qc=0.035)] * 4), "c02": votes(spread(Qs=0.95, Ks=0.045))})
    assert "Qs" not in [reading.value for reading in read.values() if isinstance(reading, Known)]
    assert isinstance(read["c01"], Unreadable) and read["c01"].candidates[0][0] == "Qs"


def test_a_card_elsewhere_that_is_seen_twice_is_no_other_card_left_over() -> None:
    read = one_deck({"c01": votes(spread(Qs=0.83, Qh=0.165)), "c02": votes(spread(Qs=0.999))})
    assert isinstance(read["c01"], Unreadable)
    assert isinstance(read["c02"], Known) and read["c02"].value == "Qs"


def test_a_strip_that_is_read_as_a_card_seen_elsewhere_was_misread() -> None:
    strip = CardVotes()
    strip.add(spread(**{"3d": 0.9999}), whole=False)
    read = one_deck({"c01": strip, "c02": votes(spread(**{"3d": 0.99}))})
    assert isinstance(read["c01"], Unreadable)
    assert isinstance(read["c02"], Known) and read["c02"].value == "3d"
