"""Let It Ride under 58 Pa. Code ch. 643a: wagers and rankings as proposed in 2011, dealing and settling as usual.

There is no dealer's hand. Each player's three cards and two community cards make five.
"""

from fractions import Fraction

from handreplay.games.best_play import take_back_or_let_ride
from handreplay.games.game import EXPOSED_CARDS, UNSETTLED, Decision, Due, Game, Question, Section, Wager
from handreplay.games.hands import Ranked, best_five, five_card, three_card
from handreplay.games.paytables import chosen
from handreplay.games.table import TableRules

CHAPTER = "58 Pa. Code 643a.12"


def _rank(hand: tuple[str, ...], community: tuple[str, ...]) -> Ranked | None:
    return five_card(hand + community[:2]) if len(hand) == 3 and len(community) >= 2 else None


def _best(hand: tuple[str, ...], community: tuple[str, ...]) -> tuple[str, ...]:
    return best_five(hand + community[:2])


def due(question: Question) -> Due:
    """What the rules give a wager of a seat that was dealt in."""
    if question.wager == "three_card_bonus":
        three = three_card(question.hand)
        return UNSETTLED if three is None else question.by_table("three_card_bonus", three.labels)
    five = _rank(question.hand, question.community)
    if five is None:
        return UNSETTLED
    key = "bets" if question.wager.startswith("bet") else question.wager
    return question.by_table(key, five.labels)


def _bet(number: int, take_back_at: int | None) -> Wager:
    return Wager(
        name=f"bet{number}",
        title=f"Bet {number}",
        role="base",
        hangs_on=("hand", "community"),
        odds=Section(CHAPTER, "general"),
        take_back_at=take_back_at,
        paytables=("bets",),
        edge_note="hands as they come, for a bet that is never taken back",
    )


def best_play(table: TableRules) -> dict[tuple[str, str], Fraction]:
    return {("bet1", "The three bets, in one of them"): take_back_or_let_ride(chosen(table, "bets")[0])}


GAMES = (
    Game(
        name="let-it-ride",
        rules="pa-643a",
        title="Let It Ride",
        wagers=(
            _bet(1, 0),
            _bet(2, 1),
            _bet(3, None),
            Wager(
                name="let_it_ride_bonus",
                title="Let It Ride Bonus",
                role="side",
                hangs_on=("hand", "community"),
                odds=Section(CHAPTER, "general"),
                paytables=("let_it_ride_bonus",),
                by_paytable_alone=True,
            ),
            Wager(
                name="three_card_bonus",
                title="Three Card Bonus",
                role="side",
                hangs_on=("hand",),
                odds=Section(CHAPTER, "proposed"),
                paytables=("three_card_bonus",),
                by_paytable_alone=True,
            ),
        ),
        qualifying=(frozenset({"bet1", "bet2", "bet3"}),),
        limited=("bet1", "bet2", "bet3"),
        equal=("bet1", "bet2", "bet3"),
        decisions=(
            Decision("before the first community card", 0),
            Decision("before the second community card", 1),
        ),
        hand_cards=3,
        dealer_cards=0,
        community_cards=2,
        community_face="down",
        unseen_in_shoe=1,
        folds=False,
        due=due,
        rank_player=_rank,
        rank_dealer=_rank,
        best=_best,
        best_play=best_play,
        settings=EXPOSED_CARDS,
        ranked={
            "bets": ("hand+community", "five-card"),
            "let_it_ride_bonus": ("hand+community", "five-card"),
            "three_card_bonus": ("hand", "three-card"),
        },
    ),
)
