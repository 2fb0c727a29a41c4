"""How often the default interval of an accuracy holds the truth, on simulated clustered draws.

Run as a script it prints a table beside the interval that takes decisions for independent:

    python -P -m tests.bench.interval_coverage
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from metrics.intervals import Proportion, proportion_interval, wilson

TRUTH: Final = 0.87
MEAN_SIZE: Final = 5.8
N_RUNS: Final = 4_000
LEAST: Final = 0.93
"""What a nominal 95 % has to cover in every cell."""
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Draw:
    """One simulated audit: right and judged decisions by trace, weighted."""

    y: Numbers
    m: Numbers
    n: int


@dataclass(frozen=True, slots=True)
class Cell:
    """A kind of draw, and how often its intervals held the truth."""

    name: str
    coverage: float
    naive: float
    """Of Wilson's interval over decisions taken for independent and equally likely."""
    width: float
    """Mean width of the default interval."""


def clustered(n_traces: int, correlation: float) -> Callable[[np.random.Generator], Draw]:
    """Traces of geometric size whose decisions are alike: beta-binomial with this correlation."""

    def draw(generator: np.random.Generator) -> Draw:
        sizes = generator.geometric(1 / MEAN_SIZE, n_traces)
        y = generator.binomial(sizes, _rates(generator, TRUTH, correlation, n_traces))
        return Draw(y.astype(float), sizes.astype(float), int(sizes.sum()))

    return draw


def per_trace(
    n_traces: int, correlation: float, most: int
) -> Callable[[np.random.Generator], Draw]:
    """The same with at most so many decisions of a trace, weighted by the chance of each."""

    def draw(generator: np.random.Generator) -> Draw:
        sizes = generator.geometric(1 / MEAN_SIZE, n_traces)
        taken = np.minimum(sizes, most)
        y = generator.binomial(taken, _rates(generator, TRUTH, correlation, n_traces))
        weight = sizes / taken
        return Draw(y * weight, taken * weight, int(taken.sum()))

    return draw


def stratified(correlation: float) -> Callable[[np.random.Generator], Draw]:
    """Equal numbers of ten parts of very unequal size and rate, weighted back to the frame."""
    shares = np.array([0.4, 0.2, 0.12, 0.08, 0.06, 0.05, 0.04, 0.03, 0.01, 0.01])
    rates = np.array([0.95, 0.9, 0.85, 0.8, 0.8, 0.75, 0.7, 0.7, 0.5, 0.5])
    rates += TRUTH - float(shares @ rates)

    def draw(generator: np.random.Generator) -> Draw:
        n_traces = 30
        alike = np.concatenate([_rates(generator, p, correlation, n_traces) for p in rates])
        weights = np.repeat(shares / n_traces, n_traces)
        return Draw(generator.binomial(2, alike) * weights, 2 * weights, 2 * len(weights))

    return draw


DRAWS: Final[dict[str, Callable[[np.random.Generator], Draw]]] = {
    "20 traces, correlation .2": clustered(20, 0.2),
    "40 traces, correlation .4": clustered(40, 0.4),
    "100 traces, correlation .05": clustered(100, 0.05),
    "100 traces, correlation .4": clustered(100, 0.4),
    "100 traces, correlation .4, two of each": per_trace(100, 0.4, 2),
    "ten strata of 30 traces, equal, correlation .4": stratified(0.4),
}
"""The first four are those of the evaluation notes; the others are draws that this tool makes."""


def cells(n_runs: int = N_RUNS, seed: int = 7) -> Iterator[Cell]:
    """Every kind of draw."""
    for name, draw in DRAWS.items():
        generator = np.random.default_rng(seed)
        yield _cell(name, [draw(generator) for _ in range(n_runs)])


def _cell(name: str, draws: list[Draw]) -> Cell:
    n_held = n_naive = 0
    width = 0.0
    for draw in draws:
        share = _proportion(draw)
        interval = proportion_interval(share)
        assert interval is not None
        assert share.value is not None
        n_held += interval.low <= TRUTH <= interval.high
        width += interval.high - interval.low
        naive = wilson(share.value, share.n)
        n_naive += naive.low <= TRUTH <= naive.high
    n = len(draws)
    return Cell(name, n_held / n, n_naive / n, width / n)


def _proportion(draw: Draw) -> Proportion:
    y, m = draw.y, draw.m
    return Proportion(
        numerator=float(y.sum()),
        denominator=float(m.sum()),
        n=draw.n,
        n_clusters=len(y),
        yy=float(y @ y),
        ym=float(y @ m),
        mm=float(m @ m),
    )


def _rates(generator: np.random.Generator, rate: float, correlation: float, n: int) -> Numbers:
    """Rates of traces around `rate`: beta with this intraclass correlation."""
    spread = 1 / correlation - 1
    found: Numbers = generator.beta(rate * spread, (1 - rate) * spread, n)
    return found


def main() -> None:
    """Print the table."""
    print(f"{'draw':50} {'covers':>7} {'naive':>7} {'width':>7}")  # noqa: T201
    for cell in cells():
        print(f"{cell.name:50} {cell.coverage:7.3f} {cell.naive:7.3f} {cell.width:7.3f}")  # noqa: T201


if __name__ == "__main__":
    main()
