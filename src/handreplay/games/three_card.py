"""Three Card Poker under 58 Pa. Code ch. 649a, as far as public sources cite it by paragraph."""

from handreplay.games.game import UNSETTLED, Decision, Due, Game, Multiples, Question, Section, Wager, compare
from handreplay.games.hands import Ranked, best_three, five_card, three_card

CHAPTER = "58 Pa. Code 649a.12"
QUEEN = 10  # its place among the ranks


def _rank(hand: tuple[str, ...], _: tuple[str, ...]) -> Ranked | None:
    """A suited ace, king and queen is the highest straight flush and nothing more in this game."""
    ranked = three_card(hand)
    if ranked is None or ranked.rank != "mini_royal":
        return ranked
    return Ranked("straight_flush", ranked.strength, ranked.labels)


def _best(hand: tuple[str, ...], _: tuple[str, ...]) -> tuple[str, ...]:
    return best_three(hand)


def _qualifies(dealer: Ranked) -> bool:
    """Queen high or better."""
    return dealer.rank != "high_card" or dealer.strength[1] >= QUEEN


def due(question: Question) -> Due:
    """What the rules give a wager of a seat that was dealt in."""
    player, dealer = _rank(question.hand, ()), _rank(question.dealer, ())
    if question.wager == "six_card_bonus":
        return _six_card_bonus(question)
    if question.folded:
        return Due("lose")
    if player is None:
        return UNSETTLED
    if question.wager == "pair_plus":
        return question.by_table("pair_plus", player.labels)
    higher = compare(player, dealer)
    if higher is None or dealer is None:
        return UNSETTLED
    if question.wager == "ante":
        return _ante(question, player, 1 if not _qualifies(dealer) else higher)
    if not _qualifies(dealer) or higher == 0:
        return Due("push")
    return question.even_money() if higher > 0 else Due("lose")


def _ante(question: Question, player: Ranked, higher: int) -> Due:
    """The Ante with its bonus, which is paid whatever the dealer has."""
    bonus = question.by_table("ante_bonus", player.labels)
    if bonus.pay is None:
        return UNSETTLED
    if higher > 0:
        return Due("win", question.stake + bonus.pay)
    return Due("push" if higher == 0 else "lose", bonus.pay)


def _six_card_bonus(question: Question) -> Due:
    """The best five of the player's three and the dealer's three. The profile says whether it outlives a fold."""
    if question.folded and not question.table.options.get("fold_keeps_six_card_bonus", True):
        return Due("lose")
    if len(question.hand) != 3 or len(question.dealer) != 3:
        return UNSETTLED
    ranked = five_card(question.hand + question.dealer)
    return UNSETTLED if ranked is None else question.by_table("six_card_bonus", ranked.labels)


GAMES = (
    Game(
        name="three-card-poker",
        rules="pa-649a",
        title="Three Card Poker",
        wagers=(
            Wager(
                name="ante",
                title="Ante",
                role="base",
                hangs_on=("hand", "dealer"),
                odds=Section(f"{CHAPTER}(a), (b)", "cited"),
                paytables=("ante_bonus",),
            ),
            Wager(
                name="play",
                title="Play",
                role="later",
                hangs_on=("hand", "dealer"),
                odds=Section(f"{CHAPTER}(a)", "cited"),
            ),
            Wager(
                name="pair_plus",
                title="Pair Plus",
                role="base",
                hangs_on=("hand",),
                odds=Section(f"{CHAPTER}(d)", "cited"),
                paytables=("pair_plus",),
            ),
            Wager(
                name="six_card_bonus",
                title="Six Card Bonus",
                role="side",
                hangs_on=("hand", "dealer"),
                odds=Section(CHAPTER, "general"),
                lost_by_fold=False,
                paytables=("six_card_bonus",),
            ),
        ),
        qualifying=(frozenset({"ante"}), frozenset({"pair_plus"})),
        limited=("ante",),
        asked_with="ante",
        later="play",
        decisions=(Decision("after the deal", 0, Multiples((1,))),),
        hand_cards=3,
        dealer_cards=3,
        due=due,
        rank_player=_rank,
        rank_dealer=_rank,
        best=_best,
    ),
)
