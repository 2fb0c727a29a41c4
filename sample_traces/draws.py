"""Seeded randomness: one independent stream for each purpose, named by its key.

A stream never depends on how much another one drew, so adding tasks, stories or tools leaves what
was recorded before as it was.
"""

import math
import random
from collections.abc import Mapping


def stream(*key: object) -> random.Random:
    """The random stream of `key`; equal keys give equal streams in every process."""
    return random.Random("|".join(str(part) for part in key))  # noqa: S311  repeatable on purpose


def log_normal(draws: random.Random, median: float, sigma: float) -> float:
    """A draw from the log-normal distribution with this median and shape."""
    return median * math.exp(sigma * draws.gauss(0.0, 1.0))


def weighted(draws: random.Random, weights: Mapping[str, float]) -> str:
    """One key of `weights`, drawn in proportion to its weight."""
    return draws.choices(list(weights), list(weights.values()))[0]
