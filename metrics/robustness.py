"""What controlled noise does, from looks at cases clean and disturbed: shares with intervals."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from metrics.paired import Paired, Share, clustered_share
from pipeline.replay.robustness import Look


@dataclass(frozen=True, slots=True)
class Robustness:
    """One kind of noise at one intensity, over every case and seed."""

    kind: str
    """A kind of noise, or `all`."""
    intensity: float
    n_seeds: int
    facts_kept: Share
    """Of the clean statements, those that read the same."""
    critical_kept: Share
    """Of those the request is about; must be all of them, by the whitelist of S0 §3.3."""
    prompts_changed: Share
    """Of the prompts of observations."""
    flipped: Share
    """Of the plays of tasks, those that made other calls than the clean one."""
    right: Paired
    """Cases right clean against right with noise (with most of the seeds)."""

    @property
    def retention(self) -> float | None:
        """Share right with noise over share right clean; None without a case right clean."""
        clean, noisy = self.right.before, self.right.after
        return noisy / clean if clean and noisy is not None else None

    @property
    def is_critical_untouched(self) -> bool:
        """Whether noise left every critical statement alone."""
        return self.critical_kept.numerator == self.critical_kept.denominator


def robustness(looks: Iterable[Look]) -> list[Robustness]:
    """One row for each kind and intensity, in the order they were looked at; empty without looks.

    Cases are the clusters of every share: looks at one case with several seeds are alike.

    Source: evaluation practice (paired by case, at least five seeds, per-kind ablation).
    """
    found = list(looks)
    order = list(dict.fromkeys((look.kind, look.intensity) for look in found))
    ranked = sorted(found, key=lambda look: order.index((look.kind, look.intensity)))
    groups = groupby(ranked, key=lambda look: (look.kind, look.intensity))
    return [_row(kind, intensity, list(group)) for (kind, intensity), group in groups]


def _row(kind: str, intensity: float, looks: Sequence[Look]) -> Robustness:
    return Robustness(
        kind=kind,
        intensity=intensity,
        n_seeds=len({look.seed for look in looks}),
        facts_kept=_share(looks, lambda look: (look.n_kept, look.n_facts)),
        critical_kept=_share(looks, lambda look: (look.n_critical_kept, look.n_critical)),
        prompts_changed=_share(looks, lambda look: _one(look.is_prompt_changed)),
        flipped=_share(looks, lambda look: _one(look.is_flipped)),
        right=_paired(looks),
    )


def _one(is_so: bool | None) -> tuple[int, int]:
    return (0, 0) if is_so is None else (int(is_so), 1)


def _share(looks: Sequence[Look], counts: Callable[[Look], tuple[int, int]]) -> Share:
    return clustered_share([list(map(counts, of_case)) for of_case in _by_case(looks)])


def _paired(looks: Sequence[Look]) -> Paired:
    n_broken = n_fixed = n_same_right = n_same_wrong = 0
    for of_case in _by_case(looks):
        judged = [look for look in of_case if look.is_right_noisy is not None]
        if not judged:
            continue
        before = bool(judged[0].is_right_clean)
        after = 2 * sum(bool(look.is_right_noisy) for look in judged) > len(judged)
        n_broken += before and not after
        n_fixed += after and not before
        n_same_right += before and after
        n_same_wrong += not before and not after
    return Paired(n_broken, n_fixed, n_same_right, n_same_wrong)


def _by_case(looks: Sequence[Look]) -> list[list[Look]]:
    found: dict[str, list[Look]] = {}
    for look in looks:
        found.setdefault(look.case_id, []).append(look)
    return list(found.values())
