"""Clean against controlled noise, paired by case: what noise takes from facts, prompts and choices.

Every case is played once clean and, for each kind of noise, each intensity and each seed, once
disturbed. Counts only; shares and intervals are `metrics`'.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pipeline.observation import PROFILES, NoiseKind, NoiseProfile, RuleSet, SemanticSnapshot
from pipeline.replay.case import Case, CaseKind, Recorded
from pipeline.replay.observing import Noise, context_of, fragment_line, see
from pipeline.replay.playing import WORKERS, Setup, play

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
    clean = play(case, setup)
    if clean.is_right is None:
        return []
    reading = _Reading.of(case, setup.rules)
    found = []
    for kind, noise in noises:
        noisy = play(case, replace(setup, noise=noise))
        kept, critical_kept = reading.kept(case, setup.rules, noise)
        is_task = case.kind is CaseKind.END_TO_END
        found.append(
            Look(
                case_id=case.case_id,
                kind=kind,
                intensity=noise.intensity,
                seed=noise.seed,
                n_facts=len(reading.lines),
                n_kept=kept,
                n_critical=len(reading.critical_lines),
                n_critical_kept=critical_kept,
                is_prompt_changed=None if is_task else clean.prompt != noisy.prompt,
                is_flipped=clean.shown != noisy.shown if is_task else None,
                is_right_clean=clean.is_right,
                is_right_noisy=noisy.is_right,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class _Reading:
    """The clean statements of a case, all its outputs read together."""

    lines: frozenset[str]
    critical_lines: frozenset[str]

    @classmethod
    def of(cls, case: Case, rules: RuleSet) -> "_Reading":
        seen = see(_read_outputs(case, rules), context_of(case), rules)
        critical = _lines(seen.snapshot, seen.critical)
        return cls(frozenset(map(fragment_line, seen.snapshot)), frozenset(critical))

    def kept(self, case: Case, rules: RuleSet, noise: Noise) -> tuple[int, int]:
        """How many statements read the same with noise, and how many critical ones."""
        seen = see(_read_outputs(case, rules), context_of(case), rules, noise)
        lines = frozenset(map(fragment_line, seen.snapshot))
        return len(self.lines & lines), len(self.critical_lines & lines)


def _read_outputs(case: Case, rules: RuleSet) -> list[Recorded]:
    return [item for item in case.recorded if rules.for_tool(item.tool)]


def _lines(snapshot: SemanticSnapshot, types: frozenset[str]) -> Iterator[str]:
    return (fragment_line(fragment) for fragment in snapshot if fragment.type in types)
