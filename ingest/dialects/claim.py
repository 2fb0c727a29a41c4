"""What a dialect says about one span, before it becomes rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Final, NamedTuple

from pipeline.vocabulary import CallStatus, ErrorSource, GuardDecision, Role


@dataclass(slots=True)
class ToolSign:
    """One sign of a tool call: a request, an execution, an attempt or an answer."""

    tool_name: str | None = None
    tool_call_id: str | None = None
    arguments: object = None
    """As written: text, or a value; None when the span does not show them."""
    result: object = None
    flag: CallStatus | None = None
    """An explicit verdict of the dialect, which outranks the span's own status."""
    error_message: str | None = None


@dataclass(slots=True)
class GuardSign:
    """One evaluation of a guard rule."""

    decision: GuardDecision
    evidence: str
    rule: str | None = None
    phase: str | None = None
    reason: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    is_synthetic: bool = False


@dataclass(slots=True)
class Message:
    """One message of a conversation."""

    role: str
    texts: list[str] = field(default_factory=list)
    calls: list[ToolSign] = field(default_factory=list)
    answers: list[ToolSign] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Offer:
    """One tool the model could choose."""

    tool_name: str
    description: str | None
    input_schema: str | None


@dataclass(slots=True)
class Claim:
    """One dialect's reading of one span. None means that the span does not say."""

    dialect: str = ""
    role: Role | None = None
    agent_name: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    task_id: str | None = None
    step_index: int | None = None
    provider: str | None = None
    request_model: str | None = None
    response_model: str | None = None
    response_id: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    finish_reason: str | None = None
    is_output_visible: bool | None = None
    output_text: str | None = None
    offers: Sequence[Offer] | None = None
    requests: Sequence[ToolSign] | None = None
    answers: Sequence[ToolSign] | None = None
    shown: Sequence[Message] | None = None
    """What the model was shown, and `said` what it answered: the messages themselves."""
    said: Sequence[Message] | None = None
    tool: ToolSign | None = None
    """The execution or attempt that this span is."""
    attempt: int | None = None
    is_retry_announced: bool | None = None
    is_pseudo: bool | None = None
    error_type: str | None = None
    idempotency_key: str | None = None
    contract_version: str | None = None
    caller: str | None = None
    degradation: str | None = None
    error_source: ErrorSource | None = None
    guards: list[GuardSign] = field(default_factory=list)


def merge(claims: Sequence[Claim]) -> Claim:
    """The union of several readings of one span; where two speak, the earlier one is heard.

    Signs of the tool are merged field by field, so that one dialect may give the name and another
    the result. Guard signs are kept from the first dialect that has any. The first claim is filled
    in place.
    """
    if not claims:
        return Claim()
    merged = claims[0]
    for claim in claims[1:]:
        if merged.tool is not None and claim.tool is not None:
            _fill(merged.tool, claim.tool, _SIGN)
        _fill(merged, claim, _CLAIM)
    return merged


class _Fields(NamedTuple):
    names: Sequence[str]
    values: Callable[[object], Sequence[Any]]


def _fill(target: object, source: object, fields_of: _Fields) -> None:
    for name, value in zip(fields_of.names, fields_of.values(source), strict=True):
        if value is None:
            continue
        mine = getattr(target, name)
        if mine is None or (value and not mine):
            setattr(target, name, value)


def _fields(kind: type[Claim | ToolSign]) -> _Fields:
    names = tuple(item.name for item in fields(kind))
    return _Fields(names, attrgetter(*names))


_CLAIM: Final = _fields(Claim)
_SIGN: Final = _fields(ToolSign)
