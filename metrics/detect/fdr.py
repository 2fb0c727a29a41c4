"""Which of many tests to believe, so that few of those believed are chance."""

from collections.abc import Hashable, Mapping
from typing import TypeVar

__all__ = ["discoveries"]

_Key = TypeVar("_Key", bound=Hashable)


def discoveries(p_values: Mapping[_Key, float], q: float, n_tests: int | None = None) -> set[_Key]:
    """The keys to believe: on average a share q of them is chance.

    Args:
        p_values: By test. For evidence of an e-process the inverse of its wealth.
        q: The false discovery rate.
        n_tests: How many tests there are, also those that have nothing new to say now.

    Source: Benjamini and Hochberg 1995; Wang and Ramdas 2022 for e-values.
    """
    total = max(n_tests or 0, len(p_values))
    ranked = sorted(p_values.items(), key=lambda item: item[1])
    last = max((i for i, (_, p) in enumerate(ranked, 1) if p <= q * i / total), default=0)
    return {key for key, _ in ranked[:last]}
