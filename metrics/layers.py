"""Which layer got worse? Planning, execution, observation or model, between two sides."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from metrics.alerts import Deploy, deploys
from metrics.compare import compare
from metrics.comparison import Change, Comparison
from metrics.definitions import definition
from metrics.side import Side
from metrics.statements import Store
from metrics.values import Scope
from metrics.words import Text


class Layer(StrEnum):
    """Where a fault can lie.

    Source: S4 §5.3: the plans of the same question change, a tool's timeouts jump, fields are lost
    after parsing.
    """

    PLANNING = "planning"
    EXECUTION = "execution"
    OBSERVATION = "observation"
    MODEL = "model"


LAYERS: Final = {
    Layer.PLANNING: Text("Planning", "规划"),
    Layer.EXECUTION: Text("Execution", "执行"),
    Layer.OBSERVATION: Text("Observation", "观测"),
    Layer.MODEL: Text("Model", "模型"),
}

SIGNALS: Final = {
    "selection_accuracy": (Layer.PLANNING, definition("selection_accuracy").name),
    "redundant_calls": (Layer.PLANNING, Text("Calls already answered", "已有答案的重复调用")),
    "steps_per_task": (Layer.PLANNING, definition("steps_per_task").name),
    "plan_shift": (Layer.PLANNING, Text("Order of tools", "工具顺序")),
    "invalid_arguments": (Layer.EXECUTION, Text("Invalid arguments", "参数不合法")),
    "timeouts": (Layer.EXECUTION, Text("Timeouts", "超时")),
    "call_errors": (Layer.EXECUTION, Text("Other errors of calls", "其他调用错误")),
    "degraded_answers": (Layer.EXECUTION, Text("Degraded answers", "降级应答")),
    "retry_rate": (Layer.EXECUTION, definition("retry_rate").name),
    "retry_success_rate": (Layer.EXECUTION, definition("retry_success_rate").name),
    "latency_p95_call": (Layer.EXECUTION, definition("latency_p95_call").name),
    "unknown_share": (Layer.OBSERVATION, definition("unknown_share").name),
    "conflict_share": (Layer.OBSERVATION, definition("conflict_share").name),
    "unparsed_share": (Layer.OBSERVATION, Text("Unparsed values", "解析失败的取值")),
    "failed_outputs": (Layer.EXECUTION, Text("Failed outputs", "失败的输出")),
    "noise_exposure": (Layer.OBSERVATION, definition("noise_exposure").name),
    "cut_answers": (Layer.MODEL, Text("Answers cut off", "回答被截断")),
    "model_errors": (Layer.MODEL, Text("Failed model calls", "模型调用失败")),
    "latency_p95_model": (Layer.MODEL, definition("latency_p95_model").name),
}
"""Every figure that is compared: its layer and its name."""

_LEAST_EFFECT: Final = 0.1
"""A smaller standardised effect is certain only because there is much of it: not told."""


@dataclass(frozen=True, slots=True)
class LayerShift:
    """How much worse one layer is on the right."""

    layer: Layer
    score: float
    """The largest standardised effect for the worse that is no chance; 0 when none is."""
    worse: tuple[Comparison, ...]
    """The figures that got worse, largest effect first."""
    n_tested: int
    """Figures of the layer that both sides have cases for."""


@dataclass(frozen=True, slots=True)
class WhichLayer:
    """The layers, worst first, and what was new between the two sides."""

    layers: tuple[LayerShift, ...]
    comparisons: tuple[Comparison, ...]
    """Every figure, those that differ for certain first."""
    deploys: tuple[Deploy, ...]
    """Versions first seen after the left side began and before the right one ended."""

    @property
    def worst(self) -> Layer | None:
        """The layer that got worse most; None when none did: undetermined."""
        first = self.layers[0]
        return first.layer if first.score > 0 else None


def which_layer(database: Store, left: Side, right: Side) -> WhichLayer:
    """The four layers ranked by how much worse they are on the right side, with the deploys between.

    Source: S4 §5.3; figures by layer as in the fault taxonomies of the literature.
    """
    found = compare(database, left, right)
    layers = [_shift(layer, found) for layer in Layer]
    layers.sort(key=lambda item: -item.score)
    return WhichLayer(tuple(layers), found, _between(database, left.scope, right.scope))


def _shift(layer: Layer, found: Iterable[Comparison]) -> LayerShift:
    own = [item for item in found if SIGNALS[item.key][0] is layer]
    worse = [item for item in own if _is_worse(item)]
    worse.sort(key=lambda item: -item.effect)
    return LayerShift(
        layer=layer,
        score=worse[0].effect if worse else 0.0,
        worse=tuple(worse),
        n_tested=sum(item.p_value is not None for item in own),
    )


def _is_worse(item: Comparison) -> bool:
    is_bad = item.change in {Change.WORSE, Change.OTHER}
    return is_bad and item.effect >= _LEAST_EFFECT


def _between(database: Store, left: Scope, right: Scope) -> tuple[Deploy, ...]:
    first, last = min(left.start_time_ns, right.start_time_ns), right.end_time_ns
    seen = deploys(database, Scope(first, last))
    return tuple(item for item in seen if first < item.first_time_ns and _is_change(item, seen))


def _is_change(deploy: Deploy, seen: Iterable[Deploy]) -> bool:
    """Whether something of its kind (and name) was there before."""
    return any(
        other.kind == deploy.kind
        and (other.name == deploy.name or deploy.kind == "model")
        and other.first_time_ns < deploy.first_time_ns
        for other in seen
    )
