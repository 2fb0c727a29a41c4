"""What went wrong first in one trace? Ranked hints with their evidence, or undetermined."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from metrics.incident.patterns import PATTERNS, pattern_signs
from metrics.incident.signs import SIGNS, Reference
from metrics.intervals import wilson
from metrics.layers import Layer
from metrics.statements import Store, answer
from metrics.values import Interval, Scope
from replay_store.story import FaultSign, Step

__all__ = ["Diagnosis", "Hint", "Outcome", "diagnose", "sign_outcomes"]

ENOUGH: Final = 30
"""Traces with a sign from which on its own share stands alone; below, the reference fills up."""
_LEAST_LIFT: Final = 0.1
"""How far above the share of all traces that failed the lower bound of a hint must be."""
_MOST: Final = 3
_LAYER_ORDER: Final = tuple(Layer)


class Outcome(NamedTuple):
    """How many traces there were, and how many of them failed."""

    n: int
    n_failed: int


@dataclass(frozen=True, slots=True)
class Hint:
    """One thing that may be the fault, and what speaks for it."""

    sign: str
    layer: Layer
    tool_name: str | None
    error_type: str | None
    call_index: int | None
    """Of the first step that shows it."""
    span_id: str | None
    step: int | None
    """Place of that step in the story; None when no step is of that span."""
    n: int
    """Steps that show it."""
    is_hard: bool
    is_recovered: bool
    """Every one of them was recovered from."""
    measured: Outcome
    """Traces of the period that show it unrecovered, and how many of them failed."""
    interval: Interval | None
    """Of the share that failed, the reference counted in while there are few; None without either."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The hints of one trace, best first, and whether the best one is borne out."""

    hints: tuple[Hint, ...]
    """At most three; recovered ones last."""
    base: Outcome
    """All traces of the period."""
    is_determined: bool
    """The best hint's lower bound lies 10 points above the share of all traces that failed."""

    @property
    def first(self) -> Hint | None:
        """The best hint when it is borne out; None: undetermined."""
        return self.hints[0] if self.is_determined else None

    @property
    def signature(self) -> Hint | None:
        """The best hint by which other traces can be found; None without one."""
        return next((hint for hint in self.hints if hint.sign not in PATTERNS), None)


def sign_outcomes(database: Store, scope: Scope) -> dict[str, Outcome]:
    """Of the traces that show each sign, how many failed; under "" those of all traces."""
    rows = answer(database, "incident/sign_outcomes", scope)
    return {row["sign"]: Outcome(int(row["n"]), int(row["n_failed"])) for row in rows}


def diagnose(
    steps: Sequence[Step], signs: Sequence[FaultSign], outcomes: Mapping[str, Outcome]
) -> Diagnosis:
    """Rank what may have gone wrong. Pure.

    Signs of one kind at one tool are one hint, at their first step. Signs that were recovered from
    come last. The rest rank by the lower bound of the share of traces with that sign that failed,
    then by step and layer, in the order in which layers depend on each other.

    Args:
        steps: The story of the trace.
        signs: What `replay_store.story.fault_signs` gives.
        outcomes: What `sign_outcomes` gives for the period before and around it.

    Source: fault attribution by ranked signals; published attribution by models is hardly better
    than guessing (Who&When: 12 % of steps), hence evidence, and "undetermined".
    """
    place = {step.span_id: index for index, step in reversed(list(enumerate(steps)))}
    grouped: dict[tuple[str, str | None], list[FaultSign]] = {}
    for sign in chain(signs, pattern_signs(steps)):
        grouped.setdefault((sign.sign, sign.tool_name), []).append(sign)
    hints = [_hint(group, place, outcomes) for group in grouped.values()]
    hints.sort(key=lambda hint: _rank(hint, len(steps)))
    base = outcomes.get("", Outcome(0, 0))
    best = hints[0] if hints else None
    return Diagnosis(tuple(hints[:_MOST]), base, best is not None and _is_borne_out(best, base))


def _hint(
    group: Sequence[FaultSign],
    place: Mapping[str | None, int],
    outcomes: Mapping[str, Outcome],
) -> Hint:
    is_recovered = all(sign.is_recovered for sign in group)
    telling = [sign for sign in group if sign.is_recovered == is_recovered]
    first = min(telling, key=lambda sign: place.get(sign.span_id, len(place)))
    kind = SIGNS[first.sign]
    measured = outcomes.get(first.sign, Outcome(0, 0))
    return Hint(
        sign=first.sign,
        layer=kind.layer,
        tool_name=first.tool_name,
        error_type=first.error_type,
        call_index=first.call_index,
        span_id=first.span_id,
        step=place.get(first.span_id),
        n=len(telling),
        is_hard=kind.is_hard,
        is_recovered=is_recovered,
        measured=measured,
        interval=_interval(measured, kind.reference),
    )


def _interval(measured: Outcome, reference: Reference | None) -> Interval | None:
    """95 % of the share that failed; below `ENOUGH` traces the reference stands for those missing."""
    n, n_failed = float(measured.n), float(measured.n_failed)
    if n < ENOUGH and reference is not None:
        n_failed += (ENOUGH - n) * reference.n_failed / reference.n
        n = ENOUGH
    return wilson(n_failed / n, n) if n else None


def _rank(hint: Hint, n_steps: int) -> tuple[bool, float, int, int]:
    low = hint.interval.low if hint.interval else 0.0
    step = n_steps if hint.step is None else hint.step
    return (hint.is_recovered, -low, step, _LAYER_ORDER.index(hint.layer))


def _is_borne_out(hint: Hint, base: Outcome) -> bool:
    if hint.is_recovered or hint.interval is None or not base.n:
        return False
    return hint.interval.low >= base.n_failed / base.n + _LEAST_LIFT
