"""Clean against controlled noise, paired by case: what noise takes from facts, prompts and choices.

Every case is played once clean and, for each kind of noise, each intensity and each seed, once
disturbed. Counts only; shares and intervals are `metrics`'.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pipeline.errors import ToolsightError
from pipeline.observation import PROFILES, NoiseKind, NoiseProfile
from pipeline.replay.case import Case, CaseKind
from pipeline.replay.observing import (
    Noise,
    Seen,
    context_of,
    fragment_line,
    judge_observation,
    see,
    see_case,
)
from pipeline.replay.outcome import Outcome
from pipeline.replay.playing import WORKERS
from pipeline.replay.setup import Setup, play

ALL_KINDS: Final = "all"
"""The noise as it is used, every kind together."""
INTENSITIES: Final = (0.0, 0.1, 0.2, 0.3, 0.4)
SEEDS: Final = (0, 1, 2, 3, 4)

_NEVER: Final = 10**9
_BASE: Final = PROFILES["seed-v1"]
_NONE: Final = NoiseProfile(
    "seed-v1-none",
    drop_below=0.0,
    truncate_over=_NEVER,
    jitter_share=0.0,
    jitter_days=0,
    labels_unknown=False,
)


@dataclass(frozen=True, slots=True)
class Look:
    """One case, once disturbed, beside its clean play."""

    case_id: str
    kind: str
    """A kind of noise, or `all`."""
    intensity: float
    seed: int
    n_facts: int
    """Statements of the clean play."""
    n_kept: int
    """Of those, the ones that read the same."""
    n_critical: int
    """Statements of types that the request is about; noise must leave them alone."""
    n_critical_kept: int
    is_prompt_changed: bool | None
    """None for a task: its prompts are steps on the way."""
    is_flipped: bool | None
    """Whether other calls were made than in the clean play; None for an observation."""
    is_right_clean: bool | None
    is_right_noisy: bool | None


def profile_of(kind: str) -> NoiseProfile:
    """The noise profile that disturbs in one way only; `all` for every way together.

    Raises:
        ValueError: There is no such kind.
    """
    base, only = _BASE, replace(_NONE, name=f"seed-v1-{kind.lower()}")
    match kind:
        case "all":
            return base
        case NoiseKind.DROP:
            return replace(only, drop_below=base.drop_below)
        case NoiseKind.TRUNCATE:
            return replace(only, truncate_over=base.truncate_over)
        case NoiseKind.JITTER_NUM:
            return replace(only, jitter_share=base.jitter_share)
        case NoiseKind.JITTER_DATE:
            return replace(only, jitter_days=base.jitter_days)
        case NoiseKind.LABEL_UNKNOWN:
            return replace(only, labels_unknown=base.labels_unknown)
        case _:
            raise ValueError(f"{kind}: expected all or one of {', '.join(NoiseKind)}")


def looks(
    cases: Sequence[Case],
    setup: Setup,
    *,
    kinds: Sequence[str] = (ALL_KINDS, *NoiseKind),
    intensities: Sequence[float] = INTENSITIES,
    seeds: Sequence[int] = SEEDS,
    n_workers: int = WORKERS,
) -> list[Look]:
    """Every look at every observation and task, by case, kind, intensity and seed.

    Retired cases, and kinds of case that read no outputs, are left out; so is a case that cannot be
    judged clean.
    """
    wanted = [
        case
        for case in cases
        if not case.is_retired and case.kind in (CaseKind.OBSERVATION, CaseKind.END_TO_END)
    ]
    noises = [
        (kind, Noise(profile_of(kind), intensity, seed))
        for kind in kinds
        for intensity in intensities
        for seed in seeds
    ]
    look = partial(_of_case, setup=replace(setup, noise=None), noises=noises)
    with ThreadPoolExecutor(max_workers=max(n_workers, 1)) as pool:
        return [item for found in pool.map(look, wanted) for item in found]


def _of_case(case: Case, *, setup: Setup, noises: Sequence[tuple[str, Noise]]) -> list[Look]:
    look = _observation_look if case.kind is CaseKind.OBSERVATION else _task_look
    try:
        clean = _Play.of(case, setup)
    except ToolsightError:
        return []
    if clean.outcome.is_right is None:
        return []
    return [
        look(case, kind, noise, clean, _Play.of(case, replace(setup, noise=noise)))
        for kind, noise in noises
    ]


@dataclass(frozen=True, slots=True)
class _Play:
    """One play of a case: what came out, and all its outputs read together."""

    outcome: Outcome
    seen: Seen
    lines: frozenset[str]

    @classmethod
    def of(cls, case: Case, setup: Setup) -> "_Play":
        if case.kind is CaseKind.OBSERVATION:
            seen = see_case(case, setup.rules, setup.noise)
            outcome = judge_observation(case, seen)
        else:
            read = [item for item in case.recorded if setup.rules.for_tool(item.tool)]
            seen = see(read, context_of(case), setup.rules, setup.noise)
            outcome = play(case, setup)
        return cls(outcome, seen, frozenset(map(fragment_line, seen.snapshot)))

    @property
    def critical_lines(self) -> frozenset[str]:
        """The statements of types that the request is about."""
        types = self.seen.critical
        return frozenset(fragment_line(f) for f in self.seen.snapshot if f.type in types)


def _observation_look(case: Case, kind: str, noise: Noise, clean: _Play, noisy: _Play) -> Look:
    is_changed = clean.seen.prompt != noisy.seen.prompt
    return _look(case, kind, noise, clean, noisy, is_changed, None)


def _task_look(case: Case, kind: str, noise: Noise, clean: _Play, noisy: _Play) -> Look:
    is_flipped = clean.outcome.shown != noisy.outcome.shown
    return _look(case, kind, noise, clean, noisy, None, is_flipped)


def _look(
    case: Case,
    kind: str,
    noise: Noise,
    clean: _Play,
    noisy: _Play,
    is_prompt_changed: bool | None,
    is_flipped: bool | None,
) -> Look:
    critical = clean.critical_lines
    return Look(
        case_id=case.case_id,
        kind=kind,
        intensity=noise.intensity,
        seed=noise.seed,
        n_facts=len(clean.lines),
        n_kept=len(clean.lines & noisy.lines),
        n_critical=len(critical),
        n_critical_kept=len(critical & noisy.lines),
        is_prompt_changed=is_prompt_changed,
        is_flipped=is_flipped,
        is_right_clean=clean.outcome.is_right,
        is_right_noisy=noisy.outcome.is_right,
    )
