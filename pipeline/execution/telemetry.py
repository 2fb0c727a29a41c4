"""The spans of a call: `execute_tool` around one `attempt` for each try.

Values are masked before they come here. Exceptions are told by class, never with a stack.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from pipeline import attributes as names
from pipeline.execution.calls import Call
from pipeline.execution.errors import ToolError
from pipeline.vocabulary import ErrorClass

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

SCOPE: Final = "pipeline.execution"


def default_tracer() -> "Tracer":
    """The tracer of the global provider; a no-op one when none is configured."""
    from opentelemetry import trace

    return trace.get_tracer(SCOPE)


def compact_json(value: object) -> str:
    """JSON without spaces, Chinese kept readable; what is no JSON as text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


@contextmanager
def execution_span(
    tracer: "Tracer", call: Call, arguments: Mapping[str, Any], contract_version: str | None
) -> "Iterator[Span]":
    """`execute_tool {tool}` around everything a call does.

    Args:
        tracer: Where it goes.
        call: The call.
        arguments: Masked.
        contract_version: None for a tool without a contract.
    """
    values = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call.call_id or None,
        "gen_ai.tool.call.arguments": compact_json(arguments),
        names.TASK_ID: call.task_id,
        names.STEP_INDEX: call.step_index,
        names.IDEMPOTENCY_KEY: call.idempotency_key,
        names.CONTRACT_VERSION: contract_version,
        names.CALLER: call.caller or None,
    }
    with _span(tracer, f"execute_tool {call.tool}", values) as span:
        yield span


@contextmanager
def attempt_span(tracer: "Tracer", attempt: int, about: Mapping[str, str]) -> "Iterator[Span]":
    """`attempt` around one try.

    Args:
        tracer: Where it goes.
        attempt: One-based.
        about: What the adapter tells of where it asks, such as `server.address`.
    """
    with _span(tracer, "attempt", {names.ATTEMPT: attempt, **about}, is_client=True) as span:
        yield span


def set_result(span: "Span", shown: str, degradation: str | None) -> None:
    """What the model was shown, and whether a fallback answered."""
    span.set_attribute("gen_ai.tool.call.result", shown)
    if degradation is not None:
        span.set_attribute(names.DEGRADATION, degradation)


def set_failure(span: "Span", error_type: str, error_class: ErrorClass) -> None:
    """How a call or a try failed."""
    from opentelemetry.trace import Status, StatusCode

    span.set_status(Status(StatusCode.ERROR, error_class.value))
    span.set_attribute("error.type", error_type)
    span.set_attribute(names.ERROR_CLASS, error_class.value)


def set_attempt_failure(span: "Span", failure: ToolError, detail: str) -> None:
    """How a try failed, as an exception event without a stack."""
    set_failure(span, failure.error_type, failure.error_class)
    kind = type(failure.__cause__ or failure).__name__
    span.add_event("exception", {"exception.type": kind, "exception.message": detail})


def trace_headers() -> dict[str, str]:
    """W3C `traceparent` and `tracestate` of the span that is current; empty without one."""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    headers: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(headers)
    return headers


def span_id_of(span: "Span") -> str | None:
    """Lower hex; None for a span that is not recorded."""
    context = span.get_span_context()
    return f"{context.span_id:016x}" if context.is_valid else None


@contextmanager
def _span(
    tracer: "Tracer", name: str, values: Mapping[str, Any], *, is_client: bool = False
) -> "Iterator[Span]":
    from opentelemetry.trace import SpanKind

    with tracer.start_as_current_span(
        name,
        kind=SpanKind.CLIENT if is_client else SpanKind.INTERNAL,
        attributes={key: value for key, value in values.items() if value is not None},
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        yield span
