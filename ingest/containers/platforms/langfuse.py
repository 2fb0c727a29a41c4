"""Langfuse: traces as its interface exports them and its public API answers, and observation rows.

`metadata` often holds the OpenTelemetry attributes that the observation was made from; they are put
back, so that the dialect of the traced framework reads them. What Langfuse took out of them
(inputs, outputs, usage) is filled in where it is missing. `usageDetails.input` leaves out cached
tokens.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.drafts import Draft, Format, ScoreDraft, SpanDraft, any_sign, each, keys_sign
from ingest.containers.fields import arr, decoded, first, iso_ns, kept, obj, objects, real, txt
from ingest.containers.kinds_of_span import (
    agent_attributes,
    model_attributes,
    tool_attributes,
    usage_of,
)
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind

_OWN: Final = frozenset({"traceId", "startTime", "type"})
_NOTED: Final = frozenset({"parentObservationId", "level", "statusMessage", "usageDetails"})
_KNOWN_PREFIXES: Final = (
    "gen_ai.", "openinference.", "ai.", "traceloop.", "llm.", "langsmith.", "mlflow.", "lmnr.",
    "genkit:", "logfire.", "gcp.vertex.", "tool.", "lk.", "flue.", "mcp.",
)  # fmt: skip
_ERROR: Final = 2


def _trace_sign(value: Any) -> str | None:
    found = obj(value)
    is_trace = isinstance(found.get("observations"), list) and found.keys() & {"timestamp", "id"}
    return "it has observations and the fields of a trace" if is_trace else None


def _row_sign(value: Any) -> str | None:
    found = obj(value)
    is_row = found.keys() >= _OWN and bool(found.keys() & _NOTED)
    return "it has traceId, startTime and type of an observation" if is_row else None


def _page_sign(value: Any) -> str | None:
    rows = arr(obj(value).get("data"))
    reason = (_row_sign(rows[0]) or _trace_sign(rows[0])) if rows else None
    return f"data holds rows: {reason}" if reason else None


sign = any_sign((keys_sign("trace", "observations"), _trace_sign, _row_sign, _page_sign))


def read_langfuse(value: Any) -> Iterator[Draft]:
    """The spans and scores of one export, trace, page or row."""
    found = obj(value)
    if isinstance(found.get("data"), list):
        for row in objects(found["data"]):
            yield from read_langfuse(row)
    elif "observations" in found:
        yield from _trace(found)
    else:
        yield observation_span(found, {})


def _trace(found: Mapping[str, Any]) -> Iterator[Draft]:
    trace = obj(found.get("trace")) or found
    observations = list(objects(found["observations"]))
    key = txt(trace.get("id")) or txt(next(iter(observations), {}).get("traceId"))
    if key is None:
        raise RecordError(Reason.TRACE_ID, "a trace without id: expected trace.id; export it again")
    for observation in observations:
        yield observation_span({"traceId": key, **observation}, trace)
    if not observations:
        yield SpanDraft(
            key, key, txt(trace.get("name")) or "trace",
            start=iso_ns(trace.get("timestamp")), attributes=_whose(trace),
        )  # fmt: skip
    for score in objects(first(trace, "scores") or found.get("scores")):
        yield score_of(score, key)


def score_of(score: Mapping[str, Any], trace_key: str) -> ScoreDraft:
    """A score of a trace or of one of its observations."""
    source = txt(score.get("source"))
    kinds = {"ANNOTATION": AnnotatorKind.HUMAN, "EVAL": AnnotatorKind.LLM}
    return ScoreDraft(
        txt(score.get("name")) or "score",
        trace_key=trace_key,
        span_key=txt(score.get("observationId")),
        value=real(score.get("value")),
        label=txt(score.get("stringValue")),
        explanation=txt(score.get("comment")),
        annotator=txt(score.get("authorUserId")),
        annotator_kind=kinds.get(source or "", AnnotatorKind.RULE),
        time=iso_ns(first(score, "timestamp", "createdAt")),
    )


def observation_span(row: Mapping[str, Any], trace: Mapping[str, Any]) -> SpanDraft:
    """One observation.

    Args:
        row: Its fields.
        trace: The fields of its trace, empty where they are not in the file.

    Raises:
        RecordError: It has no id.
    """
    key, trace_key = txt(row.get("id")), txt(row.get("traceId"))
    if key is None or trace_key is None:
        raise RecordError(
            Reason.SPAN_ID, "an observation without id or traceId: expected both; export it again"
        )
    metadata = obj(decoded(row.get("metadata")))
    inner = obj(decoded(metadata.get("attributes")))
    scope = obj(decoded(metadata.get("scope")))
    parent = txt(row.get("parentObservationId"))
    is_failed = str(row.get("level")) == "ERROR"
    return SpanDraft(
        trace_key,
        key,
        txt(row.get("name")) or "",
        parent_key=parent,
        start=iso_ns(row.get("startTime")),
        end=iso_ns(row.get("endTime")),
        status_code=_ERROR if is_failed else 0,
        status_message=txt(row.get("statusMessage")),
        attributes=_attributes(row, inner, metadata) | ({} if parent else _whose(trace)),
        resource=obj(decoded(metadata.get("resourceAttributes"))),
        scope_name=txt(scope.get("name")),
        scope_version=txt(scope.get("version")),
    )


def _whose(trace: Mapping[str, Any]) -> dict[str, Any]:
    return kept(
        {
            "session.id": txt(trace.get("sessionId")),
            "user.id": txt(trace.get("userId")),
            "deployment.environment.name": txt(trace.get("environment")),
        }
    )


def _attributes(
    row: Mapping[str, Any], inner: Mapping[str, Any], metadata: Mapping[str, Any]
) -> dict[str, Any]:
    kind = str(row.get("type")).upper()
    shown = {"input": decoded(row.get("input")), "output": decoded(row.get("output"))}
    noted = kept({"source.observation_type": kind, "source.level": txt(row.get("level"))})
    if any(name.startswith(_KNOWN_PREFIXES) for name in inner):
        return {**noted, **_filled(inner, shown), **inner}
    rest = {
        f"metadata.{name}": value
        for name, value in metadata.items()
        if name not in ("attributes", "resourceAttributes", "scope")
    }
    return {**noted, **rest, **inner, **_read(kind, row, metadata, shown)}


def _filled(inner: Mapping[str, Any], shown: Mapping[str, Any]) -> dict[str, Any]:
    """What Langfuse moved out of the attributes, under the names it had there."""
    if "openinference.span.kind" in inner:
        return kept({"input.value": shown["input"], "output.value": shown["output"]})
    if inner.get("ai.operationId") == "ai.toolCall":
        return kept({"ai.toolCall.args": shown["input"], "ai.toolCall.result": shown["output"]})
    if "gen_ai.tool.name" in inner or inner.get("gen_ai.operation.name") == "execute_tool":
        arguments, result = shown["input"], shown["output"]
        return kept({"gen_ai.tool.call.arguments": arguments, "gen_ai.tool.call.result": result})
    if inner.get("gen_ai.operation.name") in ("chat", "generate_content", "text_completion"):
        found = model_attributes(shown["input"], shown["output"])
        return {name: found[name] for name in found if name.endswith(".messages")}
    return kept({"langfuse.observation.input": shown["input"],
                 "langfuse.observation.output": shown["output"]})  # fmt: skip


def _read(
    kind: str, row: Mapping[str, Any], metadata: Mapping[str, Any], shown: Mapping[str, Any]
) -> dict[str, Any]:
    """An observation that Langfuse's own type describes."""
    name = txt(row.get("name"))
    is_node = metadata.get("langgraph_node") == "tools" and name != "tools"
    if kind == "TOOL" or (kind == "SPAN" and is_node):
        return tool_attributes(name, shown["input"], shown["output"], call_id=_call_id(shown))
    if kind == "GENERATION":
        return model_attributes(
            shown["input"],
            shown["output"],
            model=txt(row.get("model")),
            provider=txt(metadata.get("ls_provider")),
            usage=usage_of(_usage(row), is_cached_apart=True),
            tools=_tools(row),
        )
    if kind == "AGENT":
        return agent_attributes(name)
    return kept(
        {
            "langfuse.observation.type": kind.lower(),
            "langfuse.observation.input": shown["input"],
            "langfuse.observation.output": shown["output"],
            "langfuse.observation.level": txt(row.get("level")),
            "langfuse.observation.status_message": txt(row.get("statusMessage")),
        }
    )


def _call_id(shown: Mapping[str, Any]) -> str | None:
    return txt(obj(shown["output"]).get("tool_call_id"))


def _usage(row: Mapping[str, Any]) -> Any:
    """Older exports name the parts apart."""
    parts = {"input": row.get("inputUsage"), "output": row.get("outputUsage")}
    return row.get("usageDetails") or kept(parts) or row.get("usage")


def _tools(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    definitions = decoded(row.get("toolDefinitions"))
    found = []
    for name, definition in obj(definitions).items():
        fields = obj(decoded(definition))
        found.append({"type": "function", "name": name, **fields})
    return found


FORMAT: Final = Format(Container.LANGFUSE, "a Langfuse trace", sign, each(read_langfuse))
