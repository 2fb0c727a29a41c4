"""Everything at once: each figure, its trend and the tables beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from metrics.definitions import DEFINITIONS
from metrics.error_classes import ErrorClass, error_classes
from metrics.guard_hits import Guard, guard_hits
from metrics.latency_p95 import Latency, latency_p95
from metrics.model_or_downstream import Bottleneck, model_or_downstream
from metrics.retry_rate import Retries, retry_rate
from metrics.selection_accuracy import Accuracy, LabelSource, selection_accuracy
from metrics.steps_per_task import Steps, steps_per_task
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.tool_table import ToolRow, tool_table
from metrics.trend import trends
from metrics.values import Metric, Point, Scope
from replay_store.database import Database


@dataclass(frozen=True, slots=True)
class Report:
    """The five metrics of one scope with all that explains them."""

    scope: Scope
    accuracy: Accuracy
    """From audit labels."""
    replay_accuracy: Accuracy
    """From replay cases; never mixed with the audit."""
    latency: Latency
    bottleneck: Bottleneck
    retries: Retries
    steps: Steps
    guard: Guard
    tools: tuple[ToolRow, ...]
    errors: tuple[ErrorClass, ...]
    trends: dict[str, tuple[Point, ...]]
    """By metric key; accuracies from audit labels."""

    def metrics(self) -> dict[str, Metric]:
        """The metrics by key, in the order of the definitions; accuracies from audit labels."""
        found = (
            self.accuracy.selection,
            self.accuracy.call,
            self.latency.attempt,
            self.latency.call,
            self.latency.model,
            self.retries.rate,
            self.retries.success,
            self.steps.mean,
            self.guard.hits,
            self.guard.rate,
        )
        by_key = {metric.key: metric for metric in found}
        return {item.key: by_key[item.key] for item in DEFINITIONS}

    def to_json(self) -> dict[str, Any]:
        """The report as dictionaries, lists, strings, numbers and None."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain


def report(database: Database, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Report:
    """Every metric of the scope with its trend; figures without data are None, never 0."""
    return Report(
        scope=scope,
        accuracy=selection_accuracy(database, scope, LabelSource.AUDIT, thresholds),
        replay_accuracy=selection_accuracy(database, scope, LabelSource.REPLAY, thresholds),
        latency=latency_p95(database, scope, thresholds),
        bottleneck=model_or_downstream(database, scope),
        retries=retry_rate(database, scope, thresholds),
        steps=steps_per_task(database, scope, thresholds),
        guard=guard_hits(database, scope, thresholds),
        tools=tool_table(database, scope),
        errors=error_classes(database, scope),
        trends=trends(database, scope),
    )


def _plain(value: object) -> Any:
    """Enumerations as their words, sequences as lists."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
