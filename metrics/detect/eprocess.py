"""Evidence that accuracy is below its limit, which may be looked at every day.

A bet against "at least .85": fair or losing as long as that holds, whatever the moment at which one
looks. Wealth of 20 is as improbable as a test at .05, with any number of looks before it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

__all__ = ["EVERY", "HORIZON", "Evidence", "Judged", "evidence"]

_STEPS: Final = 35
HORIZON: Final = 400
"""Judged decisions that one process is made for; then another one starts."""
EVERY: Final = 20
"""A new bet starts after so many judged, so that a change is not drowned by what was good before."""

_LATER: Final = 0.5 / (HORIZON // EVERY - 1)
"""The stake of each later start."""
_MOST: Final = 700.0
"""Logarithm of more than any number that can be written; certain long before."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One randomly chosen decision of one trace."""

    time_ns: int
    correct: float
    """1 right, 0 wrong; between for the mean of a trace."""
    weight: float
    """Smallest inclusion probability over its own, in (0, 1]."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What judged decisions say against the limit."""

    wealth: float
    """20 is as improbable as a test at .05, however often one looks."""
    start: int
    """Place of the judged decision from which on a bet would have won most."""


def evidence(judged: Sequence[Judged], limit: float) -> Evidence:
    """The wealth after all judged decisions; valid for every accuracy of `limit` or more.

    The mean over q below the limit of the product of 1 + l (limit - y), l = (limit - q) / (limit
    (1 - limit)): for y of 0 or 1 the likelihood ratio of q to the limit. Half of the stake starts at
    once, half is spread over later starts. A weight w bets w times as much, which keeps the bet
    fair for the population when the draw was not. What comes after `HORIZON` is not looked at: the
    stakes are fixed before the first look.

    Source: Waudby-Smith and Ramdas 2024 (betting); Vovk and Wang 2021 (averages of e-values).
    """
    looked_at = judged[:HORIZON]
    gains = [item.weight * (limit - item.correct) for item in looked_at]
    starts = range(0, max(1, len(gains)), EVERY)
    wins = [0.0] * len(starts)
    for q in _grid(limit):
        bet = (limit - q) / (limit * (1 - limit))
        logs = list(accumulate((math.log1p(bet * gain) for gain in gains), initial=0.0))
        for place, start in enumerate(starts):
            wins[place] += math.exp(min(_MOST, logs[-1] - logs[start]))
    won = [win / _STEPS for win in wins]
    waiting = _LATER * (HORIZON // EVERY - len(won))
    wealth = 0.5 * won[0] + _LATER * sum(won[1:]) + waiting
    return Evidence(wealth, EVERY * max(range(len(won)), key=won.__getitem__))


def _grid(limit: float) -> list[float]:
    """Accuracies from .50 to just below the limit."""
    low = min(0.5, limit / 2)
    return [low + (limit - low) * step / _STEPS for step in range(_STEPS)]
