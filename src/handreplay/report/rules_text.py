"""What the product knows: games, rule sets, wagers, paytables and open points, each with where it stands."""

from typing import Any

from handreplay.games.game import Game, Setting, odds_words, words
from handreplay.games.paytables import Paytable, printed
from handreplay.rules.catalogue import cited
from handreplay.rules.pages import BASES, basis_key

SCHEMA = "handreplay.rules/1"


def rules_text(games: tuple[Game, ...], whole: bool) -> str:
    """A paragraph a rule set; `whole`: every line of every paytable too."""
    parts = ["\n".join(_rule_set(game, whole)) for game in games]
    return "\n\n".join([*parts, basis_key(BASES)])


def rules_json(games: tuple[Game, ...]) -> dict[str, Any]:
    return {"schema": SCHEMA, "basis": BASES, "rule_sets": [_fields(game) for game in games]}


def paytables_of(game: Game) -> tuple[Paytable, ...]:
    """The paytables that the chapter itself prints, as far as they could be read."""
    return tuple(table for (rules, _, _), tables in printed().items() if rules == game.rules for table in tables)


def unprinted(game: Game) -> tuple[str, ...]:
    """The paytables that the profile must write out, since the chapter's own figures are not known."""
    known = {table.wager for table in paytables_of(game)}
    needed = dict.fromkeys(key for wager in game.wagers for key in wager.paytables)
    return tuple(key for key in needed if key not in known)


def _rule_set(game: Game, whole: bool) -> list[str]:
    lines = [f"{game.title}: game {game.name}, rules {game.rules}", "  wagers"]
    for wager in game.wagers:
        lines.append(f"    {wager.name:<20}{wager.title:<20}{wager.odds.section} [{wager.odds.basis}]")
    stands = cited("WG02", game.rules)
    lines.append(f"  decisions   {stands.section} [{stands.basis}]" if stands else "  decisions")
    for decision in game.decisions:
        what = f"{game.later}: {decision.multiples}" if decision.multiples else "a bet may be taken back"
        lines.append(f"    {decision.name}: {what}")
    lines.append("  paytables of the chapter")
    for table in paytables_of(game):
        stake = f" (stake ${table.stake_cents / 100:g})" if table.stake_cents else ""
        lines.append(f"    {table.wager:<20}{table.name}{stake}   {table.section} [{table.basis}]")
        if whole:
            lines += [f"      {words(line.hand)} {odds_words(line)}" for line in table.entries]
    if not paytables_of(game):
        lines.append("    none could be read")
    if unprinted(game):
        lines.append(f"  written out in the profile: {', '.join(unprinted(game))}")
    if game.settings:
        lines.append("  points that sources answer differently, in [options] of the profile")
        lines += [f"    {_setting(setting)}" for setting in game.settings]
    return lines


def _setting(setting: Setting) -> str:
    if setting.multiples:
        return f"{setting.name} = [...]   {setting.question}; left out: as the decisions above"
    answers = " or ".join(str(answer).lower() for answer in setting.answers)
    default = str(setting.chapter).lower() if setting.chapter != "" else "no default"
    return f"{setting.name} = {answers}   {setting.question}; left out: {default}"


def _fields(game: Game) -> dict[str, Any]:
    return {
        "game": game.name,
        "rules": game.rules,
        "title": game.title,
        "wagers": [
            {"name": w.name, "title": w.title, "role": w.role, "section": w.odds.section, "basis": w.odds.basis}
            for w in game.wagers
        ],
        "decisions": [{"name": d.name, "multiples": str(d.multiples) if d.multiples else None} for d in game.decisions],
        "paytables": [
            {
                "wager": table.wager,
                "name": table.name,
                "stake_cents": table.stake_cents,
                "section": table.section,
                "basis": table.basis,
                "entries": [
                    {"hand": line.hand, "num": line.num, "den": line.den, "kind": line.kind} for line in table.entries
                ],
            }
            for table in paytables_of(game)
        ],
        "written_out_in_profile": list(unprinted(game)),
        "options": [
            {
                "name": setting.name,
                "question": setting.question,
                "answers": "multiples of the Ante" if setting.multiples else list(setting.answers),
                "left_out": setting.chapter if setting.chapter != "" else None,
            }
            for setting in game.settings
        ],
    }
