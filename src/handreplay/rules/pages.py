"""The page of each code, as `handreplay explain` prints it: plain text from pages/, sections from the citations."""

from importlib.resources import files

from handreplay.errors import HandreplayError
from handreplay.games import all_games
from handreplay.rules.catalogue import catalogue, cited

BASES = {
    "text": "the regulation's text",
    "proposed": "the rulemaking of 2011",
    "cited": "a public source that cites the section",
    "sister": "the pattern of a sister chapter",
    "practice": "as Pennsylvania casinos publish it",
    "general": "the game as generally dealt",
    "house": "this product or the house",
}


def page_text(code: str) -> str:
    """The code's page. Raises HandreplayError for a code that does not exist."""
    known = catalogue()
    entry = known.get(code.upper())
    if entry is None:
        raise HandreplayError(f"{code!r} is no finding's code; known are {', '.join(known)}")
    body = files(__package__).joinpath("pages", f"{entry.code}.md").read_text(encoding="utf-8").strip()
    sections = "\n".join(_sections(entry.code))
    return f"{entry.code} {entry.name}\n\n{body}\n\nRemedy\n{entry.remedy}\n\nSections\n{sections}\n"


def _sections(code: str) -> list[str]:
    if code in ("PY01", "PY02", "PY03", "PY04"):
        return [line for game in all_games() for line in _odds_lines(game.title, game.rules)]
    lines = []
    for game in all_games():
        found = cited(code, game.rules)
        if found is not None:
            lines.append(f"- {game.title} ({game.rules}): {found.section} [{BASES[found.basis]}]")
    if lines and len({line.split(": ", 1)[1] for line in lines}) == 1:
        return [f"- every game: {lines[0].split(': ', 1)[1]}"]
    return lines or ["- the chapter has no such rule for the games here"]


def _odds_lines(title: str, rules: str) -> list[str]:
    game = next(game for game in all_games() if (game.title, game.rules) == (title, rules))
    parts = "; ".join(f"{wager.title} {wager.odds.section.removeprefix('58 Pa. Code ')}" for wager in game.wagers)
    return [f"- {title} ({rules}): 58 Pa. Code {parts}"]
