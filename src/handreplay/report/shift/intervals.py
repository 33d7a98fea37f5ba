"""How sure a share is: the 95% interval of Wilson (1927), which holds up for few trials and for shares near 0."""

from math import sqrt

from handreplay.report.shift.values import Rate

Z_95 = 1.959963984540054  # standard deviations that hold 95% of a normal distribution


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Lower and upper end of the interval of a share, both between 0 and 1. Raises ValueError without a trial."""
    if not 0 <= hits <= trials or not trials:
        raise ValueError(f"{hits} of {trials} is no share")
    share, spread = hits / trials, Z_95**2 / trials
    middle = share + spread / 2
    reach = Z_95 * sqrt(share * (1 - share) / trials + spread / trials / 4)
    low = 0.0 if hits == 0 else (middle - reach) / (1 + spread)
    high = 1.0 if hits == trials else (middle + reach) / (1 + spread)
    return low, high


def rate(wrong: int, judged: int, open_: int) -> Rate:
    if not judged:
        return Rate(wrong=0, judged=0, open=open_, share=None, low=None, high=None)
    low, high = wilson(wrong, judged)
    return Rate(wrong=wrong, judged=judged, open=open_, share=wrong / judged, low=low, high=high)
