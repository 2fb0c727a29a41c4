"""Agreement of raters corrected for chance, from counts of categories by unit.

Units are decisions, categories nominal, any number of raters, missing judgements allowed.
"""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Final

from metrics.intervals import LEVEL
from metrics.values import Interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Counts = npt.NDArray[np.float64]
    """Units by categories: how many raters gave each."""

_N_RESAMPLES: Final = 2_000
_SEED: Final = 20_240_611


def counts(units: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]) -> "Counts":
    """How many raters of each unit gave each category; units with one rater are kept."""
    import numpy as np

    column = {category: at for at, category in enumerate(categories)}
    found = np.zeros((len(units), len(categories)))
    for row, unit in enumerate(units):
        for given in unit:
            found[row, column[given]] += 1
    return found


def raw_agreement(found: "Counts") -> float | None:
    """Share of pairs of raters of one unit that agree, mean over units; None without a pair."""
    paired = found[found.sum(axis=1) >= 2]
    return float(_pair_shares(paired).mean()) if len(paired) else None


def krippendorff_alpha(found: "Counts") -> float | None:
    """Alpha for nominal data; None without a pair, or when every judgement is the same.

    One minus observed over expected disagreement. With one category only there is no disagreement
    to expect: the data cannot say whether raters agree or never use another word.

    Source: Krippendorff 2004, ch. 11.
    """
    return _alphas(found, _one_weight(found))[0]


def gwet_ac1(found: "Counts") -> float | None:
    """AC1, which high prevalence of one category does not pull down; None without a pair.

    The columns are all categories that could have been given.

    Source: Gwet 2008, several raters as in Gwet 2014, ch. 4.
    """
    sizes = found.sum(axis=1)
    judged, paired = found[sizes > 0], found[sizes >= 2]
    if not len(paired) or found.shape[1] < 2:
        return None
    observed = float(_pair_shares(paired).mean())
    shares: npt.NDArray[np.float64] = (judged / judged.sum(axis=1, keepdims=True)).mean(axis=0)
    expected = float((shares * (1 - shares)).sum()) / (found.shape[1] - 1)
    return float((observed - expected) / (1 - expected))


def cohen_kappa(one: Sequence[Hashable], other: Sequence[Hashable]) -> float | None:
    """Kappa of two raters over the units that both judged; None without any, or without variety.

    Source: Cohen 1960.
    """
    n = len(one)
    if n == 0:
        return None
    observed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    categories = set(one) | set(other)
    expected = sum(list(one).count(c) * list(other).count(c) for c in categories) / n**2
    return (observed - expected) / (1 - expected) if expected < 1 else None


def alpha_interval(found: "Counts") -> Interval | None:
    """95 % interval of alpha, by drawing units again; None for fewer than two units with a pair.

    Draws in which every judgement is the same say nothing and are left out.

    Source: percentile bootstrap over units, as in Krippendorff 2004, §11.4.2, and Zapf et al. 2016.
    """
    import numpy as np

    paired = found[found.sum(axis=1) >= 2]
    if len(paired) < 2:
        return None
    generator = np.random.default_rng(_SEED)
    draws = generator.multinomial(len(paired), np.full(len(paired), 1 / len(paired)), _N_RESAMPLES)
    alphas = [alpha for alpha in _alphas(paired, draws.astype(float)) if alpha is not None]
    if len(alphas) < _N_RESAMPLES / 2:
        return None
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(alphas, (tail, 1 - tail))
    return Interval(float(low), float(high), LEVEL, "bootstrap")


def _one_weight(found: "Counts") -> "Counts":
    import numpy as np

    return np.ones((1, len(found)))


def _pair_shares(paired: "Counts") -> "npt.NDArray[np.float64]":
    sizes = paired.sum(axis=1)
    shares: npt.NDArray[np.float64] = (paired * (paired - 1)).sum(axis=1) / (sizes * (sizes - 1))
    return shares


def _alphas(found: "Counts", weights: "Counts") -> list[float | None]:
    """Alpha for each row of weights of the units; everything in it is a sum over units."""
    import numpy as np

    sizes = found.sum(axis=1)
    kept = sizes >= 2
    if not kept.any():
        return [None] * len(weights)
    paired, m, w = found[kept], sizes[kept], weights[:, kept]
    differing = w @ ((paired * (m[:, None] - paired)).sum(axis=1) / (m - 1))
    totals = w @ paired
    n = totals.sum(axis=1)
    expected = (totals * (n[:, None] - totals)).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        alphas = 1 - (n - 1) * differing / expected
    return [float(a) if e > 0 else None for a, e in zip(alphas, expected, strict=True)]
