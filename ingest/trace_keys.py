"""Keys that traces without a root share: plain SDK instrumentation makes one trace a model call.

A trace whose root is itself a model call or a tool belongs to a run that was not traced. Such traces
are linked (by derive) when one answers or runs a call that another asked for, when its messages begin with
another's whole exchange, when both tell of one response or of equal calls one within the other, when they name one session, when a span
links them, or when an MCP call lies within the run of the agent's own tool span.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import orjson

from ingest.dialects import Claim
from ingest.dialects.arguments import read_arguments
from ingest.dialects.claim import ToolSign
from ingest.dialects.messages import Message
from ingest.dialects.values import text
from pipeline.vocabulary import KeyKind, Role
from replay_store.records import Span, SpanLog, TraceKey

_ROOTS: Final = (Role.MODEL, Role.TOOL)
_MCP_PREFIX: Final = "mcp:"
_MCP_METHOD: Final = "mcp.method.name"
_MCP_SESSION: Final = "mcp.session.id"
"""A session of the transport: it may outlive many tasks."""


def span_keys(
    span: Span, claim: Claim, session_id: str | None, tool: tuple[str | None, str | None]
) -> list[TraceKey]:
    """The keys of one span; none for spans beneath a root that tells of the whole run.

    Args:
        span: The span.
        claim: What its dialects say of it.
        session_id: The session it names, if any.
        tool: Namespace and bare name of the tool it runs, if any.
    """
    namespace, tool_name = tool
    if claim.role is Role.TOOL and namespace is not None and namespace.startswith(_MCP_PREFIX):
        return [_key(span, KeyKind.MCP, tool_name or "", is_origin=True)]
    if span.parent_span_id is not None:
        return []
    keys = list(_linked(span))
    if claim.role in _ROOTS:
        keys.append(_key(span, KeyKind.ROOT, ""))
        keys += _of_root(span, claim, session_id)
        keys += _of_run(span, claim, tool_name)
        if _MCP_METHOD in span.attributes and tool_name:
            keys.append(_key(span, KeyKind.MCP, tool_name))
    return keys


def log_keys(
    log: SpanLog, requests: Iterable[ToolSign], answers: Iterable[ToolSign]
) -> list[TraceKey]:
    """The keys of one log record that carries messages of a model call."""
    return list(_of_calls(log, requests, answers))


def _of_root(span: Span, claim: Claim, session_id: str | None) -> Iterator[TraceKey]:
    if session_id is not None and session_id != span.attributes.get(_MCP_SESSION):
        yield _key(span, KeyKind.SESSION, f"{span.service_name}|{session_id}", is_origin=True)
    if claim.response_id is not None:
        yield _key(span, KeyKind.RESPONSE, claim.response_id, is_origin=True)
    if claim.input_tokens is not None and claim.output_tokens is not None:
        tokens = f"{claim.request_model}|{claim.input_tokens}|{claim.output_tokens}"
        is_told = bool(claim.is_output_visible)
        yield _key(span, KeyKind.SAME, f"{span.service_name}|{tokens}", is_origin=is_told)
    yield from _of_calls(span, claim.requests or (), claim.answers or ())
    yield from _of_messages(span, claim.shown or (), claim.said or ())


def _of_calls(
    source: Span | SpanLog, requests: Iterable[ToolSign], answers: Iterable[ToolSign]
) -> Iterator[TraceKey]:
    for sign in requests:
        if sign.tool_call_id is not None:
            yield _key(source, KeyKind.CALL, sign.tool_call_id, is_origin=True)
        for name in (sign.tool_name, None):
            if (meaning := _meaning(source, name, sign)) is not None:
                yield _key(source, KeyKind.CALL, meaning, is_origin=True)
    for sign in answers:
        if sign.tool_call_id is not None:
            yield _key(source, KeyKind.CALL, sign.tool_call_id)


def _of_run(span: Span, claim: Claim, tool_name: str | None) -> Iterator[TraceKey]:
    """A run of a tool by the call id, else by tool and arguments."""
    if claim.tool is not None:
        key = claim.tool.tool_call_id or _meaning(span, tool_name, claim.tool)
        if key is not None:
            yield _key(span, KeyKind.CALL, key)


def _meaning(source: Span | SpanLog, tool_name: str | None, sign: ToolSign) -> str | None:
    """What a call asks for, of whatever tool without a name; None without arguments."""
    arguments = read_arguments(sign.arguments)
    return arguments and f"{source.service_name}|{tool_name or ''}|{arguments.hash}"


def _of_messages(
    span: Span, shown: Sequence[Message], said: Sequence[Message]
) -> Iterator[TraceKey]:
    """The exchange up to the last answer before this call, and the exchange with this answer.

    Call ids link more surely: exchanges with calls are left to them.
    """
    before = [message for message in shown if message.role != "system"]
    after = [*before, *said]
    if not said or any(message.calls or message.answers for message in after):
        return
    last = max((place for place, m in enumerate(before) if m.role == "assistant"), default=None)
    if last is not None:
        yield _key(span, KeyKind.MESSAGES, _written(span, before[: last + 1]))
    yield _key(span, KeyKind.MESSAGES, _written(span, after), is_origin=True)


def _written(span: Span, messages: Sequence[Message]) -> str:
    said = [(message.role == "assistant", "\n".join(message.texts).strip()) for message in messages]
    return f"{span.service_name}|{orjson.dumps(said).decode()}"


def _linked(span: Span) -> Iterator[TraceKey]:
    for link in span.links:
        trace_id = text(link.get("trace_id")) if isinstance(link, dict) else None
        if trace_id is not None and trace_id != span.trace_id:
            yield _key(span, KeyKind.LINK, "", other_trace_id=trace_id)


def _key(
    source: Span | SpanLog,
    kind: KeyKind,
    key: str,
    *,
    is_origin: bool = False,
    other_trace_id: str | None = None,
) -> TraceKey:
    if isinstance(source, Span):
        start, end = source.start_time_ns, source.end_time_ns
    else:
        start, end = source.time_ns or source.observed_time_ns, None
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    return TraceKey(
        trace_id=source.trace_id or "",
        span_id=source.span_id or "",
        record_hash=source.record_hash,
        kind=kind,
        key_hash=int.from_bytes(digest),
        is_origin=is_origin,
        other_trace_id=other_trace_id,
        time_ns=start,
        end_time_ns=end,
        received_time_ns=source.received_time_ns,
    )
