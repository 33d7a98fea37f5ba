"""What a code means in one game: its numbers of cards, its decisions, its wagers, told from the game's own value."""

from collections.abc import Callable

from handreplay.games.game import Game


def in_game(code: str, game: Game) -> str | None:
    """A sentence for the code's page; None where the game adds nothing to it."""
    tell = TELLERS.get(code)
    return tell(game) if tell else None


def _cards(game: Game) -> str:
    dealer = f", {game.dealer_cards} to the dealer" if game.dealer_cards else "; there is no dealer's hand"
    return f"{game.hand_cards} cards to each player{dealer}"


def _order(game: Game) -> str:
    last = ", then the dealer" if game.dealer_cards else ""
    board = ", then the community cards" if game.community_with_deal else ""
    consecutive = "; the dealer's last two come together" if game.dealer_cards > game.hand_cards else ""
    return (
        f"one card at a time from seat 1 up{last}{board}{consecutive}; "
        f"from an automated shoe whole stacks of {game.hand_cards}"
    )


def _dealt_in(game: Game) -> str:
    return "dealt in with " + " or ".join(_and(sorted(names)) for names in game.qualifying)


def _burns(game: Game) -> str:
    if not game.burns_before:
        unseen = f"; an automated shoe leaves {game.unseen_in_shoe} over, which are none" if game.unseen_in_shoe else ""
        return f"no burns{unseen}"
    return "one before community cards " + _and([str(place + 1) for place in game.burns_before])


def _community(game: Game) -> str | None:
    if not game.community_cards:
        return "no community cards"
    when = "with the hands" if game.community_with_deal else "after the hands are complete"
    return f"{game.community_cards}, dealt face {game.community_face} {when}"


def _exposed(game: Game) -> str:
    if not game.dealer_cards:
        return "there is no dealer's hand"
    until = f"until every player with {game.asked_with} has a {game.later} or folds"
    open_from = game.dealer_open_from + 1
    rule = f"; card {open_from} lies open by rule" if open_from <= game.dealer_cards else ""
    plays = game.plays_on.get("EX01", ())
    after = f"{_and(list(plays))} is settled all the same, all else returned" if plays else "all wagers are returned"
    return f"{until}{rule}; then {after}"


def _equal(game: Game) -> str | None:
    return f"{_and(list(game.equal))} must be equal" if game.equal else "no wagers must be equal"


def _multiples(game: Game) -> str | None:
    told = [f"{decision.name} {decision.multiples}" for decision in game.decisions if decision.multiples]
    return f"{game.later}: {'; '.join(told)}" if told else "no later wager is made"


def _taken_back(game: Game) -> str | None:
    told = [f"{w.name} {game.decisions[w.take_back_at].name}" for w in game.wagers if w.take_back_at is not None]
    return f"may be taken back: {_and(told)}" if told else None


def _optional(game: Game) -> str | None:
    names = [wager.name for wager in game.wagers if wager.role in ("side", "progressive")]
    return f"{_and(names)}: only where the seat is {_dealt_in(game)}" if names else None


def _settled(game: Game) -> str:
    return f"players with a {game.later}" if game.later else "every player with a bet"


def _folds(game: Game) -> str | None:
    kept = [wager.name for wager in game.wagers if not wager.lost_by_fold]
    if not game.folds:
        return "nobody folds"
    lost = [wager.name for wager in game.wagers if wager.lost_by_fold and wager.role != "later"]
    return f"a fold loses {_and(lost)}" + (f" and keeps {_and(kept)}" if kept else "")


def _early(game: Game) -> str:
    shown = "the dealer's hand" if game.dealer_cards else f"community card {game.community_cards}"
    return (
        f"nothing is settled before {shown} shows, but a fold's forfeits" if game.folds else f"not before {shown} shows"
    )


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


TELLERS: dict[str, Callable[[Game], str | None]] = {
    "MD01": _cards,
    "MD04": _order,
    "MD05": _dealt_in,
    "MD06": _burns,
    "MD07": _community,
    "EX01": _exposed,
    "EX03": _burns,
    "PY03": _folds,
    "PY04": _folds,
    "PY05": _settled,
    "PY07": _early,
    "WG01": _equal,
    "WG02": _multiples,
    "WG04": _taken_back,
    "WG05": _optional,
}
