"""Paired comparison: the same cases before and after a change, or clean and disturbed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from metrics.intervals import Proportion, proportion_interval, wilson
from metrics.paired_interval import paired_difference
from metrics.values import Interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

ALPHA: Final = 0.05
NOTABLE: Final = (0.10, 0.01)
"""A change worth noticing: the share of cases it breaks, and the share it fixes."""
_MOST_CASES: Final = 20_000
_BELOW_Z: Final = 0.97
"""Just below half the 97.5th percentile of the normal distribution."""


@dataclass(frozen=True, slots=True)
class Paired:
    """How cases went before and after, each counted once."""

    n_broken: int
    """Right before, wrong after."""
    n_fixed: int
    """Wrong before, right after."""
    n_same_right: int
    n_same_wrong: int

    @property
    def n(self) -> int:
        """Cases that could be judged on both sides."""
        return self.n_broken + self.n_fixed + self.n_same_right + self.n_same_wrong

    @property
    def before(self) -> float | None:
        """Share that was right before; None without cases."""
        return (self.n_broken + self.n_same_right) / self.n if self.n else None

    @property
    def after(self) -> float | None:
        """Share that is right after; None without cases."""
        return (self.n_fixed + self.n_same_right) / self.n if self.n else None

    @property
    def before_interval(self) -> Interval | None:
        """Wilson's interval of `before`; None without cases."""
        return None if self.before is None else wilson(self.before, self.n)

    @property
    def after_interval(self) -> Interval | None:
        """Wilson's interval of `after`; None without cases."""
        return None if self.after is None else wilson(self.after, self.n)

    @property
    def difference(self) -> Interval | None:
        """Where `after` minus `before` lies, over the same cases; None without any."""
        if not self.n:
            return None
        return paired_difference(self.n_same_right, self.n_broken, self.n_fixed, self.n_same_wrong)

    @property
    def p_value(self) -> float | None:
        """McNemar's exact two-sided p; None when no case changed: there is nothing to test."""
        return mcnemar_exact(self.n_broken, self.n_fixed)

    @property
    def power(self) -> float | None:
        """Chance that a notable change would be significant over so many cases; None without any."""
        return mcnemar_power(self.n, *NOTABLE) if self.n else None

    @property
    def is_significant(self) -> bool:
        """Whether the changes are more one-sided than chance makes them at 5 %."""
        p = self.p_value
        return p is not None and p < ALPHA


def mcnemar_exact(n_broken: int, n_fixed: int) -> float | None:
    """Chance of a split at least as one-sided, were breaking and fixing equally likely.

    The exact binomial test of the discordant pairs; None without any.

    Source: McNemar 1947; exact form as in Agresti 2013, §11.1.
    """
    n = n_broken + n_fixed
    if n == 0:
        return None
    from scipy import special

    return min(1.0, 2 * float(special.bdtr(min(n_broken, n_fixed), n, 0.5)))


def mcnemar_power(n: int, break_rate: float, fix_rate: float) -> float:
    """Chance that the exact test is significant at 5 % over n cases, were these the true shares.

    Exact: the number of changed cases is binomial, and given it the number of broken ones is.

    Raises:
        ValueError: The rates are no shares of one whole.
    """
    changed = break_rate + fix_rate
    if min(break_rate, fix_rate) < 0 or changed > 1:
        raise ValueError(f"rates {break_rate!r}, {fix_rate!r}: must be shares of one whole")
    if changed == 0:
        return 0.0
    import numpy as np
    from scipy import special

    n_changed = np.arange(1, n + 1)
    chance = np.diff(special.bdtr(np.arange(n + 1), n, changed))
    fewest = _fewest_significant(n_changed)
    share = break_rate / changed
    many = special.bdtrc(fewest - 1, n_changed, share)
    few = np.where(fewest <= n_changed, special.bdtr(n_changed - fewest, n_changed, share), 0.0)
    return float(np.sum(chance * (many + few)))


def _fewest_significant(n_changed: "npt.NDArray[np.int64]") -> "npt.NDArray[np.int64]":
    """How many of so many changed cases must go one way to be significant; more than all if none."""
    import numpy as np
    from scipy import special

    # From just below the normal approximation up to the exact number.
    guess = np.floor(n_changed / 2 + _BELOW_Z * np.sqrt(n_changed)) - 2
    fewest: npt.NDArray[np.int64] = np.maximum(guess, 1).astype(np.int64)
    while True:
        tail = np.where(fewest <= n_changed, special.bdtrc(fewest - 1, n_changed, 0.5), 0.0)
        is_short = tail > ALPHA / 2
        if not is_short.any():
            return fewest
        fewest = fewest + is_short


def n_to_see(break_rate: float, fix_rate: float, power: float = 0.8) -> int | None:
    """How many cases it takes for McNemar's exact test to see such a change at 5 %.

    Args:
        break_rate: Share of cases that the change breaks.
        fix_rate: Share that it fixes.
        power: Chance to see it, in (0, 1).

    Returns:
        None when no number up to 20 000 does, as for equal rates.
    """
    low, high = 1, 32
    while mcnemar_power(high, break_rate, fix_rate) < power:
        low, high = high, 2 * high
        if high > _MOST_CASES:
            return None
    while low < high:
        middle = (low + high) // 2
        if mcnemar_power(middle, break_rate, fix_rate) < power:
            low = middle + 1
        else:
            high = middle
    return high


@dataclass(frozen=True, slots=True)
class Share:
    """A share over cases, each of which was looked at several times."""

    numerator: int
    denominator: int
    n_cases: int
    interval: Interval | None
    """95 %, allowing for the looks at one case being alike; None for fewer than two cases."""

    @property
    def value(self) -> float | None:
        """The share; None when there was nothing to look at."""
        return self.numerator / self.denominator if self.denominator else None


def clustered_share(by_case: Iterable[Sequence[tuple[int, int]]]) -> Share:
    """The share of hits in looks, cases being the clusters.

    Args:
        by_case: For each case its looks as (hits, of how many).
    """
    sums = [(sum(y for y, _ in looks), sum(m for _, m in looks)) for looks in by_case]
    sums = [(y, m) for y, m in sums if m]
    numerator, denominator = sum(y for y, _ in sums), sum(m for _, m in sums)
    found = Proportion(
        numerator=numerator,
        denominator=denominator,
        n=denominator,
        n_clusters=len(sums),
        yy=sum(y * y for y, _ in sums),
        ym=sum(y * m for y, m in sums),
        mm=sum(m * m for _, m in sums),
    )
    return Share(numerator, denominator, len(sums), proportion_interval(found))
