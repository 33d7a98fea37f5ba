"""The page of each code, as `handreplay explain` prints it: plain text from pages/, sections from the citations."""

from collections.abc import Iterable
from importlib.resources import files

from handreplay.errors import HandreplayError
from handreplay.games import all_games
from handreplay.games.game import Game
from handreplay.rules.catalogue import catalogue, cited
from handreplay.rules.in_game import in_game

BASES = {
    "text": "the regulation's text",
    "proposed": "the rulemaking of 2011",
    "cited": "a public source that cites the section",
    "sister": "the pattern of a sister chapter",
    "practice": "as Pennsylvania casinos publish it",
    "general": "the game as generally dealt",
    "house": "this product or the house",
}


def basis_key(used: Iterable[str]) -> str:
    """One line for the words in brackets behind a section: how well each is known, in the order of BASES."""
    own = set(used)
    return "How well a section is known: " + "; ".join(f"{name} = {BASES[name]}" for name in BASES if name in own)


def page_text(code: str, name: str | None = None) -> str:
    """The code's page, for all games or for those of a game or rule set of that name.

    Raises HandreplayError for a code or a name that does not exist.
    """
    known = catalogue()
    entry = known.get(code.upper())
    if entry is None:
        raise HandreplayError(f"{code!r} is no finding's code; known are {', '.join(known)}")
    games = named_games(name)
    body = files(__package__).joinpath("pages", f"{entry.code}.md").read_text(encoding="utf-8").strip()
    parts = [f"{entry.code} {entry.name}", body, f"Remedy\n{entry.remedy}"]
    told = _in_games(entry.code, games)
    if told:
        parts.append("In each game\n" + "\n".join(told))
    parts.append("Sections\n" + "\n".join(_sections(entry.code, games)))
    return "\n\n".join(parts) + "\n"


def named_games(name: str | None) -> tuple[Game, ...]:
    """All games, or those of a game or a rule set of that name. Raises HandreplayError where there is none."""
    games = all_games()
    if name is None:
        return games
    found = tuple(game for game in games if name.lower() in (game.name, game.rules))
    if not found:
        known = ", ".join(dict.fromkeys(own for game in games for own in (game.name, game.rules)))
        raise HandreplayError(f"{name!r} is no game or rule set; known are {known}")
    return found


def _in_games(code: str, games: tuple[Game, ...]) -> list[str]:
    told = [(game, in_game(code, game)) for game in games]
    return [f"- {game.title} ({game.rules}): {text}" for game, text in told if text]


def _sections(code: str, games: tuple[Game, ...]) -> list[str]:
    if code in ("PY01", "PY02", "PY03", "PY04"):
        used = {wager.odds.basis for game in games for wager in game.wagers}
        return [*(_odds_line(game) for game in games), "", basis_key(used)]
    lines = []
    for game in games:
        found = cited(code, game.rules)
        if found is not None:
            lines.append(f"- {game.title} ({game.rules}): {found.section} [{BASES[found.basis]}]")
    if len(lines) > 1 and len({line.split(": ", 1)[1] for line in lines}) == 1:
        return [f"- every game: {lines[0].split(': ', 1)[1]}"]
    return lines or ["- the chapter has no such rule for the games here"]


def _odds_line(game: Game) -> str:
    parts = "; ".join(
        f"{wager.title} {wager.odds.section.removeprefix('58 Pa. Code ')} [{wager.odds.basis}]" for wager in game.wagers
    )
    return f"- {game.title} ({game.rules}): 58 Pa. Code: {parts}"
