"""Log records that tell a whole operation: what agents send that report by events and not by spans.

Claude Code and Codex send a record when a model request, a tool or a question to the person is over,
with how long it took. Such a record is kept as the span it describes: it ends when the event was
written and began that long before; where it does not say how long, only its end is known. What it says of itself as a log record stays among the
attributes. Sources: the monitoring pages of both products.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from ingest import ids
from ingest.containers.groups import Group
from ingest.containers.span_fields import REPORTED_DURATION, STATUS_CODES, span_fields
from ingest.times import INT64_MAX, rfc3339_ns

EVENT_TIME: Final = "event.timestamp"
LOG_RECORD: Final = "source.log_record"
"""Attribute that keeps body, severity and observed time of the log record a span came as."""
_MOMENTS: Final = frozenset({"user_prompt", "tool_decision"})
_STREAM_EVENT: Final = "event.kind"
_STREAM_END: Final = "response.completed"
_NS_PER_MS: Final = 1_000_000
_FIRST_FAILURE: Final = 400


@dataclass(frozen=True, slots=True)
class _Agent:
    """One product: how its events are named, and which of them are operations."""

    prefix: str
    operations: frozenset[str]
    """Names without the prefix."""
    task: tuple[str, ...]
    """Attributes that together name the trace; the first must be there."""
    services: frozenset[str]
    """Services that write the names of their events without the prefix."""
    has_own_spans: bool
    """Whether an event with the ids of a span describes that span, which comes by itself."""


_AGENTS: Final = (
    _Agent(
        "claude_code.",
        frozenset({"user_prompt", "api_request", "api_error", "tool_decision", "tool_result"}),
        ("session.id", "prompt.id"),
        frozenset({"claude-code"}),
        has_own_spans=True,
    ),
    _Agent(
        "codex.",
        frozenset({"user_prompt", "api_request", "sse_event", "tool_decision", "tool_result"}),
        ("conversation.id",),
        frozenset(),
        has_own_spans=False,
    ),
)


def span_told_by(fields: Mapping[str, Any], group: Group) -> dict[str, Any] | None:
    """The columns of the span that a log record tells whole; None for any other record.

    Args:
        fields: The columns of the log record.
        group: Its resource and scope.
    """
    found = _operation(fields, group)
    attributes = fields["attributes"]
    if found is None or _is_part(attributes):
        return None
    agent, name = found
    task = [attributes[key] for key in agent.task if attributes.get(key)]
    is_linked = fields["trace_id"] is not None and fields["span_id"] is not None
    if not attributes.get(agent.task[0]) or (is_linked and agent.has_own_spans):
        return None
    end = fields["time_ns"] or _written_time(attributes) or fields["observed_time_ns"]
    is_moment = name.removeprefix(agent.prefix) in _MOMENTS
    duration = 0 if is_moment else _duration_ns(attributes.get("duration_ms"))
    kept = {**attributes, LOG_RECORD: _record(fields)}
    if end is None and duration:
        kept[REPORTED_DURATION] = duration
    trace_key = orjson.dumps([agent.prefix, *map(str, task)])
    status = "ERROR" if _has_failed(name, attributes) else "UNSET"
    return span_fields(
        group,
        trace_id=_hashed(trace_key, ids.TRACE_ID_BYTES),
        span_id=_hashed(trace_key + _written([name, end, attributes]), ids.SPAN_ID_BYTES),
        parent_span_id=None,
        name=name,
        otel_kind=0,
        start=None if end is None or duration is None else end - duration,
        end=end,
        status_code=STATUS_CODES[status],
        status_message=_message(attributes) if status == "ERROR" else None,
        attributes=kept,
        events=[],
        links=[_link(fields)] if is_linked else [],
        trace_state=None,
        flags=0,
        n_dropped=0,
    )


def _operation(fields: Mapping[str, Any], group: Group) -> tuple[_Agent, str] | None:
    """The product and the full name of the event, which stands in its name or in its body."""
    body = fields["body"]
    names = [name for name in (fields["event_name"], body) if isinstance(name, str)]
    for agent in _AGENTS:
        for name in names:
            short = name.removeprefix(agent.prefix)
            is_ours = short != name or group.service_name in agent.services
            if is_ours and short in agent.operations:
                return agent, agent.prefix + short
    return None


def _is_part(attributes: Mapping[str, Any]) -> bool:
    """Whether a stream's event is one of many of its turn, and neither its end nor a failure."""
    kind = attributes.get(_STREAM_EVENT)
    return kind is not None and kind != _STREAM_END and not attributes.get("error.message")


def _has_failed(name: str, attributes: Mapping[str, Any]) -> bool:
    status = _number(attributes.get("http.response.status_code"))
    return (
        name.endswith(".api_error")
        or str(attributes.get("success")).lower() == "false"
        or bool(attributes.get("error.message"))
        or (status is not None and status >= _FIRST_FAILURE)
    )


def _message(attributes: Mapping[str, Any]) -> str | None:
    found = attributes.get("error.message") or attributes.get("error")
    return str(found) if found else None


def _duration_ns(written: Any) -> int | None:
    milliseconds = _number(written)
    if milliseconds is None or not 0 <= milliseconds <= INT64_MAX / _NS_PER_MS / 2:
        return None
    return round(milliseconds * _NS_PER_MS)


def _number(written: Any) -> float | None:
    """A number that may be written as text; None for anything else."""
    if isinstance(written, bool):
        return None
    try:
        return float(written)
    except (TypeError, ValueError, OverflowError):
        return None


def _written_time(attributes: Mapping[str, Any]) -> int | None:
    try:
        return rfc3339_ns(str(attributes.get(EVENT_TIME)))
    except ValueError:
        return None


def _record(fields: Mapping[str, Any]) -> dict[str, Any]:
    names = ("body", "severity_number", "severity_text", "observed_time_ns")
    return {name: fields[name] for name in names if fields[name] is not None}


def _link(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "trace_id": fields["trace_id"],
        "span_id": fields["span_id"],
        "trace_state": None,
        "attributes": {},
    }


def _written(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return repr(value).encode("utf-8", "surrogatepass")


def _hashed(data: bytes, n_bytes: int) -> str:
    return hashlib.sha256(data).digest()[:n_bytes].hex()
