"""Wilson's score interval: what k of n trials say about the rate behind them.

It stays inside 0 to 1 and is honest for the few trials that a laptop has time for, where the
textbook interval around 2 of 2 would have no width at all (E. B. Wilson, JASA 22, 1927).
"""

from __future__ import annotations

from math import sqrt

Z_95 = 1.959964  # two-sided 95% point of the standard normal distribution


def interval(hits: int, trials: int, z: float = Z_95) -> tuple[float, float]:
    """Lowest and highest rate that `hits` of `trials` is compatible with; 0 to 1 without trials."""
    if trials == 0:
        return 0.0, 1.0
    rate = hits / trials
    shrink = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / shrink
    half = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / shrink
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    high = 1.0 if hits == trials else min(1.0, centre + half)
    return low, high
