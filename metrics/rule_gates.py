"""May a draft dictionary be published? Each condition with what was found, and what would meet it.

Pure: what a back-test counted, how replay cases came out and what people said are arguments. What
the model would read can be shown; what it would decide cannot, and no gate pretends to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Final

from metrics.intervals import wilson
from metrics.paired import NOTABLE, Paired, n_to_see
from metrics.thresholds import DEFAULT_THRESHOLDS
from replay_store.backtest_impact import Impact

__all__ = [
    "DEFAULT_GATE_LIMITS",
    "Gate",
    "GateLimits",
    "GateName",
    "GateState",
    "RuleTrial",
    "is_publishable",
    "rule_gates",
]

Figure = int | float | str | None


class GateName(StrEnum):
    """The conditions, in the order in which they are shown."""

    SOUND = "sound"
    """The files can be used, have an answer for everything, and always the same one."""
    CRITICAL = "critical"
    UNKNOWN = "unknown"
    CONFLICTS = "conflicts"
    TIME = "time"
    CASES = "cases"
    COVERED = "covered"
    EXPLAINED = "explained"
    APPROVED = "approved"
    TOKENS = "tokens"
    POWER = "power"


class GateState(StrEnum):
    """How a condition stands."""

    MET = "met"
    WAITING = "waiting"
    """Somebody has to look and say so."""
    FAILED = "failed"
    WARNING = "warning"
    """Not met, and published all the same: it is for people to know."""


@dataclass(frozen=True, slots=True)
class GateLimits:
    """What is still let through."""

    max_conflict_rise: float = 0.01
    """Share of the cells with several sources; one point."""
    max_conflict_share: float = DEFAULT_THRESHOLDS.max_conflict_share
    """Where the draft adds conflicts: the upper end of the 95 % interval must stay below."""
    max_parse_p99_ms: float = 50.0
    max_token_rise: float = 0.10
    """Of the prompts that change; beyond it is a warning."""


DEFAULT_GATE_LIMITS: Final = GateLimits()
"""Source: S0 §3.1, §5.1; S3 §6.2; S4 §3.3."""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """Everything that was tried and said about a draft."""

    impact: Impact
    problems: tuple[str, ...] = ()
    """Errors of the check, one sentence each; empty when generated answers were all read well."""
    cases: Paired = field(default_factory=lambda: Paired(0, 0, 0, 0))
    """Replay cases by base and draft."""
    broken_cases: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    """Changed fact types that no replay case guards."""
    acknowledged: frozenset[str] = frozenset()
    """Keys of the classes of change that somebody said are meant."""
    approved_by: str | None = None
    """Another owner than those who changed the draft."""
    needs_approval: bool = True
    """False where the team is one person."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition and how it stands."""

    name: GateName
    is_hard: bool
    """Whether nothing is published while it is not met."""
    state: GateState
    figures: Mapping[str, Figure]
    """What the sentences about it name."""
    items: tuple[str, ...] = ()
    """What stands in the way, one each."""

    @property
    def is_open(self) -> bool:
        """Whether it lets the draft pass."""
        return not self.is_hard or self.state is GateState.MET


def rule_gates(trial: RuleTrial, limits: GateLimits = DEFAULT_GATE_LIMITS) -> tuple[Gate, ...]:
    """How every condition stands, hard ones first.

    Source: the workflow of S4 §4.4 and S3 §6.2; limits as `GateLimits` says.
    """
    return (
        _sound(trial),
        _critical(trial.impact),
        _unknown(trial.impact),
        _conflicts(trial.impact, limits),
        _time(trial.impact, limits),
        _cases(trial),
        _covered(trial),
        _explained(trial),
        _approved(trial),
        _tokens(trial.impact, limits),
        _power(trial.cases),
    )


def is_publishable(gates: Sequence[Gate]) -> bool:
    """Whether nothing stands in the way."""
    return all(gate.is_open for gate in gates)


def _sound(trial: RuleTrial) -> Gate:
    n_unstable = trial.impact.n_unstable
    is_met = not trial.problems and not n_unstable
    figures: dict[str, Figure] = {"n_problems": len(trial.problems), "n_unstable": n_unstable}
    return _hard(GateName.SOUND, is_met, figures, trial.problems)


def _critical(impact: Impact) -> Gate:
    lost = impact.n_critical_lost
    return _hard(GateName.CRITICAL, lost == 0, {"n_lost": lost})


def _unknown(impact: Impact) -> Gate:
    before = impact.cells_before.n_unknown + impact.cells_before.n_unparsed
    after = impact.cells_after.n_unknown + impact.cells_after.n_unparsed
    return _hard(GateName.UNKNOWN, after <= before, {"n_before": before, "n_after": after})


def _conflicts(impact: Impact, limits: GateLimits) -> Gate:
    before = _share(impact.cells_before.n_conflicts, impact.cells_before.n_multi_source_cells)
    n = impact.cells_after.n_multi_source_cells
    after = _share(impact.cells_after.n_conflicts, n)
    upper = None if after is None else wilson(after, n).high
    rise = None if after is None else after - (before or 0.0)
    is_met = (
        rise is None
        or upper is None
        or impact.cells_after.n_conflicts <= impact.cells_before.n_conflicts
        or (rise <= limits.max_conflict_rise and upper < limits.max_conflict_share)
    )
    figures: dict[str, Figure] = {
        "before": before,
        "after": after,
        "upper": upper,
        "n": n,
        "max_rise": limits.max_conflict_rise,
        "max_share": limits.max_conflict_share,
    }
    return _hard(GateName.CONFLICTS, is_met, figures)


def _time(impact: Impact, limits: GateLimits) -> Gate:
    p99 = impact.parse_p99_ms
    is_met = p99 is None or p99 <= limits.max_parse_p99_ms
    figures: dict[str, Figure] = {"p99_ms": p99, "n": impact.n_parsed}
    return _hard(GateName.TIME, is_met, figures | {"max_ms": limits.max_parse_p99_ms})


def _cases(trial: RuleTrial) -> Gate:
    figures: dict[str, Figure] = {
        "n": trial.cases.n,
        "n_broken": trial.cases.n_broken,
        "n_fixed": trial.cases.n_fixed,
    }
    return _hard(GateName.CASES, trial.cases.n_broken == 0, figures, trial.broken_cases)


def _covered(trial: RuleTrial) -> Gate:
    n = len(trial.uncovered)
    return _hard(GateName.COVERED, n == 0, {"n_uncovered": n}, trial.uncovered)


def _explained(trial: RuleTrial) -> Gate:
    keys = [item.change.key for item in trial.impact.classes]
    missing = tuple(key for key in keys if key not in trial.acknowledged)
    state = GateState.WAITING if missing else GateState.MET
    figures: dict[str, Figure] = {"n_classes": len(keys), "n_missing": len(missing)}
    return Gate(GateName.EXPLAINED, True, state, figures, missing)


def _approved(trial: RuleTrial) -> Gate:
    figures: dict[str, Figure] = {
        "approved_by": trial.approved_by,
        "needs_approval": int(trial.needs_approval),
    }
    is_met = trial.approved_by is not None or not trial.needs_approval
    state = GateState.MET if is_met else GateState.WAITING
    return Gate(GateName.APPROVED, True, state, figures)


def _tokens(impact: Impact, limits: GateLimits) -> Gate:
    rise = _share(impact.token_delta, impact.n_tokens_before)
    is_met = rise is None or rise <= limits.max_token_rise
    state = GateState.MET if is_met else GateState.WARNING
    figures: dict[str, Figure] = {"rise": rise, "max_rise": limits.max_token_rise}
    return Gate(GateName.TOKENS, False, state, figures)


def _power(cases: Paired) -> Gate:
    wanted = _cases_wanted()
    is_met = wanted is not None and cases.n >= wanted
    state = GateState.MET if is_met else GateState.WARNING
    figures: dict[str, Figure] = {
        "n": cases.n,
        "wanted": wanted,
        "power": cases.power,
        "breaks": NOTABLE[0],
        "fixes": NOTABLE[1],
    }
    return Gate(GateName.POWER, False, state, figures)


@cache
def _cases_wanted() -> int | None:
    return n_to_see(*NOTABLE)


def _hard(
    name: GateName,
    is_met: bool,
    figures: Mapping[str, Figure],
    items: tuple[str, ...] = (),
) -> Gate:
    return Gate(name, True, GateState.MET if is_met else GateState.FAILED, figures, items)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
