"""The table profile is checked once, at the door."""

import contextlib
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handreplay.config import load_profile
from handreplay.config_layout import GAMES, standard_zones, zone_names
from handreplay.config_shapes import contains, crosses_itself, on_one_line, shared_share
from handreplay.errors import ProfileError

PROFILE = """
schema = "handreplay.table/1"
[table]
id = "UTH-07"
game = "ultimate-texas-holdem"
rules = "pa-653a"
seats = 6
dealing = "hand"
shuffler_counts_deck = true
decks = 2
timezone = "America/New_York"
minimum_cents = 1000
maximum_cents = 50000
[paytables]
blind = "A"
trips = "C"
[limits]
aggregate_payout_cents = 5000000
rounding = "down"
smallest_chip_cents = 50
[[chips]]
value = "5"
face = "#b3262e"
edge = "#f2efe6"
diameter_mm = 39.0
thickness_mm = 3.3
[[chips]]
value = "0.50"
face = "#d78fae"
edge = "#f4f1e8"
[deck]
card_mm = [63.5, 88.9]
backs = ["#9b1c2c", "#1c3f8f"]
[camera]
size = [1920, 1080]
image_points = [[412.0, 188.0], [1507.5, 190.0], [1731.0, 902.0], [188.0, 899.0]]
table_points = [[-700.0, 120.0], [700.0, 120.0], [700.0, 860.0], [-700.0, 860.0]]
distortion = [0.0, 0.0, 0.0, 0.0, 0.0]
focal_px = 1510.0
position_mm = [0.0, 300.0, 2400.0]
[[zones]]
name = "seat1.ante"
polygon = [[610.0, 402.0], [686.0, 402.0], [686.0, 478.0], [610.0, 478.0]]
[[zones]]
name = "seat1.blind"
polygon = [[410.0, 402.0], [486.0, 402.0], [486.0, 478.0], [410.0, 478.0]]
"""

RULES_ONLY = PROFILE[: PROFILE.index("[camera]")]


def write(folder: Path, text: str) -> Path:
    path = folder / "t.table.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_profile_becomes_a_value_that_keeps_its_hash(tmp_path):
    profile = load_profile(write(tmp_path, PROFILE))
    assert profile.table.id == "UTH-07"
    assert profile.camera.size == (1920, 1080)
    assert profile.zones[0].polygon[0] == (610.0, 402.0)
    assert len(profile.sha256) == 64
    assert not profile.standard_layout
    rules = profile.rules()
    assert (rules.chips, rules.paytables["trips"], rules.smallest_chip_cents) == (("5", "0.50"), "C", 50)


def test_a_profile_cannot_be_changed_once_it_is_read(tmp_path):
    profile = load_profile(write(tmp_path, PROFILE))
    with pytest.raises(Exception, match="frozen"):
        profile.table.seats = 3
    with pytest.raises(TypeError):
        profile.paytables["blind"] = "B"


def test_chips_as_inline_tables_and_a_written_paytable_are_read(tmp_path):
    text = RULES_ONLY.replace('trips = "C"', 'trips = "site"') + (
        '[[paytable]]\nwager = "trips"\nname = "site"\n'
        'entries = [{ hand = "flush", num = 7, den = 1, kind = "to" }]\n[limits.wagers.trips]\nmaximum_cents = 10000\n'
    )
    rules = load_profile(write(tmp_path, text)).rules()
    assert rules.written[0].entries[0].num == 7
    assert rules.wager_limits["trips"] == (None, 10000)


def test_a_profile_without_zones_takes_the_standard_layout(tmp_path):
    profile = load_profile(write(tmp_path, RULES_ONLY))
    assert profile.standard_layout
    assert {zone.name for zone in profile.zones} == set(zone_names("ultimate-texas-holdem", 6))


def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path):
    path = tmp_path / "t.table.toml"
    path.write_bytes(b"\xef\xbb\xbf" + PROFILE.replace("\n", "\r\n").encode())
    assert load_profile(path).table.seats == 6


FAULTS = [
    ("seats = 6", "seets = 6", 'table: unknown key "seets"; did you mean "seats"?'),
    ("[deck]", "[dek]", 'unknown key "dek"; did you mean "deck"?'),
    ('value = "5"', 'valu = "5"', 'chips[1]: unknown key "valu"; did you mean "value"?'),
    ("size = [1920, 1080]", "size = [1920, 1080]\nfov = 60", 'camera: unknown key "fov"; known keys: size'),
    ('name = "seat1.blind"', 'name = "seat1.ante"', 'zones[2].name: "seat1.ante" is there twice'),
    ('name = "seat1.blind"', 'name = "seat1.blnd"', 'zones[2].name: unknown name "seat1.blnd"; did you mean'),
    ('name = "seat1.blind"', 'name = "seat7.blind"', "zones[2].name: unknown name"),
    (", [486.0, 478.0], [410.0, 478.0]]", "]", "zones[2].polygon: needs at least 3 items, has 2"),
    ("[486.0, 402.0], [486.0, 478.0]", "[486.0, 478.0], [486.0, 402.0]", "crosses itself"),
    ("[[410.0, 402.0], [486.0, 402.0], [486.0, 478.0], [410.0, 478.0]]",
     "[[600.0, 402.0], [660.0, 402.0], [660.0, 478.0], [600.0, 478.0]]", "overlap by"),
    ("[410.0, 402.0]", "[41000.0, 402.0]", "off the table"),
    ("[486.0, 402.0], [486.0, 478.0], [410.0, 478.0]", "[410.5, 402.0], [410.5, 402.5]", "smaller than a chip"),
    ('game = "ultimate-texas-holdem"', 'game = "ultimate-texas-holdm"', "did you mean"),
    ('game = "ultimate-texas-holdem"', 'game = "blackjack"', 'no rules for the game "blackjack"'),
    ('rules = "pa-653a"', 'rules = "pa-649a"', 'table.rules: "pa-649a" is a rule set of "three-card-poker"'),
    ('rules = "pa-653a"', 'rules = "pa-653"', 'table.rules: "pa-653" is no known rule set; did you mean "pa-653a"?'),
    ('value = "5"', 'value = "5.005"', "chips[1].value"),
    ('value = "5"', 'value = "five"', "is no amount in dollars"),
    ('value = "5"', "value = 5", "chips[1].value: must be text in quotes"),
    ('value = "5"', 'value = "0.5"', "chips[2].value"),
    ('value = "5"', 'value = "٥"', "is no amount in dollars"),
    ("#b3262e", "#b3262", 'chips[1].face: "#b3262" is no colour'),
    ("#9b1c2c", "red", "deck.backs[1]"),
    (", [188.0, 899.0]]", "]", "camera.image_points: needs at least 4 items, has 3"),
    (", [-700.0, 860.0]]", ", [-700.0, 860.0], [0.0, 0.0]]", "5 points for 4 image_points"),
    ("[[412.0, 188.0], [1507.5, 190.0], [1731.0, 902.0], [188.0, 899.0]]",
     "[[100.0, 100.0], [200.0, 200.0], [300.0, 300.0], [400.0, 400.0]]", "lie on one line"),
    ("[412.0, 188.0]", "[4120.0, 188.0]", "far outside the 1920x1080 picture"),
    ("[412.0, 188.0]", "[412.0, nan]", "camera.image_points[1][2]"),
    ("[0.0, 0.0, 0.0, 0.0, 0.0]\nfocal_px = 1510.0", "[0.1, 0.0, 0.0, 0.0, 0.0]", "camera.focal_px: is missing"),
    ("[0.0, 0.0, 0.0, 0.0, 0.0]", "[0.1, 0.0]", "camera.distortion: needs 4, 5 or 8 numbers"),
    ("2400.0]", "24.0]", "camera.position_mm"),
    ('blind = "A"', "", "paytables.blind: is missing"),
    ('blind = "A"', 'blind = "C"', 'paytables.blind: no paytable "C"'),
    ('blind = "A"', 'blynd = "A"', 'paytables: unknown name "blynd"; did you mean "blind"?'),
    ("minimum_cents = 1000", "minimum_cents = 100000", "is above table.maximum_cents"),
    ("minimum_cents = 1000", "minimum_cents = true", "table.minimum_cents: must be a whole number"),
    ("seats = 6", "seats = 9", "more than the 6 seats"),
    ('rounding = "down"', 'rounding = "maybe"', 'limits.rounding: "maybe" is not allowed'),
    ('timezone = "America/New_York"', 'timezone = "../etc"', "table.timezone"),
    ("handreplay.table/1", "handreplay.table/9", "schema"),
    ("[deck]", "[options]\nfold = true\n[deck]", 'options: unknown key "fold"'),
    ("seats = 6", "seats = ", "is not valid TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "says"), FAULTS)
def test_a_fault_names_the_file_and_the_key(tmp_path, old, new, says):
    assert PROFILE.count(old) >= 1
    path = write(tmp_path, PROFILE.replace(old, new, 1))
    with pytest.raises(ProfileError) as caught:
        load_profile(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert says in message
    assert "\n" not in message and len(message) < 500


def test_what_is_no_readable_text_file_is_refused_with_a_reason(tmp_path):
    cases = {"latin.toml": 'a = "é"'.encode("latin-1"), "wide.toml": PROFILE.encode("utf-16"), "zero.toml": b"",
             "huge.toml": b"# " + b"x" * 1_000_001, "deep.toml": b"a = " + b"[" * 5000,
             "long.toml": b"a = " + b"9" * 5000}  # fmt: skip
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ProfileError, match=re.escape(name)):
            load_profile(tmp_path / name)
    with pytest.raises(ProfileError, match="is a folder"):
        load_profile(tmp_path)
    with pytest.raises(ProfileError, match="no such table profile"):
        load_profile(tmp_path / "none.toml")


def test_what_is_odd_but_usable_is_a_warning(tmp_path):
    text = PROFILE.replace('backs = ["#9b1c2c", "#1c3f8f"]', 'backs = ["#9b1c2c"]')
    warnings = load_profile(write(tmp_path, text)).warnings
    assert any("back colours" in warning for warning in warnings)
    assert any('"community" is not drawn' in warning for warning in warnings)


@pytest.mark.parametrize("game", GAMES)
def test_standard_zones_never_overlap_or_cross(game):
    for seats in range(1, GAMES[game].seats + 1):
        zones = standard_zones(game, seats, GAMES[game].optional)
        outlines = list(zones.values())
        assert not any(crosses_itself(outline) for outline in outlines)
        for number, outline in enumerate(outlines):
            assert all(shared_share(outline, other) <= 0.02 for other in outlines[:number])


def test_an_optional_wager_without_a_paytable_is_not_in_the_standard_layout():
    assert "seat1.trips" not in standard_zones("ultimate-texas-holdem", 6, {"blind"})


def test_seat_1_sits_at_the_dealers_left_which_is_plus_x():
    zones = standard_zones("ultimate-texas-holdem", 6, ())
    assert zones["seat1.ante"][0][0] > 500 > -500 > zones["seat6.ante"][0][0]


@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=4, max_size=9), st.floats(-5, 5))
@settings(max_examples=50)
def test_points_on_a_line_are_found_wherever_the_line_runs(points, slope):
    assert on_one_line([(x, slope * x + 1.0) for x, _ in points])
    assert not on_one_line([*points, (90.0, -40.0), (-80.0, 70.0), (70.0, 80.0)])


def test_a_point_in_the_dent_of_an_outline_is_outside():
    outline = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (5.0, 2.0), (0.0, 10.0)]
    assert contains(outline, (1.0, 5.0))
    assert not contains(outline, (5.0, 5.0))


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_no_text_makes_it_fail_in_any_other_way(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "fuzz.toml"
    path.write_text(PROFILE.replace("decks = 2", f"decks = 2\n{text}"), encoding="utf-8", errors="surrogateescape")
    with contextlib.suppress(ProfileError):
        load_profile(path)
