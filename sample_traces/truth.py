"""What the simulator knows of each run: the counts that any reader of the spans must reach."""

from dataclasses import dataclass
from itertools import pairwise
from typing import TypedDict

from pipeline.vocabulary import CallStatus, RetryKind, SelectionLabel
from sample_traces.intents import Call

RETRY_WINDOW = 3
"""A failed call is tried again only within the next three calls; later ones are new."""


class TraceTruth(TypedDict):
    """The counts of one trace; plain values only."""

    intent: str
    llm_calls: int
    """Answered ones."""
    llm_errors: int
    tools: list[str]
    """Every call the model asked for, in order, stopped ones included."""
    statuses: list[str]
    """ok, error or blocked, one for each of `tools`."""
    tool_errors: int
    blocked: int
    attempts: int
    calls_tried_again: int
    """Calls with more than one attempt: explicit retries."""
    identical_retries: int
    """Calls that repeat a failed one with equal arguments."""
    corrected_retries: int
    """Calls that repeat a failed one with other arguments."""
    steps: int
    """Distinct step indices that were executed."""
    guard_evaluations: int
    guard_hits: int
    degraded: int
    noise_rows: int
    observations: int
    """Turns whose outputs went through the pipeline."""
    unknown_facts: int
    """Values no dictionary has words for, over all observations."""
    unconfirmed_refunds: int
    """Refunds that ran without a confirmation token."""
    is_misled: bool
    """Whether noise changed what the user was told, or what the model did."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    run_failed: bool | None
    """None for a run that never finished."""
    is_finished: bool
    longest_identical_run: int
    """Longest run of equal calls in a row; 0 when no call repeats."""


@dataclass(frozen=True, slots=True)
class JudgedDecision:
    """One decision and the label an honest judge gives it."""

    trace_id: str
    turn_index: int
    call_index: int | None
    time_ns: int
    tool: str
    """NO_CALL for a turn that asked for none."""
    label: SelectionLabel
    expected: Call | None
    """The call that was needed; None where none was."""

    @property
    def expected_tool(self) -> str | None:
        """The tool that was needed; None where no call was."""
        return None if self.expected is None else self.expected.tool


@dataclass(slots=True)
class PastCall:
    """One call of a run, as the retry rule needs it."""

    tool: str
    arguments: str
    status: CallStatus


def new_truth(intent: str) -> TraceTruth:
    """The truth of a run in which nothing has happened yet."""
    return TraceTruth(
        intent=intent,
        llm_calls=0,
        llm_errors=0,
        tools=[],
        statuses=[],
        tool_errors=0,
        blocked=0,
        attempts=0,
        calls_tried_again=0,
        identical_retries=0,
        corrected_retries=0,
        steps=0,
        guard_evaluations=0,
        guard_hits=0,
        degraded=0,
        noise_rows=0,
        observations=0,
        unknown_facts=0,
        unconfirmed_refunds=0,
        is_misled=False,
        input_tokens=0,
        output_tokens=0,
        cached_tokens=0,
        run_failed=None,
        is_finished=False,
        longest_identical_run=0,
    )


def retried_call(past: list[PastCall], tool: str) -> PastCall | None:
    """The failed call that a new call of `tool` tries again; None when it is no retry.

    Source: same tool, no success of it in between, among the last three calls.
    """
    for call in reversed(past[-RETRY_WINDOW:]):
        if call.tool == tool:
            return call if call.status is CallStatus.ERROR else None
    return None


def retry_kind(failed: PastCall, arguments: str) -> RetryKind:
    """Whether the arguments are the failed call's or corrected ones."""
    return RetryKind.IDENTICAL if failed.arguments == arguments else RetryKind.CORRECTED


def longest_identical_run(past: list[PastCall]) -> int:
    """Longest run of equal calls in a row; 0 when no call repeats."""
    longest = run = 1
    for before, after in pairwise(past):
        is_equal = (before.tool, before.arguments) == (after.tool, after.arguments)
        run = run + 1 if is_equal else 1
        longest = max(longest, run)
    return longest if longest > 1 else 0
