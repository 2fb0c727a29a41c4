"""What happened in one trace, step by step, and the signs of a fault in it: rows, no judgement."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from replay_store.database import Database
from replay_store.reader import arrived, happened
from replay_store.statements import statement

__all__ = ["MAX_STEPS", "TICK_NS", "Act", "FaultSign", "Step", "fault_signs", "trace_steps"]

MAX_STEPS: Final = 5_000
"""More are cut, and said to be: nobody reads them line by line."""
TICK_NS: Final = 1_000_000
"""Times that contradict their order by less tell of no skew: many clocks tell milliseconds."""


class Act(StrEnum):
    """What a step is."""

    PLANNED = "planned"
    """A model asked for calls."""
    GUARDED = "guarded"
    """A rule looked at an action."""
    CALLED = "called"
    RETRIED = "retried"
    """A call, or one attempt of it, tried again after a failure."""
    OBSERVED = "observed"
    """Outputs were read and put into words for the model."""
    ANSWERED = "answered"
    """A model answered and asked for nothing more."""


class Step(NamedTuple):
    """One step of a trace. What does not apply to its kind is None; counts that do not show too."""

    act: Act
    span_id: str | None
    time_ns: int | None
    end_time_ns: int | None
    duration_ns: int | None
    status: str
    """ok, error, unfinished; of a call also blocked, pending, unknown; of a guard its decision."""
    subject: str | None
    """The model, or the tool."""
    call_index: int | None
    attempt_index: int | None
    """Of one attempt of a call, from 1: the first one is the call itself."""
    error_type: str | None
    detail: str | None
    """The message of an error, a guard's reason, else the beginning of a result or an answer."""
    reason: str | None
    """Why a model stopped, which rule looked, how a call was degraded."""
    n_attempts: int | None
    retry_of: int | None
    """call_index of the failed call that this one tries again."""
    arguments: str | None
    arguments_hash: int | None
    snapshot_hash: str | None
    n_requested: int | None
    input_tokens: int | None
    output_tokens: int | None
    n_facts: int | None
    n_conflicts: int | None
    n_unknown: int | None
    n_unparsed: int | None
    n_failed: int | None
    n_noise: int | None
    wait_ns: int | None
    """From the end of the attempt before, or of the turn that asked for the call, to its start. Less than
    0 where the times contradict the order: they are kept as they came."""


@dataclass(frozen=True, slots=True)
class FaultSign:
    """One sign that something may have gone wrong, as the view `fault_sign` says it."""

    sign: str
    tool_name: str | None
    contract_version: str | None
    error_type: str | None
    """The class of the error, the rule of a guard, how a call was degraded."""
    call_index: int | None
    span_id: str | None
    time_ns: int | None
    is_recovered: bool
    """Whether the same tool answered well later."""
    n: int
    """How many facts of an observation show it; 1 for all else."""


def trace_steps(database: Database, trace_id: str, *, limit: int = MAX_STEPS) -> list[Step]:
    """The steps of one trace by time, those without one last; empty for an unknown trace."""
    parameters = {"limit": limit} | arrived(database, trace_id)
    found = database.tuples(Step, statement("sql/trace_steps"), parameters, of_trace=trace_id)
    return [Step._make((Act(step.act), *step[1:])) for step in found]


def fault_signs(database: Database, trace_id: str) -> list[FaultSign]:
    """The signs of a fault in one trace, in the order of its calls; empty when there are none."""
    rows = database.rows(statement("sql/trace_fault_signs"), happened(database, trace_id))
    return [FaultSign(**row) for row in rows]
