"""The limits that figures are judged by, with the defaults and where they come from."""

from dataclasses import dataclass
from typing import Final

from metrics.promises import Promise
from metrics.values import Threshold, ThresholdKind

_CALL_P95: Final = "latency_p95_call"


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Every limit; replace a field to use another."""

    min_selection_accuracy: float = 0.85
    """S3 §7.2: below 85 % mend the descriptions first."""
    max_attempt_p95_ms: float = 3_000.0
    """S4 §2.2: the timeout of one attempt."""
    max_call_p95_ms: float = 8_000.0
    """S3 §4.2: the budget of one call, waits included."""
    max_tool_p95_factor: float = 1.3
    """Times the tool's own P95 before, for a tool alone."""
    min_tool_p95_rise_ms: float = 100.0
    """A tool whose P95 rises by less is no finding."""
    max_model_p95_factor: float = 1.3
    """Times the period before; the least change of a P95 worth a look."""
    max_retry_factor: float = 1.5
    """Times the period before; the least change of a retry rate worth a look."""
    max_steps_factor: float = 1.3
    """Times the mean of the period before."""
    max_conflict_share: float = 0.15
    """S0 §5.1: above 15 % look for an outdated schema or a mapping that lacks new values."""
    max_unknown_factor: float = 1.5
    """Times the share of the period before; the least change worth a look."""
    min_unknown_rise: float = 0.01
    """A rise of the share by less is no finding; where there were none before, 1 % is the line."""
    max_parse_p95_ms: float = 50.0
    """S0 §3.1: a parser must stay under 50 ms."""
    max_zero_hits_probability: float = 0.001
    """How improbable no hits must be, at the rate before, to say that a rule fell silent."""
    min_baseline_n: int = 30
    """A period before with fewer counted is no baseline."""
    promises: tuple[Promise, ...] = ()
    """What contracts promise, tool by tool: a tool with an SLA is judged by it (S4 §4.3)."""

    def promise(self, tool_name: str | None) -> Promise | None:
        """What the contract of a tool promises; None where it is not known."""
        return next((item for item in self.promises if item.tool_name == tool_name), None)

    def of(self, key: str, tool_name: str | None = None) -> Threshold | None:
        """The threshold of a metric; None for one that is only shown.

        Args:
            key: Of the metric.
            tool_name: The tool that the figure is of, when of one: its SLA takes the place of the
                limit of all calls.
        """
        promise = self.promise(tool_name) if key == _CALL_P95 else None
        if promise is not None and promise.p95_ms is not None:
            return Threshold(promise.p95_ms, ThresholdKind.AT_MOST, is_promised=True)
        return self._of_all(key)

    def _of_all(self, key: str) -> Threshold | None:
        zero = Threshold(self.max_zero_hits_probability, ThresholdKind.NOT_SUDDENLY_ZERO)
        by_key = {
            "selection_accuracy": Threshold(self.min_selection_accuracy, ThresholdKind.AT_LEAST),
            "latency_p95_attempt": Threshold(self.max_attempt_p95_ms, ThresholdKind.AT_MOST),
            _CALL_P95: Threshold(self.max_call_p95_ms, ThresholdKind.AT_MOST),
            "latency_p95_model": Threshold(self.max_model_p95_factor, ThresholdKind.TIMES_BASELINE),
            "retry_rate": Threshold(self.max_retry_factor, ThresholdKind.TIMES_BASELINE),
            "steps_per_task": Threshold(self.max_steps_factor, ThresholdKind.TIMES_BASELINE),
            "conflict_share": Threshold(self.max_conflict_share, ThresholdKind.AT_MOST),
            "unknown_share": Threshold(
                self.max_unknown_factor, ThresholdKind.TIMES_BASELINE, self.min_unknown_rise
            ),
            "parse_p95": Threshold(self.max_parse_p95_ms, ThresholdKind.AT_MOST),
            "guard_hits": zero,
            "guard_hit_rate": zero,
        }
        return by_key.get(key)


DEFAULT_THRESHOLDS = Thresholds()
