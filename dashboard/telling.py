"""One trace told whole: its steps, what may have gone wrong first, its noise, and what is like it.

What the terminal prints and what a bundle holds; the page asks the same parts one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from metrics import DAY_NS, Scope
from metrics.incident import Diagnosis, Similar, diagnose, last_good, sign_outcomes, similar
from replay_store.database import Database
from replay_store.kept_by_people import trace_notes
from replay_store.reader import get_trace, trace_noise
from replay_store.records import NoiseLog, Trace, TraceNote
from replay_store.story import Step, fault_signs, trace_steps

__all__ = ["Told", "around", "before", "tell"]

_BEFORE_DAYS: Final = 30
_AFTER_DAYS: Final = 7
_NOTHING: Final = Similar((), ())


@dataclass(frozen=True, slots=True)
class Told:
    """A trace and everything that is said of it."""

    trace: Trace
    steps: Sequence[Step]
    diagnosis: Diagnosis
    noise: Sequence[NoiseLog]
    similar: Similar
    """Of the diagnosis's signature; empty without one."""
    last_good: str | None
    notes: Sequence[TraceNote]


def around(trace: Trace) -> Scope | None:
    """The days by which a trace is judged: thirty before its own and a week after; None untimed."""
    if trace.start_time_ns is None:
        return None
    day = trace.start_time_ns // DAY_NS
    return Scope((day - _BEFORE_DAYS) * DAY_NS, (day + _AFTER_DAYS + 1) * DAY_NS)


def before(trace: Trace) -> Scope | None:
    """The thirty days before a trace began; None for one without a time."""
    if trace.start_time_ns is None:
        return None
    return Scope(trace.start_time_ns - _BEFORE_DAYS * DAY_NS, trace.start_time_ns)


def tell(database: Database, trace_id: str) -> Told | None:
    """Everything about one trace; None when the store does not hold it."""
    trace = get_trace(database, trace_id)
    if trace is None:
        return None
    steps, scope, earlier = trace_steps(database, trace_id), around(trace), before(trace)
    outcomes = {} if scope is None else sign_outcomes(database, scope)
    diagnosis = diagnose(steps, fault_signs(database, trace_id), outcomes)
    best = diagnosis.signature
    alike = _NOTHING
    if best is not None and scope is not None:
        alike = similar(database, best, trace_id, scope)
    return Told(
        trace=trace,
        steps=steps,
        diagnosis=diagnosis,
        noise=trace_noise(database, trace_id),
        similar=alike,
        last_good=None if earlier is None else last_good(database, trace_id, earlier),
        notes=trace_notes(database, trace_id),
    )
