"""The systems behind the tools: how long one try takes and how it ends."""

from dataclasses import dataclass
from random import Random

from pipeline.execution.backoff import ATTEMPT_TIMEOUT_SECONDS
from pipeline.vocabulary import ErrorClass
from sample_traces.contracts import Contract
from sample_traces.draws import log_normal
from sample_traces.intents import Call
from sample_traces.shop import Case, JsonObject, answer
from sample_traces.timeline import Slowdown, Timeline

RETRYABLE = frozenset({ErrorClass.TIMEOUT, ErrorClass.UPSTREAM})
TIMER_LATE_MS = (1.0, 12.0)


@dataclass(frozen=True, slots=True)
class Reply:
    """One try, as the caller sees it."""

    duration_ms: float
    http_status: int | None
    """None when no answer came in time."""
    result: JsonObject | None
    error_class: ErrorClass | None

    @property
    def error_type(self) -> str | None:
        """OpenTelemetry's `error.type`: the HTTP status, or `timeout`."""
        if self.error_class is None:
            return None
        return "timeout" if self.http_status is None else str(self.http_status)


class Downstream:
    """Answers tries under the conditions that hold."""

    def __init__(self, timeline: Timeline, draws: Random) -> None:
        self._timeline = timeline
        self._draws = draws

    def attempt(
        self, contract: Contract, call: Call, case: Case, at_ns: int, remaining_seconds: float
    ) -> Reply:
        """One try, cut off after 3 s or when the call's budget ends, whichever is sooner.

        A timer fires a little late, as real ones do.
        """
        factor, unavailable_rate = self._condition(contract, at_ns)
        limit_ms = 1000 * min(ATTEMPT_TIMEOUT_SECONDS, remaining_seconds)
        needed_ms = log_normal(self._draws, contract.median_ms * factor, contract.sigma)
        is_unavailable = self._draws.random() < unavailable_rate
        if needed_ms > limit_ms:
            late_ms = self._draws.uniform(*TIMER_LATE_MS)
            return Reply(limit_ms + late_ms, None, None, ErrorClass.TIMEOUT)
        if is_unavailable:
            return Reply(needed_ms, 503, None, ErrorClass.UPSTREAM)
        said = answer(case, call.tool, call.arguments)
        return Reply(needed_ms, said.http_status, said.result, said.error_class)

    def _condition(self, contract: Contract, at_ns: int) -> tuple[float, float]:
        for slowdown in self._timeline.effects(Slowdown, at_ns):
            if slowdown.tool == contract.name:
                return slowdown.latency_factor, slowdown.unavailable_rate
        return 1.0, contract.unavailable_rate
