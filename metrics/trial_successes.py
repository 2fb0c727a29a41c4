"""Does the agent succeed every time? Trials of one test case, and pass^k over the cases."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

from metrics.statements import Store, answer


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials of one test case."""

    case_id: str
    n: int
    n_success: int


def trial_successes(database: Store) -> dict[str, list[Trials]]:
    """The cases of each container whose runs carry a reward, by its name; empty without any."""
    found: dict[str, list[Trials]] = defaultdict(list)
    for row in answer(database, "trial_successes"):
        trials = Trials(row["case_id"], int(row["n"]), int(row["n_success"]))
        found[row["source"]].append(trials)
    return dict(found)


def pass_hat_k(cases: Sequence[Trials], k: int) -> float | None:
    """Chance that all of `k` further trials of a case succeed, averaged over cases.

    The unbiased estimate C(successes, k) / C(trials, k) of each case with at least `k` trials.
    pass^1 is the success rate; the more it falls with `k`, the less the agent can be relied on.

    Returns:
        None when no case has `k` trials.

    Raises:
        ValueError: `k` is less than 1.

    Source: tau-bench (Yao et al. 2024), eq. 1.
    """
    if k < 1:
        raise ValueError(f"k {k!r}: must be at least 1")
    shares = [comb(case.n_success, k) / comb(case.n, k) for case in cases if case.n >= k]
    return sum(shares) / len(shares) if shares else None
