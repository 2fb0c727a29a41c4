"""Prediction-powered inference: few judgements by people, many by a rule or a model.

The judgements of people alone say what is true. What the other judge says of everything narrows the
interval as far as the two go together, and moves the estimate not at all on average: its errors are
measured on the decisions that people judged, and taken out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from metrics.intervals import LEVEL
from metrics.values import Interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

_Z: Final = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Judged:
    """One decision that people judged, and the judge too."""

    is_right: bool
    is_judged_right: bool
    weight: float
    """1 / inclusion probability."""
    cluster: str
    """Its trace."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the judge says of the decisions of one trace."""

    n_right: int
    n: int


@dataclass(frozen=True, slots=True)
class Powered:
    """A rate with what the judge added."""

    value: float
    interval: Interval
    judge_weight: float
    """How far the judge was listened to: 0 not at all, 1 plain prediction-powered inference."""
    correlation: float | None
    """Of people's and the judge's verdicts; None when one of them never varies."""
    n: int
    """Decisions that people judged."""
    n_of_judge: int


def powered_mean(judged: Sequence[Judged], of_all: Sequence[Verdicts]) -> Powered | None:
    """The rate of right decisions by PPI++; None for fewer than two traces that people judged.

    With equal weights and one decision a trace this is the published estimator: λ of least
    variance, clipped to [0, 1]. Weights make means ratios of weighted sums; decisions of one trace
    are one cluster of the variance.

    Args:
        judged: A random draw of the frame.
        of_all: What the judge says of the frame, trace by trace.

    Source: Angelopoulos, Duchi and Zrnic 2023, "PPI++" (arXiv 2311.01453), mean estimation.
    """
    if len({item.cluster for item in judged}) < 2:
        return None
    import numpy as np

    y = np.array([item.is_right for item in judged], dtype=float)
    f = np.array([item.is_judged_right for item in judged], dtype=float)
    w = np.array([item.weight for item in judged], dtype=float)
    n_right = np.array([verdicts.n_right for verdicts in of_all], dtype=float)
    n_of = np.array([verdicts.n for verdicts in of_all], dtype=float)
    judge_weight = _judge_weight(y, f, w, float(n_right.sum()), float(n_of.sum()))
    residual = y - judge_weight * f
    value = float((w @ residual) / w.sum())
    variance = _clustered_variance(residual, w, [item.cluster for item in judged])
    if n_of.sum():
        mean = float(n_right.sum() / n_of.sum())
        value += judge_weight * mean
        between = float(((n_right - mean * n_of) ** 2).sum() / n_of.sum() ** 2)
        variance += judge_weight**2 * between
    half = _Z * float(np.sqrt(variance))
    return Powered(
        value=min(1.0, max(0.0, value)),
        interval=Interval(max(0.0, value - half), min(1.0, value + half), LEVEL, "ppi++"),
        judge_weight=judge_weight,
        correlation=_correlation(y, f, w),
        n=len(judged),
        n_of_judge=int(n_of.sum()),
    )


def _judge_weight(
    y: "Numbers", f: "Numbers", w: "Numbers", n_right: float, n_of_judge: float
) -> float:
    """λ of least variance: Cov(y, f) / ((1 + n / N) Var(f)), clipped; 0 for a judge without news."""
    n = len(y) + n_of_judge
    mean = (float(f.sum()) + n_right) / n
    spread = mean * (1 - mean) * n / (n - 1)
    if not n_of_judge or spread == 0:
        return 0.0
    share = w / w.sum()
    covariance = float(share @ ((y - share @ y) * (f - share @ f)))
    return min(1.0, max(0.0, covariance / ((1 + len(y) / n_of_judge) * spread)))


def _clustered_variance(residual: "Numbers", w: "Numbers", clusters: Sequence[str]) -> float:
    """Of the weighted mean of the residuals; clusters of one make it the sample variance over n."""
    import numpy as np

    mean = float((w @ residual) / w.sum())
    _, of = np.unique(np.array(clusters), return_inverse=True)
    sums = np.bincount(of, weights=w * (residual - mean))
    return float((sums**2).sum() / w.sum() ** 2)


def _correlation(y: "Numbers", f: "Numbers", w: "Numbers") -> float | None:
    share = w / w.sum()
    dy, df = y - share @ y, f - share @ f
    spread = float((share @ dy**2) * (share @ df**2))
    return float(share @ (dy * df)) / spread**0.5 if spread > 0 else None
