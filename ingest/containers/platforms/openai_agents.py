"""OpenAI Agents SDK traces as its exporter sends them: `trace` and `trace.span` objects.

A function span has no call id: it is joined to what the model asked for by name, arguments and
order. `triggered` of a guardrail span is a block.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.drafts import Desk, Draft, Format, Pieces, Refused, SpanDraft
from ingest.containers.fields import arr, decoded, first, iso_ns, kept, obj, objects, txt
from ingest.containers.kinds_of_span import (
    agent_attributes,
    error_text,
    model_attributes,
    tool_attributes,
    usage_of,
)
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

_OBJECTS: Final = frozenset({"trace", "trace.span"})
_ERROR: Final = 2


def sign(value: Any) -> str | None:
    """`object` is `trace` or `trace.span`, maybe inside `data`."""
    found = obj(value)
    if txt(found.get("object")) in _OBJECTS:
        return f"object is {found['object']}"
    rows = arr(found.get("data"))
    inner = sign(rows[0]) if rows and "data" not in obj(rows[0]) else None
    return f"data holds rows: {inner}" if inner else None


def read_export(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of the file; a trace object becomes the root of its spans."""
    roots: set[str] = set()
    waiting: list[SpanDraft] = []
    for piece in pieces:
        found = obj(piece.value)
        for row in objects(found["data"]) if isinstance(found.get("data"), list) else [found]:
            try:
                span = _root(row) if row.get("object") == "trace" else _span(row)
            except RecordError as error:
                yield Refused(piece.place, error, dict(row))
                continue
            if row.get("object") == "trace":
                roots.add(span.trace_key)
            if span.parent_key is None and row.get("object") != "trace":
                waiting.append(span)
            else:
                yield span
    for span in waiting:
        span.parent_key = _root_key(span.trace_key) if span.trace_key in roots else None
        yield span


def _root_key(trace_key: str) -> str:
    return f"{trace_key}/root"


def _trace_key(written: str) -> str:
    return written.removeprefix("trace_")


def _root(row: Mapping[str, Any]) -> SpanDraft:
    key = _trace_key(_needed(row, "id"))
    metadata = {f"metadata.{name}": value for name, value in obj(row.get("metadata")).items()}
    return SpanDraft(
        key,
        _root_key(key),
        txt(row.get("workflow_name")) or "workflow",
        attributes=kept({"session.id": txt(row.get("group_id"))}) | metadata,
    )


def _span(row: Mapping[str, Any]) -> SpanDraft:
    data = obj(row.get("span_data"))
    error = obj(row.get("error"))
    return SpanDraft(
        _trace_key(_needed(row, "trace_id")),
        _needed(row, "id"),
        txt(data.get("name")) or txt(data.get("type")) or "span",
        parent_key=txt(row.get("parent_id")),
        start=iso_ns(row.get("started_at")),
        end=iso_ns(row.get("ended_at")),
        status_code=_ERROR if row.get("error") else 0,
        status_message=error_text(row.get("error")),
        attributes=kept({"source.span_type": txt(data.get("type"))})
        | _attributes(data)
        | kept({"error.data": error.get("data") or None}),
    )


def _attributes(data: Mapping[str, Any]) -> dict[str, Any]:
    kind = data.get("type")
    name = txt(data.get("name"))
    if kind == "function":
        return tool_attributes(name, decoded(data.get("input")), data.get("output"))
    if kind in ("generation", "response"):
        return _model(data)
    if kind == "agent":
        tools = [{"type": "function", "name": tool} for tool in arr(data.get("tools"))]
        return agent_attributes(name) | kept({"gen_ai.tool.definitions": tools or None})
    if kind == "guardrail":
        return kept(
            {
                "gen_ai.operation.name": "apply_guardrail",
                "gen_ai.guardrail.name": name,
                "gen_ai.guardrail.triggered": "true" if data.get("triggered") else "false",
            }
        )
    if kind == "handoff":
        arguments = kept({"from": data.get("from_agent"), "to": data.get("to_agent")})
        return tool_attributes(f"transfer_to_{txt(data.get('to_agent'))}", arguments, None)
    return {f"span_data.{key}": value for key, value in data.items() if key != "type"}


def _model(data: Mapping[str, Any]) -> dict[str, Any]:
    response = obj(data.get("response"))
    attributes = model_attributes(
        data.get("input"),
        data.get("output") or response.get("output"),
        model=txt(first(data, "model")) or txt(response.get("model")),
        provider="openai",
        usage=usage_of(data.get("usage") or response.get("usage")),
        tools=list(arr(response.get("tools"))),
    )
    return attributes | kept({"gen_ai.response.id": txt(first(data, "response_id"))})


def _needed(row: Mapping[str, Any], name: str) -> str:
    found = txt(row.get(name))
    if found is None:
        raise RecordError(
            Reason.SPAN_ID, f"a {row.get('object')} without {name}: expected one; export it again"
        )
    return found


FORMAT: Final = Format(Container.OPENAI_AGENTS, "an OpenAI Agents trace", sign, read_export)
