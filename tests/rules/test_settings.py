"""The site's own Rules Submission: points that sources answer differently, and wagers that only the profile defines."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from handreplay.config import load_profile
from handreplay.core.events import CardPlaced
from handreplay.errors import ProfileError
from handreplay.games import game_of, log_limits
from handreplay.games.table import Odds, SiteWager, WrittenPaytable
from handreplay.rules import audit_rounds
from handreplay.rules.typed_settlement import settle_typed
from tests.rules.rounds import ALL, HOLDEM, ordinary
from tests.rules.story import LETTERS, Story, declared, table, written
from tests.rules.test_exposures import glimpse
from tests.rules.test_misdeals import extra_card
from tests.rules.test_typed import due, settled

THREES = "dealer Kh 4c board 7s 7h 7d Ac Ks 1: 3c 2d ante 10 blind 10 trips 10"
ACE_HIGH = "dealer Ac 4h board 2s 5d 9c Jh Kd 1: Qs 8h ante 10 odds 10 raise 10"


def test_trips_outlives_a_fold_unless_the_house_says_otherwise() -> None:
    assert due(settled(THREES))[(1, "trips")] == ("win", 3000)
    assert due(settled(THREES, options={"trips_on_fold": "lost"}))[(1, "trips")] == ("lose", 0)


def test_a_house_may_let_trips_push_against_a_higher_dealer() -> None:
    words = THREES.replace("3c 2d", "Qc 2d") + " play 10"
    assert due(settled(words))[(1, "trips")] == ("win", 3000)
    assert due(settled(words, options={"trips_against_higher_dealer": "pushes"}))[(1, "trips")] == ("push", 0)


def test_a_dealer_without_a_pair_folds_where_the_house_says_so_and_the_odds_must_be_said_too() -> None:
    assert due(settled(ACE_HIGH, "pa-677a"))[(1, "raise")] == ("lose", 0)
    folds: dict[str, Any] = {"dealer_without_pair": "folds"}
    with pytest.raises(ProfileError, match="odds_when_dealer_folds"):
        settled(ACE_HIGH, "pa-677a", options=folds)
    for said, wanted in (("open", ("unsettled", None)), ("pushes", ("push", 0)), ("plays", ("lose", 0))):
        found = due(settled(ACE_HIGH, "pa-677a", options=folds | {"odds_when_dealer_folds": said}))
        assert found == {(1, "ante"): ("push", 0), (1, "raise"): ("win", 1000), (1, "odds"): wanted}


def test_an_open_point_is_a_question_in_a_replayed_round_and_no_fault() -> None:
    options = {"dealer_without_pair": "folds", "odds_when_dealer_folds": "open"}
    seats = {1: {"hand": "Qs 8h", "ante": 10, "odds": 10, "later": (10, 2)}}
    story = Story("pa-677a", seats, "Ac 4h", "2s 5d 9c Jh Kd", options=options)
    assert [(f.code, f.status, f.wager) for f in story.audit().findings] == [("FT04", "review", "odds")]


def test_a_bad_beat_below_a_straight_needs_to_be_named() -> None:
    pair_pays = replace(written("bad_beat"), entries=(*written("bad_beat").entries, Odds("two_pair", 2, 1, "to")))
    tables = (pair_pays, *(written(w) for w in ("odds", "pocket_bonus", "trips_plus")))
    with pytest.raises(ProfileError, match="bad_beat_from"):
        game_of(table("pa-677a", written=tables))
    words = "dealer Kc Kd board Qh Qd 7s 3c 2h 1: 7d 8h ante 10 odds 10 raise 10"
    found = settled(words, "pa-677a", written=tables, options={"bad_beat_from": "two_pair"})
    assert due(found)[(1, "odds")] == ("win", 2000)


@pytest.mark.parametrize(("rules", "option"), [("pa-653a", "first_play"), ("pa-677a", "first_raise")])
def test_the_first_multiples_are_the_houses_when_it_names_them(rules: str, option: str) -> None:
    seats = {1: ordinary(rules).seats[1] | {"later": (75, 0)}}
    for multiples, codes in (((3,), []), ((2,), ["WG02"])):
        story = Story(rules, seats, "7d Jc", "Kh 7h 2h As 3c", options={option: multiples})
        assert [code for code, *_ in story.codes()] == codes


def test_ante_and_aces_up_must_be_equal_only_where_the_house_says_so() -> None:
    assert ordinary("pa-641a").codes() == []
    assert ordinary("pa-641a", options={"aces_up_equals_ante": True}).codes() == [
        ("WG01", 1, "aces_up", 0),
        ("WG01", 4, "aces_up", 0),
    ]
    alone = Story("pa-641a", {5: {"hand": "3h 7s 9s Tc Jd", "aces_up": 5}}, "Ad Kc 9c 3d 5s 8h")
    assert alone.codes() == []


def test_pair_plus_may_outlive_a_fold_or_a_wrong_number_of_cards() -> None:
    words = "dealer Kh 9c 4d 1: Ac Ad 5s ante 10 pair_plus 5 fold"
    assert due(settled(words, "pa-649a"))[(1, "pair_plus")] == ("lose", 0)
    kept = {"pair_plus_on_fold": "plays", "fold_keeps_six_card_bonus": True}
    assert due(settled(words, "pa-649a", options=kept))[(1, "pair_plus")] == ("win", 500)
    story = ordinary("pa-649a", options={"pair_plus_on_wrong_count": "plays"})
    extra_card(story, "dealer")
    story.broken_off = "deal"
    rows = {(r.seat, r.wager): r.expected.result for r in story.audit().rounds[0].settlement}
    assert rows[(1, "ante")] == "returned" and rows[(1, "pair_plus")] != "returned"


@pytest.mark.parametrize("rules", HOLDEM)
def test_a_players_card_that_shows_in_the_deal_does_what_the_house_says(rules: str) -> None:
    def shown(**changes: Any) -> Story:
        story = ordinary(rules, **changes)
        card = story.phases["deal"][0]
        assert isinstance(card, CardPlaced)
        story.phases["deal"][0] = replace(card, face="up", identity=story.identity(card.card))
        story.phases["deal"].insert(1, story.turn(card.card, "down"))
        return story

    assert shown().codes() == []
    void = shown(options={"exposed_player_card": "void"})
    assert [code for code, *_ in replace_played_on(void).codes()] == ["MD09"]
    void.broken_off, void.played_on = "deal", False
    assert void.codes() == []
    replaced = shown(options={"exposed_player_card": "discarded"})
    seat = f"seat{min(replaced.seats)}"
    exposed = replaced.names[seat][0]
    replaced.phases["deal"].insert(2, replaced.rack(exposed))
    replaced.names[seat].remove(exposed)
    new = replaced.place(seat)
    replaced.names[seat].insert(0, replaced.names[seat].pop())
    replaced.faces["gone"] = [replaced.faces[seat].pop(0)]
    replaced.faces[seat].insert(0, "6c")
    replaced.phases["deal"].insert(3, new)
    replaced.names["gone"] = [exposed]
    assert "MD01" not in [code for code, *_ in replaced.codes()]


def replace_played_on(story: Story) -> Story:
    story.played_on = True
    return story


# ---- wagers that only the profile defines


def site(rules: str, wager: SiteWager, odds: tuple[Odds, ...], **changes: Any) -> dict[str, Any]:
    own = WrittenPaytable(wager.name, "site", odds)
    paytables = {**LETTERS[rules], wager.name: "site"} | changes.pop("paytables", {})
    written_out = (*table(rules).written, own, *changes.pop("written", ()))
    return {"site_wagers": (wager,), "paytables": paytables, "written": written_out} | changes


BAD_BEAT = SiteWager(
    name="bad_beat_bonus",
    title="Bad Beat Bonus",
    looks_at="loser",
    ranking="five-card",
    on_fold="lost",
    on_void="returned",
)
BAD_BEAT_ODDS = (Odds("straight", 20, 1, "to"), Odds("three_of_a_kind", 9, 1, "to"))
PROGRESSIVE = SiteWager(
    name="progressive",
    title="Five Card Progressive",
    looks_at="hand+community",
    ranking="five-card",
    on_fold="plays",
    on_void="plays",
    chips="tray",
    counts_towards_limit=False,
    envy=True,
)
PROGRESSIVE_ODDS = (Odds("royal_flush", 100, 100, "percent_of_meter"), Odds("flush", 40, 1, "for"))


def test_a_bad_beat_wager_is_settled_on_the_lower_of_two_hands() -> None:
    changes = site("pa-653a", BAD_BEAT, BAD_BEAT_ODDS)
    for words, wanted in (
        ("dealer Kh 4c board 7s 7h 7d Ac Ks 1: Qc 2d ante 10 blind 10 play 10", ("win", 4500)),  # three sevens beaten
        ("dealer 2h 4c board 7s 7h 9d Ac Ks 1: 7c 2d ante 10 blind 10 play 10", ("lose", 0)),  # the loser: a pair
        ("dealer 2h 4c board As Ks Qs Js Ts 1: 7c 2d ante 10 blind 10 play 10", ("lose", 0)),  # nobody is beaten
        ("dealer Kh 4c board 7s 7h 7d Ac Ks 1: Qc 2d ante 10 blind 10 fold", ("lose", 0)),
    ):
        assert due(settled(f"{words} bad beat bonus 5", **changes))[(1, "bad_beat_bonus")] == wanted


def with_progressive(**changes: Any) -> Story:
    envy = WrittenPaytable("envy", "site", (Odds("flush", 25, 1, "fixed_usd"),))
    made = site("pa-653a", PROGRESSIVE, PROGRESSIVE_ODDS, paytables={"envy": "site"}, written=(envy,), **changes)
    seats = {seat: dict(told) for seat, told in ordinary("pa-653a").seats.items()}
    for told in seats.values():
        told["progressive"] = 5
    return Story("pa-653a", seats, "7d Jc", "Kh 7h 2h As 3c", **made)


def test_a_progressive_of_the_sites_own_goes_to_the_tray_and_brings_envy() -> None:
    story = with_progressive()
    assert story.codes() == []
    rows = {(row.seat, row.wager): row.expected for row in story.audit().rounds[0].settlement}
    assert (rows[(3, "progressive")].result, rows[(3, "progressive")].pay_cents) == ("win", 20_000)
    assert rows[(1, "envy")].pay_cents == rows[(4, "envy")].pay_cents == 2500 and (3, "envy") not in rows
    story.done[(3, "progressive")] = "leave"
    assert story.codes() == [("PY01", 3, "progressive", -20_000)]


def test_it_plays_on_after_an_exposed_card_where_the_profile_says_so() -> None:
    story = with_progressive()
    glimpse(story, "decision 0")
    for phase in ("decision 0", "decision 1", "decision 2"):
        story.phases[phase] = [e for e in story.phases[phase] if not hasattr(e, "zone") or "play" not in e.zone][:2]
    rows = {(row.seat, row.wager): row.expected.result for row in story.audit().rounds[0].settlement}
    assert rows[(3, "progressive")] == "win" and rows[(3, "ante")] == "returned" and rows[(1, "trips")] != "returned"


@pytest.mark.parametrize(
    ("boxes", "players", "codes"), [(1, None, []), (2, [[3, 4], [1]], ["PY02"]), (2, None, ["FT04"])]
)
def test_nobody_has_envy_of_a_box_of_ones_own(boxes: int, players: Any, codes: list[str]) -> None:
    story = with_progressive()
    round_ = replace(story.told(), extra={} if players is None else {"players": players})
    audit = audit_rounds([round_], replace(story.table, boxes_per_player=boxes))
    assert [(f.code, f.seat, f.wager) for f in audit.findings] == [(code, 4, "envy") for code in codes]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"looks_at": "dealer+community"}, "no such cards"),
        ({"ranking": "five-card"}, "does not fit"),
        ({"ranking": "three-card", "name": "ante"}, "another name"),
    ],
)
def test_a_wager_that_the_games_cards_cannot_decide_is_refused(change: dict[str, Any], says: str) -> None:
    wager = replace(BAD_BEAT, **({"looks_at": "hand", "ranking": "three-card"} | change))
    with pytest.raises(ProfileError, match=says):
        game_of(table("pa-649a", **site("pa-649a", wager, (Odds("flush", 4, 1, "to"),))))


def test_a_wager_without_a_paytable_is_refused_and_its_zone_is_known_to_logs() -> None:
    with pytest.raises(ProfileError, match="no paytable"):
        game_of(table("pa-653a", site_wagers=(BAD_BEAT,)))
    limits = log_limits(table("pa-653a", site_wagers=(BAD_BEAT,)))
    assert limits.wagers and "bad_beat_bonus" in limits.wagers


def test_chips_on_a_wager_that_the_profile_does_not_offer_are_a_question() -> None:
    story = ordinary("pa-653a")
    own = replace(story.table, paytables={"blind": "A"})
    audit = audit_rounds([story.told()], own)
    assert {(f.code, f.seat, f.wager) for f in audit.findings} == {("FT04", 1, "trips"), ("FT04", 4, "trips")}
    assert "no paytable" in audit.findings[0].message


def test_a_jam_still_returns_what_plays_on_elsewhere() -> None:
    story = with_progressive(dealing="automated-shoe")
    story.phases["deal"].append(declared("shoe_jam"))
    story.broken_off = "deal"
    assert story.codes() == []


# ---- in the profile

PROFILE = """
[[wager]]
name = "bad_beat_bonus"
looks_at = "loser"
ranking = "five-card"
on_fold = "lost"
on_void = "returned"

[[paytable]]
wager = "bad_beat_bonus"
name = "C"
entries = [{ hand = "straight", num = 20, den = 1, kind = "to" }]

[options]
trips_on_fold = "lost"
first_play = [3]
"""


def profile(folder: Path, text: str = PROFILE, old: str = "", new: str = "", game: str = "sample") -> Path:
    sample = (Path(__file__).parents[2] / "sample_footage" / "uth-sample.table.toml").read_text()
    path = folder / "t.table.toml"
    path.write_text(
        sample.replace('trips = "B"', 'trips = "B"\nbad_beat_bonus = "C"') + (text.replace(old, new) if old else text)
    )
    return path


def test_a_profile_defines_a_wager_and_answers_open_points(tmp_path: Path) -> None:
    own = load_profile(profile(tmp_path)).rules()
    assert own.site_wagers[0].title == "Bad Beat Bonus" and own.options["first_play"] == (3,)
    game = game_of(own)
    assert str(game.decisions[0].multiples) == "3x Ante" and game.wager("trips").lost_by_fold
    assert game.wager("bad_beat_bonus").hangs_on == ("hand", "dealer", "community")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('on_fold = "lost"\n', "", "on_fold"),
        ('looks_at = "loser"', 'looks_at = "winner"', "looks_at"),
        ('trips_on_fold = "lost"', 'trips_on_fold = "burnt"', "trips_on_fold"),
        ('trips_on_fold = "lost"', 'trip_on_fold = "lost"', "trips_on_fold"),
        ("first_play = [3]", "first_play = 3", "first_play"),
        ("first_play = [3]", "first_play = []", "first_play"),
        ('hand = "straight"', 'hand = "strait"', "straight"),
        ('name = "bad_beat_bonus"', 'name = "bad_beat"', "bad_beat"),
    ],
)
def test_what_is_wrong_in_it_is_refused_with_its_key(tmp_path: Path, old: str, new: str, says: str) -> None:
    with pytest.raises(ProfileError) as refusal:
        game_of(load_profile(profile(tmp_path, old=old, new=new)).rules())
    assert says in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_wager_of_the_sites_own_may_take_a_paytable_that_the_chapter_prints(tmp_path: Path) -> None:
    start = PROFILE.index("[[paytable]]")
    own = load_profile(profile(tmp_path, PROFILE[:start] + PROFILE[PROFILE.index("[options]") :])).rules()
    words = ["dealer Kh 4c board 7s 7h 7d Ac Ks 1: Qc 2d ante 10 blind 10 play 10 bad beat bonus 5"]
    row = settle_typed(words, own).rows[-1]
    assert (row.expected.pay_cents, row.stands_on.section) == (4500, "58 Pa. Code 653b.3(b)")


def test_a_zone_of_a_defined_wager_may_be_drawn_and_is_missed_when_it_is_not(tmp_path: Path) -> None:
    warnings = load_profile(profile(tmp_path)).warnings
    assert 'zones: "seat1.bad_beat_bonus" is not drawn; what lies there is not seen' in warnings
    corners = "[[0.0, 900.0], [60.0, 900.0], [60.0, 960.0], [0.0, 960.0]]"
    zone = f'\n[[zones]]\nname = "seat1.bad_beat_bonus"\npolygon = {corners}\n'
    drawn = profile(tmp_path, PROFILE + zone)
    assert not [w for w in load_profile(drawn).warnings if "seat1.bad_beat_bonus" in w]


# ---- a hand that its player may have voided

CHOICE: dict[str, Any] = {"exposed_player_card": "players_choice"}


def with_a_card_shown(rules: str, optional: str | None, **changes: Any) -> Story:
    """The ordinary round, in which the first card of seat 1 shows during the deal."""
    said = {} if optional is None else {"optional_wagers_of_voided_hand": optional}
    story = ordinary(rules, options=CHOICE | said, **changes)
    card = story.phases["deal"][0]
    assert isinstance(card, CardPlaced)
    story.phases["deal"][0] = replace(card, face="up", identity=story.identity(card.card))
    story.phases["deal"].insert(1, story.turn(card.card, "down"))
    return story


def voided(story: Story, optional: str) -> Story:
    """Seat 1 has its hand voided: it decides nothing, and its wagers go back, but for optional ones that play."""
    own = {"seat1." + wager.name for wager in story.game.wagers}
    for name in [name for name in story.phases if name.startswith("decision")]:
        story.phases[name] = [e for e in story.phases[name] if getattr(e, "zone", "") not in own]
    story.seats[1].pop("later", None)
    story.seats[1].pop("at", None)
    for wager in story.game.wagers:
        zone = f"seat1.{wager.name}"
        story.lies[zone] = int(story.seats[1].get(wager.name, 0) * 100)
        plays = optional == "plays" and (wager.optional or wager.role == "side")
        if story.lies[zone] and wager.role in ("base", "side") and not plays:
            story.phases["deal"].append(story.changed(1, wager.name, 0, "dealer", to="player"))
            story.done[1, wager.name] = "leave"
        if wager.role == "progressive" and wager.name in story.seats[1]:
            story.lies[zone] = 0
            if optional == "returned":
                story.done[1, wager.name] = int(story.seats[1][wager.name] * 100)
    return story


@pytest.mark.parametrize("rules", ALL)
def test_where_a_player_may_have_a_hand_voided_what_its_optional_wagers_get_must_be_said(rules: str) -> None:
    with pytest.raises(ProfileError, match="optional_wagers_of_voided_hand is missing"):
        with_a_card_shown(rules, None)


@pytest.mark.parametrize("rules", ALL)
@pytest.mark.parametrize("optional", ["returned", "plays"])
def test_a_player_whose_card_showed_may_play_on_or_have_the_hand_voided(rules: str, optional: str) -> None:
    assert with_a_card_shown(rules, optional).codes() == []
    story = voided(with_a_card_shown(rules, optional), optional)
    audit = story.audit()
    assert [f.message for f in audit.findings] == [] and audit.rounds[0].verdict == "clean"
    rows = {row.wager: row.expected.result for row in audit.rounds[0].settlement if row.seat == 1}
    base = "bet3" if rules == "pa-643a" else "ante"
    assert rows[base] == "returned"
    sides = [w.name for w in story.game.wagers if w.name in rows and (w.optional or w.role == "side")]
    assert all((rows[name] == "returned") == (optional == "returned") for name in sides)


@pytest.mark.parametrize("rules", ALL)
def test_without_a_card_that_showed_no_hand_is_voided_by_its_player(rules: str) -> None:
    story = ordinary(rules, options=CHOICE | {"optional_wagers_of_voided_hand": "returned"})
    codes = {code for code, *_ in voided(story, "returned").codes()}
    assert "WG04" in codes
