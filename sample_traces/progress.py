"""What has happened so far in one run, counted as it happens."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline.vocabulary import NO_CALL, CallStatus, RetryKind, SelectionLabel
from sample_traces.chat import Usage
from sample_traces.contracts import compact_json
from sample_traces.executor import Run, Ticket
from sample_traces.intents import Call
from sample_traces.policy import Choice, Outcome
from sample_traces.truth import (
    JudgedDecision,
    PastCall,
    TraceTruth,
    longest_identical_run,
    retried_call,
    retry_kind,
)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What one task left behind, apart from its spans."""

    trace_id: str
    start_time_ns: int
    truth: TraceTruth
    decisions: Sequence[JudgedDecision]
    noise_rows: Sequence[dict[str, object]]


@dataclass(slots=True)
class Progress:
    """The calls, outcomes and judgements of one run up to now."""

    trace_id: str
    start_time_ns: int
    truth: TraceTruth
    past: list[PastCall] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    decisions: list[JudgedDecision] = field(default_factory=list)
    noise_rows: list[dict[str, object]] = field(default_factory=list)
    _n_steps: int = 0
    _executed_steps: set[int] = field(default_factory=set)

    def ticket(self, choice: Choice) -> Ticket:
        """The next call: an identical repeat of a failed one keeps its step, all else is a new one."""
        arguments = compact_json(dict(choice.call.arguments))
        failed = retried_call(self.past, choice.call.tool)
        kind = None if failed is None else retry_kind(failed, arguments)
        if failed is not None and kind is RetryKind.IDENTICAL:
            step_index = failed.step_index
        else:
            step_index = self._n_steps
            self._n_steps += 1
        self.truth["identical_retries"] += kind is RetryKind.IDENTICAL
        self.truth["corrected_retries"] += kind is RetryKind.CORRECTED
        self.past.append(PastCall(choice.call.tool, arguments, CallStatus.PENDING, step_index))
        return Ticket(choice, self.new_id("call", len(self.past)), step_index)

    def judge(
        self, tickets: Sequence[Ticket], answer: tuple[SelectionLabel, Call | None], at_ns: int
    ) -> None:
        """Keeps the label of every decision of one answered turn; `answer` for one without calls."""
        turn = self.truth["llm_calls"]
        if not tickets:
            self.decisions.append(
                JudgedDecision(self.trace_id, turn, None, at_ns, NO_CALL, *answer)
            )
        for position, ticket in enumerate(tickets):
            choice = ticket.choice
            self.decisions.append(
                JudgedDecision(
                    self.trace_id,
                    turn,
                    position,
                    at_ns,
                    choice.call.tool,
                    choice.label,
                    choice.expected,
                )
            )

    def settle(self, call_number: int, run: Run, ticket: Ticket, outcome: Outcome) -> None:
        """Counts one call that has ended; `call_number` is its place among the run's calls."""
        self.past[call_number].status = outcome.status
        self.outcomes.append(outcome)
        truth = self.truth
        truth["tools"].append(ticket.choice.call.tool)
        truth["statuses"].append(outcome.status.value)
        truth["tool_errors"] += outcome.status is CallStatus.ERROR
        truth["blocked"] += outcome.status is CallStatus.BLOCKED
        truth["attempts"] += run.n_attempts
        truth["calls_tried_again"] += run.n_attempts > 1
        truth["guard_evaluations"] += run.n_evaluations
        truth["guard_hits"] += run.n_hits
        truth["degraded"] += run.is_degraded
        call = ticket.choice.call
        is_refund = call.tool == "refund_order" and run.span_id is not None
        truth["unconfirmed_refunds"] += is_refund and "confirm_token" not in call.arguments
        if run.span_id is not None:
            self._executed_steps.add(ticket.step_index)

    def see(self, n_unknown: int, noise_rows: Sequence[dict[str, object]]) -> None:
        """Counts one observation."""
        self.truth["observations"] += 1
        self.truth["unknown_facts"] += n_unknown
        self.noise_rows.extend(noise_rows)

    def count_usage(self, usage: Usage) -> None:
        """Counts one answered model call and its tokens."""
        self.truth["llm_calls"] += 1
        self.truth["input_tokens"] += usage.input_tokens
        self.truth["output_tokens"] += usage.output_tokens
        self.truth["cached_tokens"] += usage.cached_tokens

    def new_id(self, kind: str, number: int) -> str:
        """The id of the run's call or response of this number."""
        return (
            f"{kind}_{hashlib.sha256(f'{self.trace_id}|{kind}|{number}'.encode()).hexdigest()[:12]}"
        )

    def record(self) -> RunRecord:
        """The run as it ended."""
        self.truth["steps"] = len(self._executed_steps)
        self.truth["noise_rows"] = len(self.noise_rows)
        self.truth["longest_identical_run"] = longest_identical_run(self.past)
        return RunRecord(
            self.trace_id, self.start_time_ns, self.truth, self.decisions, self.noise_rows
        )
