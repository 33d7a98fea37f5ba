"""Rounds in, verdicts and findings out: every rule asked of every round."""

from collections.abc import Iterable

from handreplay.core.events import Round
from handreplay.core.findings import Audit, Finding, HandShown, RoundVerdict, in_order, verdict_of
from handreplay.core.money import Cents
from handreplay.games import game_of
from handreplay.games.game import Game
from handreplay.games.table import TableRules
from handreplay.rules import exposures, footage, misdeals, payouts, rack, wagers
from handreplay.rules.case import Case, Rule
from handreplay.rules.history import History
from handreplay.rules.replay import Replay
from handreplay.rules.settlement import Settlement
from handreplay.rules.tracks import Card
from handreplay.rules.triage import HANG_ON_SECONDS, OPEN_ANYWAY

RULES: tuple[tuple[str, Rule], ...] = (
    ("MD01", misdeals.card_count),
    ("MD02", misdeals.face_up_card_used),
    ("MD03", misdeals.face_up_cards),
    ("MD04", misdeals.deal_order),
    ("MD05", misdeals.hand_without_wager),
    ("MD06", misdeals.burn),
    ("MD07", misdeals.community),
    ("MD08", misdeals.duplicate_card),
    ("MD09", misdeals.played_on),
    ("MD10", misdeals.voided_without_cause),
    ("MD11", misdeals.stub_count),
    ("MD12", misdeals.deck_change_overdue),
    ("MD13", misdeals.deck_alternation),
    ("EX01", exposures.dealer_card_exposed),
    ("EX02", exposures.stub_exposed),
    ("EX03", exposures.burn_exposed),
    ("PY01", payouts.underpaid),
    ("PY02", payouts.overpaid),
    ("PY03", payouts.not_collected),
    ("PY04", payouts.wrongly_collected),
    ("PY05", payouts.settlement_order),
    ("PY06", payouts.payout_limit),
    ("PY07", payouts.settled_early),
    ("WG01", wagers.unequal_wagers),
    ("WG02", wagers.play_multiple),
    ("WG03", wagers.late_wager),
    ("WG04", wagers.withdrawn_wager),
    ("WG05", wagers.wager_without_base),
    ("WG06", wagers.table_limits),
    ("DR01", rack.pickup_order),
    ("DR02", rack.card_unaccounted),
    ("DR03", rack.two_decks_in_rack),
    ("FT01", footage.footage_gap),
    ("FT02", footage.camera_moved),
    ("FT03", footage.card_unreadable),
    ("FT04", footage.chips_unreadable),
    ("FT05", footage.view_blocked),
)


def audit_rounds(rounds: Iterable[Round], table: TableRules) -> Audit:
    """Judge the rounds of one log, in their order, at one table.

    Raises ProfileError when the table's game, rules or paytables are not known. No round is refused.
    """
    game = game_of(table)
    limit = aggregate_limit(game, table)
    history = History()
    verdicts: list[RoundVerdict] = []
    findings: list[Finding] = []
    for round_ in rounds:
        replay = Replay(round_, game, table)
        case = Case(replay, Settlement(replay), history, limit)
        found = tuple(finding for _, rule in RULES for finding in rule(case) if _tellable(case, finding))
        history = history.after(replay, any(finding.code == "MD12" for finding in found))
        findings.extend(found)
        verdicts.append(_verdict(case, found))
    order = tuple(verdict.round for verdict in verdicts)
    return Audit(rounds=tuple(verdicts), findings=in_order(tuple(findings), order))


def _tellable(case: Case, finding: Finding) -> bool:
    """Triage does not see what came first within seconds, and need not say of each wager that it was not judged."""
    return not (case.replay.triaged and finding.code in HANG_ON_SECONDS | OPEN_ANYWAY)


def aggregate_limit(game: Game, table: TableRules) -> Cents | None:
    if table.aggregate_payout_cents is None:
        return None
    return max(table.aggregate_payout_cents, game.cap_at_least_cents(table) if game.cap_at_least_cents else 0)


def _verdict(case: Case, findings: tuple[Finding, ...]) -> RoundVerdict:
    round_ = case.replay.round
    open_verdict = RoundVerdict(
        round=round_.number,
        start=round_.start,
        end=round_.end,
        verdict="clean",
        hands=_hands(case),
        settlement=case.settlement.rows(),
    )
    verdict = verdict_of(open_verdict, findings)
    return RoundVerdict(
        round=open_verdict.round,
        start=open_verdict.start,
        end=open_verdict.end,
        verdict=verdict,
        hands=open_verdict.hands,
        settlement=open_verdict.settlement,
    )


def _hands(case: Case) -> tuple[tuple[str, HandShown], ...]:
    replay = case.replay
    board = tuple(card.known for card in replay.hand("community"))
    names = sorted((hand for hand in replay.hands if hand.startswith("seat")), key=lambda name: int(name[4:]))
    dealer = ["dealer"] if replay.hand("dealer") else []
    return tuple((name, _shown(case, name, replay.hand(name), board)) for name in (*dealer, *names))


def _shown(case: Case, name: str, cards: tuple[Card, ...], board: tuple[str | None, ...]) -> HandShown:
    game = case.replay.game
    faces = tuple(card.known for card in cards)
    known = tuple(face for face in faces if face is not None)
    community = tuple(face for face in board if face is not None)
    ranked = None
    if len(known) == len(faces) and len(community) == len(board):
        ranked = (game.rank_dealer if name == "dealer" else game.rank_player)(known, community)
    best = game.best(known, community) if ranked else None
    return HandShown(cards=faces, rank=ranked.rank if ranked else None, best=best)
