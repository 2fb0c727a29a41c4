"""The limits that figures are judged by, with the defaults and where they come from."""

from dataclasses import dataclass

from metrics.values import Threshold, ThresholdKind


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Every limit; replace a field to use another."""

    min_selection_accuracy: float = 0.85
    """S3 §7.2: below 85 % mend the descriptions first."""
    max_attempt_p95_ms: float = 3_000.0
    """S4 §2.2: the timeout of one attempt."""
    max_call_p95_ms: float = 8_000.0
    """S3 §4.2: the budget of one call, waits included."""
    max_model_p95_factor: float = 1.3
    """Times the period before; the least change of a P95 worth a look."""
    max_retry_factor: float = 1.5
    """Times the period before; the least change of a retry rate worth a look."""
    max_steps_factor: float = 1.3
    """Times the mean of the period before."""
    max_zero_hits_probability: float = 0.001
    """How improbable no hits must be, at the rate before, to say that a rule fell silent."""
    min_baseline_n: int = 30
    """A period before with fewer counted is no baseline."""

    def of(self, key: str) -> Threshold | None:
        """The threshold of a metric; None for one that is only shown."""
        zero = Threshold(self.max_zero_hits_probability, ThresholdKind.NOT_SUDDENLY_ZERO)
        by_key = {
            "selection_accuracy": Threshold(self.min_selection_accuracy, ThresholdKind.AT_LEAST),
            "latency_p95_attempt": Threshold(self.max_attempt_p95_ms, ThresholdKind.AT_MOST),
            "latency_p95_call": Threshold(self.max_call_p95_ms, ThresholdKind.AT_MOST),
            "latency_p95_model": Threshold(self.max_model_p95_factor, ThresholdKind.TIMES_BASELINE),
            "retry_rate": Threshold(self.max_retry_factor, ThresholdKind.TIMES_BASELINE),
            "steps_per_task": Threshold(self.max_steps_factor, ThresholdKind.TIMES_BASELINE),
            "guard_hits": zero,
            "guard_hit_rate": zero,
        }
        return by_key.get(key)


DEFAULT_THRESHOLDS = Thresholds()
