"""Everything at once: each figure, its trend and the tables beside it."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Final

from metrics.definitions import DEFINITIONS
from metrics.error_classes import ErrorClass, error_classes
from metrics.guard_hits import Guard, guard_hits
from metrics.latency_p95 import (
    Latency,
    latency_p95_attempt,
    latency_p95_call,
    latency_p95_model,
)
from metrics.model_or_downstream import Bottleneck, model_or_downstream
from metrics.observation_health import ObservationHealth, Reading, observation_health
from metrics.promised_p95 import promised_p95
from metrics.retry_rate import Retries, retry_rate
from metrics.rollups import best_of
from metrics.selection_accuracy import Accuracy, LabelSource, selection_accuracy
from metrics.statements import Store
from metrics.steps_per_task import Steps, steps_per_task
from metrics.suspects import Suspect, suspects
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.tool_table import ToolRow, tool_table
from metrics.trend import trends
from metrics.unmapped_values import UnmappedValue, unmapped_values
from metrics.values import Metric, OfTool, Point, Scope, State

_THREADS: Final = 4
"""Questions asked at a time; most of the time of a small store goes into planning each."""
_UNMAPPED: Final = 5


@dataclass(frozen=True, slots=True)
class Report:
    """The five metrics and observation health of one scope, with all that explains them."""

    scope: Scope
    accuracy: Accuracy
    """From audit labels."""
    replay_accuracy: Accuracy
    """From replay cases; never mixed with the audit."""
    latency: Latency
    promised: tuple[OfTool, ...]
    """The P95 of calls of each tool whose contract has an SLA, judged by it."""
    bottleneck: Bottleneck
    retries: Retries
    steps: Steps
    guard: Guard
    observation: ObservationHealth
    """As read by the dictionary in force, and as recorded."""
    tools: tuple[ToolRow, ...]
    errors: tuple[ErrorClass, ...]
    trends: dict[str, tuple[Point, ...]]
    """By metric key; accuracies from audit labels."""
    suspects: tuple[Suspect, ...]
    """Tools out of limits by themselves."""
    unmapped: tuple[UnmappedValue, ...]
    """Raw values that no dictionary maps, most traces first; only where their share is bad."""

    def metrics(self) -> dict[str, Metric]:
        """The metrics by key, in the order of the definitions; accuracies from audit labels."""
        health = self.observation
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
            health.conflict,
            health.unknown,
            health.confidence,
            health.parse,
            health.noise,
        )
        by_key = {metric.key: metric for metric in found}
        return {item.key: by_key[item.key] for item in DEFINITIONS}

    def to_json(self) -> dict[str, Any]:
        """The report as dictionaries, lists, strings, numbers and None."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain


def report(database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Report:
    """Every metric of the scope with its trend; figures without data are None, never 0."""
    once = best_of(database, scope)
    with ThreadPoolExecutor(_THREADS) as pool:
        attempt = pool.submit(latency_p95_attempt, once, scope, thresholds)
        call = pool.submit(latency_p95_call, once, scope, thresholds)
        model = pool.submit(latency_p95_model, once, scope, thresholds)
        accuracy = pool.submit(selection_accuracy, once, scope, LabelSource.AUDIT, thresholds)
        retries = pool.submit(retry_rate, once, scope, thresholds)
        health = pool.submit(observation_health, once, scope, thresholds, Reading.CURRENT)
        replay = pool.submit(selection_accuracy, once, scope, LabelSource.REPLAY, thresholds)
        tools = pool.submit(tool_table, once, scope)
        promised = pool.submit(promised_p95, once, scope, thresholds)
        guard = pool.submit(guard_hits, once, scope, thresholds)
        steps = pool.submit(steps_per_task, once, scope, thresholds)
        bottleneck = pool.submit(model_or_downstream, once, scope)
        errors = pool.submit(error_classes, once, scope)
        over_time = pool.submit(trends, once, scope)
    latency = Latency(attempt=attempt.result(), call=call.result(), model=model.result())
    return Report(
        scope=scope,
        accuracy=accuracy.result(),
        replay_accuracy=replay.result(),
        latency=latency,
        promised=promised.result(),
        bottleneck=bottleneck.result(),
        retries=retries.result(),
        steps=steps.result(),
        guard=guard.result(),
        observation=health.result(),
        tools=tools.result(),
        errors=errors.result(),
        trends=over_time.result(),
        suspects=suspects(
            once, scope, accuracy.result(), retries.result(), tools.result(), thresholds
        ),
        unmapped=_unmapped(once, scope, health.result()),
    )


def _unmapped(
    database: Store, scope: Scope, health: ObservationHealth
) -> tuple[UnmappedValue, ...]:
    is_bad = health.unknown.state is State.BAD
    return unmapped_values(database, scope, _UNMAPPED) if is_bad else ()


def _plain(value: object) -> Any:
    """Enumerations as their words, sequences as lists."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
