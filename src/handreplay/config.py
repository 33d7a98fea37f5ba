"""The table profile: checked once at the door, a frozen value inside (FORMATS.md, section 1).

Every fault is a ProfileError in one line that names the file, the key and what to do. Unknown keys are refused at
every level, since a misspelt limit that is silently left out would let a wrong payout pass.
"""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from handreplay import config_layout, config_shapes
from handreplay.config_errors import explain, nearest
from handreplay.core.money import Cents, cents
from handreplay.errors import ProfileError
from handreplay.games import all_games
from handreplay.games.hands import known_labels
from handreplay.games.table import (
    Dealing,
    LooksAt,
    Odds,
    OddsKind,
    Ranking,
    Rounding,
    TableRules,
    WrittenPaytable,
)
from handreplay.games.table import SiteWager as DefinedWager

MAX_BYTES = 1_000_000
FARTHEST_MM = 3000.0  # no felt reaches farther from the dealer

Point = tuple[float, float]
Amount = Annotated[int, Field(ge=0, le=10**12)]
Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^\x00-\x1f\x7f]+$")]
OptionValue = bool | int | str | tuple[int, ...]


class _Section(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", allow_inf_nan=False)


def _denomination(value: str) -> str:
    if not re.fullmatch(r"[0-9]{1,7}(\.[0-9]{1,2})?", value) or Decimal(value) == 0:
        raise ValueError(f'"{value}" is no amount in dollars; write "5" or "0.50"')
    return value


def _timezone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError):  # unknown, malformed, or the name of a folder
        raise ValueError(f'"{value}" is no known time zone; write it like "America/New_York"') from None
    return value


def _distortion(value: tuple[float, ...]) -> tuple[float, ...]:
    if len(value) not in (0, 4, 5, 8):
        raise ValueError(f"needs 4, 5 or 8 numbers in OpenCV's order k1 k2 p1 p2 k3 ..., has {len(value)}")
    return value


class Table(_Section):
    id: Name
    game: Name
    rules: Name
    seats: Annotated[int, Field(ge=1, le=9)]
    dealing: Dealing
    shuffler_counts_deck: bool
    decks: Literal[1, 2] = 1
    timezone: Annotated[str, AfterValidator(_timezone)]
    minimum_cents: Annotated[int, Field(ge=1, le=10**12)]
    maximum_cents: Annotated[int, Field(ge=1, le=10**12)]
    boxes_per_player: Annotated[int, Field(ge=1, le=9)] = 1  # adjacent boxes, as the Rules Submission says


class WagerLimits(_Section):
    minimum_cents: Amount | None = None
    maximum_cents: Amount | None = None


class Limits(_Section):
    aggregate_payout_cents: Amount | None = None
    rounding: Rounding
    smallest_chip_cents: Annotated[int, Field(ge=1, le=10**9)]
    wagers: dict[str, WagerLimits] = {}  # [limits.wagers.trips]; the table's limits hold for the base wager


class Chip(_Section):
    value: Annotated[str, AfterValidator(_denomination)]
    face: Colour
    edge: Colour
    diameter_mm: Annotated[float, Field(ge=20.0, le=80.0)] = 39.0
    thickness_mm: Annotated[float, Field(ge=1.0, le=10.0)] = 3.3


class PaytableLine(_Section):
    hand: Name
    num: Annotated[int, Field(ge=0, le=10**9)]
    den: Annotated[int, Field(ge=1, le=10**6)]
    kind: OddsKind


class Paytable(_Section):
    wager: Name
    name: Name
    entries: Annotated[tuple[PaytableLine, ...], Field(min_length=1)]


class SiteWager(_Section):
    """`[[wager]]`: an optional wager that the chapter leaves to the site. What it takes to judge it has no default."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,40}$")]
    title: Name | None = None
    looks_at: LooksAt
    ranking: Ranking
    on_fold: Literal["plays", "lost"]
    on_void: Literal["plays", "returned"]
    chips: Literal["stay", "tray"] = "stay"
    counts_towards_limit: bool = True
    envy: bool = False


class Deck(_Section):
    card_mm: tuple[Annotated[float, Field(ge=30, le=120)], Annotated[float, Field(ge=40, le=160)]] = (63.5, 88.9)
    backs: tuple[Colour, ...] = ()
    # a card reader fitted to this deck, as `handreplay adapt` writes it: a file beside the profile, and how sure it is
    reader: Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,80}\.onnx$")] | None = None
    reader_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    reader_temperature: Annotated[float, Field(ge=0.3, le=4.0)] = 1.0

    @model_validator(mode="after")
    def _reader_has_its_hash(self) -> "Deck":
        if (self.reader is None) != (self.reader_sha256 is None):
            raise ValueError("reader and reader_sha256 belong together; give both, or neither")
        return self


class Camera(_Section):
    """Where felt points lie in the picture: pixels and millimetres in the same order."""

    size: tuple[Annotated[int, Field(ge=64, le=16384)], Annotated[int, Field(ge=64, le=16384)]]
    image_points: Annotated[tuple[Point, ...], Field(min_length=4, max_length=2000)]
    table_points: Annotated[tuple[Point, ...], Field(min_length=4, max_length=2000)]
    distortion: Annotated[tuple[float, ...], AfterValidator(_distortion)] = ()
    focal_px: Annotated[float, Field(gt=0, le=10**6)] | None = None
    principal_px: Point | None = None
    position_mm: tuple[float, float, float] | None = None


class Zone(_Section):
    name: Name
    polygon: Annotated[tuple[Point, ...], Field(min_length=3, max_length=200)]


class _File(_Section):
    schema_: Annotated[Literal["handreplay.table/1"], Field(alias="schema")]
    table: Table
    paytables: dict[str, Name] = {}
    limits: Limits
    chips: Annotated[tuple[Chip, ...], Field(min_length=1, max_length=40)]
    paytable: tuple[Paytable, ...] = ()
    wager: Annotated[tuple[SiteWager, ...], Field(max_length=12)] = ()
    options: dict[str, OptionValue] = {}
    deck: Deck = Deck()
    camera: Camera | None = None
    zones: Annotated[tuple[Zone, ...], Field(max_length=500)] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One table as its site describes it. `zones` are never empty: without any, the game's standard layout is taken."""

    path: Path
    sha256: str
    table: Table
    paytables: Mapping[str, str]
    written: tuple[Paytable, ...]
    site_wagers: tuple[SiteWager, ...]
    limits: Limits
    chips: tuple[Chip, ...]
    options: Mapping[str, OptionValue]
    deck: Deck
    camera: Camera | None  # None: the profile serves round logs only
    zones: tuple[Zone, ...]
    standard_layout: bool
    warnings: tuple[str, ...]

    def rules(self) -> TableRules:
        """The profile as the judging half takes it."""
        return TableRules(
            table=self.table.id,
            game=self.table.game,
            rules=self.table.rules,
            seats=self.table.seats,
            dealing=self.table.dealing,
            shuffler_counts_deck=self.table.shuffler_counts_deck,
            decks=self.table.decks,
            minimum_cents=self.table.minimum_cents,
            maximum_cents=self.table.maximum_cents,
            paytables=self.paytables,
            written=tuple(_written(paytable) for paytable in self.written),
            options=self.options,
            site_wagers=tuple(_site_wager(wager) for wager in self.site_wagers),
            boxes_per_player=self.table.boxes_per_player,
            wager_limits=MappingProxyType(
                {name: (limit.minimum_cents, limit.maximum_cents) for name, limit in self.limits.wagers.items()}
            ),
            aggregate_payout_cents=self.limits.aggregate_payout_cents,
            rounding=self.limits.rounding,
            smallest_chip_cents=self.limits.smallest_chip_cents,
            chips=tuple(chip.value for chip in self.chips),
        )


def load_profile(path: str | Path) -> Profile:
    """Read and check a table profile.

    Raises ProfileError, in one line with file, key and remedy, for anything that makes it unusable.
    """
    path = Path(path)
    data = _read(path)
    try:
        parsed = _File.model_validate(_frozen(_parse(path, data)))
    except ValidationError as error:
        raise ProfileError(f"{path}: {explain(error, _File)}") from None
    try:
        warnings = (*_check_table(parsed), *_check_money(parsed), *_check_camera(parsed), *_check_zones(parsed))
    except ValueError as fault:
        raise ProfileError(f"{path}: {fault}") from None
    zones = parsed.zones or _standard(parsed)
    return Profile(
        path=path,
        sha256=hashlib.sha256(data).hexdigest(),
        table=parsed.table,
        paytables=MappingProxyType(dict(parsed.paytables)),
        written=parsed.paytable,
        site_wagers=parsed.wager,
        limits=parsed.limits,
        chips=parsed.chips,
        options=MappingProxyType(dict(parsed.options)),
        deck=parsed.deck,
        camera=parsed.camera,
        zones=zones,
        standard_layout=not parsed.zones,
        warnings=warnings,
    )


def _read(path: Path) -> bytes:
    if path.is_dir():
        raise ProfileError(f"{path}: is a folder; name the table profile in it, a *.table.toml file")
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ProfileError(f"{path}: no such table profile; check the name") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProfileError(f"{path}: cannot be read ({reason})") from None
    if len(data) > MAX_BYTES:
        raise ProfileError(f"{path}: is larger than {MAX_BYTES // 1000} kB; this is no table profile")
    return data


def _parse(path: Path, data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")  # editors on Windows put a byte order mark first
    except UnicodeDecodeError as error:
        raise ProfileError(f"{path}: is not UTF-8 text (byte {error.start}); save it again as UTF-8") from None
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ProfileError(f"{path}: is nested too deeply to be a table profile") from None
    except ValueError as error:
        raise ProfileError(f"{path}: is not valid TOML: {error}") from None


def _frozen(value: Any) -> Any:
    """Lists become tuples, so that the value cannot be changed afterwards."""
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return value


def _check_table(file: _File) -> list[str]:
    table = file.table
    facts = config_layout.GAMES.get(table.game)
    if facts is None:
        raise ValueError(
            f'table.game: no rules for the game "{table.game}"{nearest(table.game, config_layout.GAMES)}'
            f"; known games: {', '.join(config_layout.GAMES)}"
        )
    if table.rules not in facts.rules:
        owner = next((game for game, other in config_layout.GAMES.items() if table.rules in other.rules), None)
        why = f'is a rule set of "{owner}"' if owner else f"is no known rule set{nearest(table.rules, facts.rules)}"
        raise ValueError(f'table.rules: "{table.rules}" {why}; "{table.game}" has {", ".join(facts.rules)}')
    if table.seats > facts.seats:
        raise ValueError(f"table.seats: {table.seats} is more than the {facts.seats} seats of {table.game}")
    if table.minimum_cents > table.maximum_cents:
        raise ValueError(
            f"table.minimum_cents: {table.minimum_cents} is above table.maximum_cents, {table.maximum_cents}"
        )
    if table.rules == "pa-569" and table.boxes_per_player > 1:
        raise ValueError("table.boxes_per_player: 569.7(g) allows one position for each player")
    _check_options(file)
    if file.table.decks == 2 and len(set(file.deck.backs)) < 2:
        return ["deck.backs: two decks alternate, but fewer than two back colours are named; backs are not compared"]
    return []


def _check_options(file: _File) -> None:
    """The points that sources answer differently: each by its name, with an answer that it may have."""
    game = next(game for game in all_games() if game.rules == file.table.rules)
    settings = {setting.name: setting for setting in game.settings}
    for name, value in file.options.items():
        if name not in settings:
            known = f"known options: {', '.join(settings)}" if settings else f"{file.table.game} has no options"
            raise ValueError(f'options: unknown key "{name}"{nearest(name, settings)}; {known}')
        setting = settings[name]
        if setting.multiples:
            if not isinstance(value, tuple) or not value or not all(1 <= multiple <= 10 for multiple in value):
                raise ValueError(f"options.{name}: write the whole multiples that are allowed, like [3, 4]")
        elif not any(value is answer or (isinstance(answer, str) and value == answer) for answer in setting.answers):
            answers = ", ".join(str(a).lower() if isinstance(a, bool) else f'"{a}"' for a in setting.answers)
            raise ValueError(f"options.{name}: must be one of {answers}: {setting.question}")


def _check_money(file: _File) -> list[str]:
    """Chips, paytables and limits; what is wrong with them in itself and against the game."""
    facts = config_layout.GAMES[file.table.game]
    seen: dict[Cents, str] = {}
    for number, chip in enumerate(file.chips, 1):
        if cents(chip.value) in seen:
            raise ValueError(f'chips[{number}].value: "{chip.value}" is there twice; each chip has a value of its own')
        seen[cents(chip.value)] = chip.value
    sites = tuple(wager.name for wager in file.wager)
    if len(set(sites)) < len(sites):
        raise ValueError("wager: two wagers have the same name")
    known = (*facts.required, *facts.optional, *sites, *(("envy",) if any(w.envy for w in file.wager) else ()))
    written: set[tuple[str, str]] = set()
    for number, paytable in enumerate(file.paytable, 1):
        if paytable.wager not in known:
            raise ValueError(f"paytable[{number}].wager: {_unknown(paytable.wager, known)}")
        if (paytable.wager, paytable.name) in written:
            raise ValueError(f'paytable[{number}]: "{paytable.name}" for {paytable.wager} is written out twice')
        hands = [line.hand for line in paytable.entries]
        twice = next((hand for hand in hands if hands.count(hand) > 1), None)
        if twice:
            raise ValueError(f'paytable[{number}].entries: the hand "{twice}" is there twice')
        strange = next((hand for hand in hands if hand not in known_labels()), None)
        if strange:
            hint = nearest(strange, known_labels())
            raise ValueError(f'paytable[{number}].entries: no game has the hand "{strange}"{hint}')
        written.add((paytable.wager, paytable.name))
    for wager, name in file.paytables.items():
        _check_choice(wager, name, known, facts.letters.get(wager, ""), written)
    for wager in facts.required:
        if wager not in file.paytables:
            raise ValueError(
                f"paytables.{wager}: is missing; name the paytable that the site has filed, none is assumed"
            )
    for wager, limit in file.limits.wagers.items():
        if wager not in facts.wagers and wager not in sites:
            raise ValueError(f"limits.wagers: {_unknown(wager, (*facts.wagers, *sites))}")
        low, high = limit.minimum_cents, limit.maximum_cents
        if low is not None and high is not None and low > high:
            raise ValueError(f"limits.wagers.{wager}: minimum_cents is above maximum_cents")
    return _alike(file.chips)


def _check_choice(wager: str, name: str, known: tuple[str, ...], letters: str, written: set[tuple[str, str]]) -> None:
    if wager not in known:
        raise ValueError(f"paytables: {_unknown(wager, known)}")
    if (wager, name) not in written and (len(name) != 1 or name not in letters):
        offer = f"choose {', '.join(letters)} or write it out" if letters else "write it out"
        raise ValueError(
            f'paytables.{wager}: no paytable "{name}"; {offer} as [[paytable]] with wager = "{wager}", name = "{name}"'
        )


def _alike(chips: tuple[Chip, ...]) -> list[str]:
    """Chips whose face and edge both nearly agree cannot be told apart by colour."""
    warnings = []
    for number, chip in enumerate(chips):
        for other in chips[:number]:
            if _distance(chip.face, other.face) < 20 and _distance(chip.edge, other.edge) < 20:
                warnings.append(f'chips: "{other.value}" and "{chip.value}" have nearly the same colours')
    return warnings


def _distance(one: str, other: str) -> int:
    """The largest difference of red, green or blue."""
    return max(abs(int(one[i : i + 2], 16) - int(other[i : i + 2], 16)) for i in (1, 3, 5))


def _check_camera(file: _File) -> list[str]:
    camera = file.camera
    if camera is None:
        return []
    if len(camera.image_points) != len(camera.table_points):
        raise ValueError(
            f"camera.table_points: {len(camera.table_points)} points for {len(camera.image_points)} image_points; "
            "give each point of the picture its place on the felt"
        )
    for key, points in (("image_points", camera.image_points), ("table_points", camera.table_points)):
        if config_shapes.on_one_line(points):
            raise ValueError(f"camera.{key}: all points lie on one line; spread them over the felt")
    if len(set(zip(camera.image_points, camera.table_points, strict=True))) < 4:
        raise ValueError("camera.image_points: fewer than 4 different points; spread at least 4 over the felt")
    width, height = camera.size
    for number, (x, y) in enumerate(camera.image_points, 1):
        if not (-width / 2 <= x <= 1.5 * width and -height / 2 <= y <= 1.5 * height):
            raise ValueError(
                f"camera.image_points[{number}]: ({x:g}, {y:g}) lies far outside the {width}x{height} picture"
            )
    for number, point in enumerate(camera.table_points, 1):
        _on_table(f"camera.table_points[{number}]", point)
    if any(camera.distortion) and camera.focal_px is None:
        raise ValueError(
            "camera.focal_px: is missing; distortion needs it, since its coordinates are normalised with it"
        )
    if camera.position_mm is not None and camera.position_mm[2] < 300:
        raise ValueError(f"camera.position_mm: a height of {camera.position_mm[2]:g} mm above the felt cannot be right")
    return []


def _check_zones(file: _File) -> list[str]:
    names = config_layout.zone_names(file.table.game, file.table.seats, tuple(wager.name for wager in file.wager))
    seen: set[str] = set()
    for number, zone in enumerate(file.zones, 1):
        if zone.name not in names:
            raise ValueError(f"zones[{number}].name: {_unknown(zone.name, names)}")
        if zone.name in seen:
            raise ValueError(f'zones[{number}].name: "{zone.name}" is there twice; remove or rename one')
        seen.add(zone.name)
        for point in zone.polygon:
            _on_table(f'zones[{number}].polygon of "{zone.name}"', point)
        if config_shapes.crosses_itself(zone.polygon):
            raise ValueError(
                f'zones[{number}].polygon: the outline of "{zone.name}" crosses itself; list its corners in order'
            )
        if config_shapes.area(zone.polygon) < 400.0:
            raise ValueError(
                f'zones[{number}].polygon: "{zone.name}" is smaller than a chip; coordinates are millimetres'
            )
    warnings = []
    for number, zone in enumerate(file.zones):
        for other in file.zones[:number]:
            share = config_shapes.shared_share(zone.polygon, other.polygon)
            if share > 0.1:
                raise ValueError(
                    f'zones[{number + 1}].polygon: "{zone.name}" and "{other.name}" overlap by {share:.0%}; '
                    "what lies there would belong to both"
                )
            if share > 0.01:
                warnings.append(f'zones: "{other.name}" and "{zone.name}" overlap by {share:.0%}')
    return warnings + _missing_zones(file, seen)


def _missing_zones(file: _File, seen: set[str]) -> list[str]:
    facts = config_layout.GAMES[file.table.game]
    sites = tuple(wager.name for wager in file.wager if wager.name not in facts.wagers)
    if not seen:
        return [
            f'wager: "{name}" has no place in the standard layout; draw its zones to have it read' for name in sites
        ]
    needed = [*facts.middle, "rack"]
    for seat in range(1, file.table.seats + 1):
        needed += [
            f"seat{seat}.{w}"
            for w in (*facts.wagers, *sites, "cards")
            if w not in facts.optional or w in file.paytables
        ]
    return [f'zones: "{name}" is not drawn; what lies there is not seen' for name in needed if name not in seen]


def _standard(file: _File) -> tuple[Zone, ...]:
    layout = config_layout.standard_zones(file.table.game, file.table.seats, file.paytables)
    return tuple(Zone(name=name, polygon=polygon) for name, polygon in layout.items())


def _on_table(key: str, point: Point) -> None:
    if max(abs(point[0]), abs(point[1])) > FARTHEST_MM:
        raise ValueError(
            f"{key}: ({point[0]:g}, {point[1]:g}) is off the table; coordinates are millimetres from the dealer"
        )


def _unknown(name: str, known: Any) -> str:
    hint = nearest(name, known)
    return f'unknown name "{name}"{hint}' if hint else f'unknown name "{name}"; known: {_few(tuple(known))}'


def _few(names: tuple[str, ...]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")


def _site_wager(wager: SiteWager) -> DefinedWager:
    return DefinedWager(
        name=wager.name,
        title=wager.title or wager.name.replace("_", " ").title(),
        looks_at=wager.looks_at,
        ranking=wager.ranking,
        on_fold=wager.on_fold,
        on_void=wager.on_void,
        chips=wager.chips,
        counts_towards_limit=wager.counts_towards_limit,
        envy=wager.envy,
    )


def _written(paytable: Paytable) -> WrittenPaytable:
    return WrittenPaytable(
        wager=paytable.wager,
        name=paytable.name,
        entries=tuple(Odds(hand=e.hand, num=e.num, den=e.den, kind=e.kind) for e in paytable.entries),
    )
