"""The signs of a fault: their layer, whether one alone is proof, and their words."""

from typing import Final, NamedTuple

from metrics.layers import Layer
from metrics.words import Text

__all__ = ["SIGNS", "Reference", "SignKind"]


class Reference(NamedTuple):
    """How often a sign was followed by failure where that was counted before."""

    n_failed: int
    n: int


class SignKind(NamedTuple):
    """One kind of sign."""

    layer: Layer
    is_hard: bool
    """Whether it is itself a fault, and explains later signs on the path of its data."""
    name: Text
    reference: Reference | None = None


_ERROR: Final = Reference(27, 36)
_REPEATED: Final = Reference(14, 16)
_PING_PONG: Final = Reference(10, 11)

SIGNS: Final = {
    "not_offered": SignKind(
        Layer.PLANNING, True, Text("A tool that was not on offer was called", "调用了未提供的工具")
    ),
    "repeated_call": SignKind(
        Layer.PLANNING,
        False,
        Text("A call that was answered already was made again", "重复发起了已有答案的调用"),
        _REPEATED,
    ),
    "ping_pong": SignKind(
        Layer.PLANNING,
        False,
        Text("Two calls take turns without progress", "两个调用来回横跳，没有进展"),
        _PING_PONG,
    ),
    "no_progress": SignKind(
        Layer.PLANNING,
        False,
        Text("Three observations in a row brought nothing new", "连续三次观测没有新信息"),
    ),
    "futile_retry": SignKind(
        Layer.PLANNING,
        False,
        Text(
            "Tried again unchanged after an error that no repeat mends", "对重试无用的错误原样重试"
        ),
    ),
    "invalid_argument": SignKind(
        Layer.EXECUTION, True, Text("Arguments were refused", "参数被拒绝"), _ERROR
    ),
    "not_found": SignKind(
        Layer.EXECUTION, False, Text("What was asked for does not exist", "资源不存在"), _ERROR
    ),
    "permission": SignKind(
        Layer.EXECUTION, True, Text("Permission was denied", "权限不足"), _ERROR
    ),
    "timeout": SignKind(Layer.EXECUTION, True, Text("A call timed out", "调用超时"), _ERROR),
    "too_large": SignKind(
        Layer.EXECUTION, False, Text("A result was too large", "返回结果过大"), _ERROR
    ),
    "unknown_outcome": SignKind(
        Layer.EXECUTION,
        True,
        Text("Nobody knows whether a write took effect", "写操作是否生效未知"),
        _ERROR,
    ),
    "call_error": SignKind(Layer.EXECUTION, True, Text("A call failed", "调用失败"), _ERROR),
    "blocked": SignKind(
        Layer.EXECUTION, False, Text("A guard stopped an action", "护栏拦下了一个动作")
    ),
    "degraded": SignKind(
        Layer.EXECUTION, False, Text("A degraded answer was used", "使用了降级应答")
    ),
    "unparsed": SignKind(
        Layer.OBSERVATION, True, Text("A value could not be parsed", "有取值解析失败")
    ),
    "unknown_value": SignKind(
        Layer.OBSERVATION, True, Text("No dictionary maps a value", "有取值未被字典收录")
    ),
    "conflict": SignKind(Layer.OBSERVATION, False, Text("Sources disagree", "多个来源相互冲突")),
    "noise": SignKind(
        Layer.OBSERVATION,
        False,
        Text("Controlled noise changed what the model saw", "受控噪声改变了模型所见"),
    ),
    "model_error": SignKind(Layer.MODEL, True, Text("A model call failed", "模型调用失败")),
    "cut_answer": SignKind(Layer.MODEL, True, Text("An answer was cut off", "回答被截断")),
}
"""By key, as the view `fault_sign` and `metrics.incident.patterns` name them.

Source of the layers: S4 §5.3, as in `metrics.layers`. References: of 200 runs of GPT-4o on
tau-bench airline, 116 failed; the share of those with the sign that failed.
"""
