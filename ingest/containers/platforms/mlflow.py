"""MLflow traces, in the three spellings of its versions.

Version 3 writes ids as base64 and every attribute as JSON text; version 2 has `context` and plain
times; `info.request_id` was the trace id before `info.trace_id`. A name that several siblings share
gets a suffix `_1`, `_2`, which is taken off again.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.drafts import Draft, Format, ScoreDraft, SpanDraft, each
from ingest.containers.fields import arr, decoded, first, kept, obj, objects, real, scaled_ns, txt
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind

_NATIVE: Final = re.compile(r"^(?:tr-|trace:/.*/)(?P<hex>[0-9a-f]{32})$")
_STATUS: Final = {"OK": 1, "ERROR": 2}
_SUFFIX: Final = re.compile(r"^(?P<name>.+)_\d+$")
_KINDS: Final = {"HUMAN": AnnotatorKind.HUMAN, "LLM_JUDGE": AnnotatorKind.LLM}


def sign(value: Any) -> str | None:
    """`info` with a trace id, and `data.spans`."""
    found = obj(value)
    info = obj(found.get("info"))
    has_spans = isinstance(obj(decoded(found.get("data"))).get("spans"), list)
    is_ours = has_spans and bool(info.keys() & {"trace_id", "request_id"})
    return "it has info with a trace id and data.spans" if is_ours else None


def read_trace(value: Any) -> Iterator[Draft]:
    """The spans and assessments of one trace."""
    found = obj(value)
    info = obj(found.get("info"))
    key = txt(first(info, "trace_id", "request_id"))
    if key is None:
        raise RecordError(
            Reason.TRACE_ID, "a trace without info.trace_id: expected one; export it again"
        )
    match = _NATIVE.match(key)
    trace_key = match["hex"] if match else key
    spans = list(objects(obj(decoded(found.get("data"))).get("spans")))
    names = {str(span.get("name")) for span in spans}
    whose = _whose(info)
    for span in spans:
        yield _span(span, trace_key, names, whose)
    for assessment in objects(info.get("assessments")):
        yield _score(assessment, trace_key)


def _whose(info: Mapping[str, Any]) -> dict[str, Any]:
    metadata = obj(first(info, "trace_metadata", "request_metadata"))
    return kept(
        {
            "session.id": txt(metadata.get("mlflow.trace.session")),
            "user.id": txt(metadata.get("mlflow.trace.user")),
        }
    )


def _span(
    span: Mapping[str, Any], trace_key: str, names: set[str], whose: Mapping[str, Any]
) -> SpanDraft:
    context = obj(span.get("context"))
    key = txt(first(span, "span_id") or context.get("span_id"))
    if key is None:
        raise RecordError(Reason.SPAN_ID, "a span without span_id: expected one; export it again")
    parent = txt(first(span, "parent_span_id", "parent_id"))
    status = span.get("status")
    code = obj(status).get("code") or span.get("status_code") or status
    attributes = {name: _value(text) for name, text in obj(span.get("attributes")).items()}
    return SpanDraft(
        trace_key,
        key,
        _name(txt(span.get("name")) or "", names),
        parent_key=parent,
        start=scaled_ns(first(span, "start_time_unix_nano", "start_time"), 1),
        end=scaled_ns(first(span, "end_time_unix_nano", "end_time"), 1),
        status_code=_STATUS.get(str(code).removeprefix("STATUS_CODE_"), 0),
        status_message=txt(obj(status).get("message") or span.get("status_message")),
        attributes=attributes | ({} if parent else dict(whose)),
        events=[_event(event) for event in arr(span.get("events")) if isinstance(event, dict)],
    )


def _value(value: Any) -> Any:
    """An attribute as written, or the value of its JSON text."""
    return decoded(value)


def _name(name: str, names: set[str]) -> str:
    match = _SUFFIX.match(name)
    is_copy = match is not None and (match["name"] in names or f"{match['name']}_1" in names)
    return match["name"] if match is not None and is_copy else name


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "time_ns": scaled_ns(first(event, "time_unix_nano", "timestamp"), 1),
        "name": txt(event.get("name")) or "event",
        "attributes": dict(obj(event.get("attributes"))),
    }


def _score(assessment: Mapping[str, Any], trace_key: str) -> ScoreDraft:
    judged = obj(assessment.get("feedback")) or obj(assessment.get("expectation"))
    value = judged.get("value")
    source = obj(assessment.get("source"))
    return ScoreDraft(
        txt(first(assessment, "assessment_name", "name")) or "assessment",
        trace_key=trace_key,
        span_key=txt(assessment.get("span_id")),
        value=float(value) if isinstance(value, bool) else real(value),
        label=value if isinstance(value, str) and real(value) is None else None,
        explanation=txt(assessment.get("rationale")),
        annotator=txt(source.get("source_id")),
        annotator_kind=_KINDS.get(str(source.get("source_type")), AnnotatorKind.RULE),
    )


FORMAT: Final = Format(Container.MLFLOW, "an MLflow trace", sign, each(read_trace))
