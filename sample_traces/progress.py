"""What has happened so far in one run, counted as it happens."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from pipeline.agent import TaskResult
from pipeline.execution import CallResult
from pipeline.execution.telemetry import compact_json
from pipeline.planning import Usage
from pipeline.vocabulary import NO_CALL, CallStatus, RetryKind, SelectionLabel
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
    _executed_steps: set[int] = field(default_factory=set)

    def ask(self, choice: Choice) -> str:
        """The id of the next call; counts it as a repeat of a failed one where it is one."""
        arguments = compact_json(dict(choice.call.arguments))
        failed = retried_call(self.past, choice.call.tool)
        kind = None if failed is None else retry_kind(failed, arguments)
        self.truth["identical_retries"] += kind is RetryKind.IDENTICAL
        self.truth["corrected_retries"] += kind is RetryKind.CORRECTED
        self.past.append(PastCall(choice.call.tool, arguments, CallStatus.PENDING))
        return self.new_id("call", len(self.past))

    def judge(
        self, choices: Sequence[Choice], answer: tuple[SelectionLabel, Call | None], at_ns: int
    ) -> None:
        """Keeps the label of every decision of one answered turn; `answer` for one without calls."""
        turn = self.truth["llm_calls"]
        if not choices:
            self.decisions.append(
                JudgedDecision(self.trace_id, turn, None, at_ns, NO_CALL, *answer)
            )
        for position, choice in enumerate(choices):
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

    def settle(self, result: CallResult, outcome: Outcome) -> None:
        """Counts the next call that has ended, in the order in which they were asked for."""
        self.past[len(self.outcomes)].status = outcome.status
        self.outcomes.append(outcome)
        truth, is_blocked = self.truth, outcome.status is CallStatus.BLOCKED
        truth["tools"].append(result.call.tool)
        truth["statuses"].append(outcome.status.value)
        truth["tool_errors"] += outcome.status is CallStatus.ERROR
        truth["blocked"] += is_blocked
        truth["guard_hits"] += is_blocked
        truth["attempts"] += result.n_attempts
        truth["calls_tried_again"] += result.n_attempts > 1
        truth["degraded"] += result.degradation is not None
        is_refund = result.call.tool == "refund_order" and not is_blocked
        truth["unconfirmed_refunds"] += is_refund and "confirm_token" not in result.call.arguments
        if not is_blocked:
            self._executed_steps.add(result.call.step_index)

    def finish(self, result: TaskResult) -> None:
        """The run came to its end."""
        self.truth["is_finished"] = True
        self.truth["run_failed"] = result.error_type is not None

    def see(self, n_unknown: int, noise_rows: Sequence[dict[str, object]]) -> None:
        """Counts one observation."""
        self.truth["observations"] += 1
        self.truth["unknown_facts"] += n_unknown
        self.noise_rows.extend(noise_rows)

    def count_usage(self, usage: Usage) -> None:
        """Counts one answered model call and its tokens."""
        self.truth["llm_calls"] += 1
        self.truth["input_tokens"] += usage.input_tokens or 0
        self.truth["output_tokens"] += usage.output_tokens or 0
        self.truth["cached_tokens"] += usage.cached_tokens or 0

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
