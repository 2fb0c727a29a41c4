"""What a model reads when a call failed: short, and with what to do next (S3 §3.3).

Nothing of a stack, an address or a system's own message is in it: those lead a model astray
(S3 §6.2).
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from pipeline.vocabulary import ErrorClass


class NextAction(StrEnum):
    """What the model is to do after a failure."""

    CORRECT = "correct"
    """Mend the arguments, try once more."""
    SEARCH = "search"
    """Find the thing with another tool."""
    STOP = "stop"
    """Do not try again; tell the user."""
    RETRY = "retry"
    """May try again later, or go another way."""
    NARROW = "narrow"
    """Ask for less."""
    ASK_PERSON = "ask_person"
    """Nobody knows whether it happened: a person has to look."""


class Advice(NamedTuple):
    """What is said of one class, and what it asks for."""

    action: NextAction
    zh: str
    en: str


ADVICE: Final[Mapping[ErrorClass, Advice]] = MappingProxyType(
    {
        ErrorClass.INVALID_ARGUMENT: Advice(
            NextAction.CORRECT,
            "参数不合法。请修正参数后重试一次。",
            "The arguments are not valid. Correct them and try once more.",
        ),
        ErrorClass.NOT_FOUND: Advice(
            NextAction.SEARCH,
            "该资源不存在，建议先用搜索类工具定位。",
            "It does not exist. Find it with a search tool first.",
        ),
        ErrorClass.PERMISSION: Advice(
            NextAction.STOP,
            "当前操作超出授权范围，不要重试，停止并告知用户。",
            "This is not permitted. Do not try again; stop and tell the user.",
        ),
        ErrorClass.AUTH: Advice(
            NextAction.STOP,
            "鉴权已过期，不要重试，停止并告知用户。",
            "The credentials have expired. Do not try again; stop and tell the user.",
        ),
        ErrorClass.TIMEOUT: Advice(
            NextAction.RETRY,
            "请求超时，可稍后重试。",
            "No answer in time. You may try again later.",
        ),
        ErrorClass.TOO_LARGE: Advice(
            NextAction.NARROW,
            "结果过大，需要更精确的筛选条件。",
            "The result is too large. Narrow the conditions.",
        ),
        ErrorClass.UNKNOWN_OUTCOME: Advice(
            NextAction.ASK_PERSON,
            "操作结果未知，不要重试，请转人工确认。",
            "Whether it happened is unknown. Do not try again; ask a person to check.",
        ),
        ErrorClass.UPSTREAM: Advice(
            NextAction.RETRY,
            "下游服务暂不可用，可稍后重试。",
            "The system behind it is not available. You may try again later.",
        ),
    }
)


def advice_text(error_class: ErrorClass, language: str = "zh", own: str | None = None) -> str:
    """What the model reads.

    Args:
        error_class: Of the failure.
        language: `zh` or `en`.
        own: What the contract says about this very error; wins.
    """
    found = ADVICE[error_class]
    return own or (found.zh if language == "zh" else found.en)
