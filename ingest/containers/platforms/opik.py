"""Opik: spans and traces, in lists, lines or pages (`content`, `data`) of its API."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.drafts import (
    Desk,
    Draft,
    Format,
    Pieces,
    Refused,
    ScoreDraft,
    SpanDraft,
    any_sign,
)
from ingest.containers.fields import arr, first, iso_ns, kept, obj, objects, real, txt
from ingest.containers.kinds_of_span import error_text, model_attributes, tool_attributes, usage_of
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind

_SPAN_TYPES: Final = frozenset({"general", "llm", "tool", "guardrail"})
_TRACE_SIGNS: Final = frozenset({"thread_id", "span_count", "guardrails_validations"})
_ERROR: Final = 2


def _row_sign(value: Any) -> str | None:
    row = obj(value)
    if not row.keys() >= {"id", "start_time"}:
        return None
    if txt(row.get("type")) in _SPAN_TYPES and "trace_id" in row:
        return f"it has trace_id, start_time and the type {row['type']}"
    if "trace_id" not in row and row.keys() & _TRACE_SIGNS:
        return f"it has start_time and {min(row.keys() & _TRACE_SIGNS)}"
    return None


def _page_sign(value: Any) -> str | None:
    for name in ("content", "spans", "traces"):
        rows = arr(obj(value).get(name))
        if rows and _row_sign(rows[0]):
            return f"{name} holds rows: {_row_sign(rows[0])}"
    return None


sign = any_sign((_row_sign, _page_sign))


def read_rows(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans and traces of the file; a trace that is in it becomes the root of its spans."""
    roots: set[str] = set()
    without_parent: list[SpanDraft] = []
    for piece in pieces:
        for row in _rows_of(obj(piece.value)):
            try:
                span = _span(row) if "trace_id" in row else _trace(row)
            except RecordError as error:
                yield Refused(piece.place, error, dict(row))
                continue
            yield from _scores(row, span)
            if "trace_id" not in row:
                roots.add(span.trace_key)
                yield span
            elif span.parent_key is None:
                without_parent.append(span)
            else:
                yield span
    for span in without_parent:
        span.parent_key = span.trace_key if span.trace_key in roots else None
        yield span


def _rows_of(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    pages = [value[name] for name in ("traces", "spans", "content") if arr(value.get(name))]
    for page in pages:
        yield from objects(page)
    if not pages:
        yield value


def _trace(row: Mapping[str, Any]) -> SpanDraft:
    key = _needed(row, "id")
    error = error_text(row.get("error_info"))
    return SpanDraft(
        key,
        key,
        txt(row.get("name")) or "trace",
        start=iso_ns(row.get("start_time")),
        end=iso_ns(row.get("end_time")),
        status_code=_ERROR if error else 0,
        status_message=error,
        attributes=kept(
            {
                "session.id": txt(row.get("thread_id")),
                "input.value": row.get("input"),
                "output.value": row.get("output"),
                "tag.tags": list(arr(row.get("tags"))) or None,
            }
        ),
        resource=_project(row),
    )


def _span(row: Mapping[str, Any]) -> SpanDraft:
    failure = obj(row.get("error_info"))
    error = error_text(failure)
    return SpanDraft(
        _needed(row, "trace_id"),
        _needed(row, "id"),
        txt(row.get("name")) or "",
        parent_key=txt(row.get("parent_span_id")),
        start=iso_ns(row.get("start_time")),
        end=iso_ns(row.get("end_time")),
        status_code=_ERROR if error else 0,
        status_message=error,
        attributes=_attributes(row) | kept({"error.type": txt(failure.get("exception_type"))}),
        resource=_project(row),
    )


def _attributes(row: Mapping[str, Any]) -> dict[str, Any]:
    inputs, outputs, metadata = row.get("input"), row.get("output"), obj(row.get("metadata"))
    kind = row.get("type")
    if kind == "tool":
        call_id = txt(first(metadata, "tool_call_id", "call_id"))
        return tool_attributes(txt(row.get("name")), inputs, outputs, call_id=call_id)
    if kind == "llm":
        return model_attributes(
            inputs,
            outputs,
            model=txt(row.get("model")),
            provider=txt(row.get("provider")),
            usage=usage_of(row.get("usage")),
            tools=list(arr(obj(inputs).get("tools")) or arr(metadata.get("tools"))),
        )
    shown = kept({"opik.input": inputs, "opik.output": outputs})
    if kind == "guardrail":
        verdict = txt(first(obj(outputs), "guardrail_result", "result"))
        return shown | kept(
            {
                "gen_ai.operation.name": "apply_guardrail",
                "gen_ai.guardrail.name": txt(row.get("name")),
                "gen_ai.guardrail.status": verdict,
            }
        )
    return shown


def _scores(row: Mapping[str, Any], span: SpanDraft) -> Iterator[Draft]:
    for score in objects(row.get("feedback_scores")):
        yield ScoreDraft(
            txt(score.get("name")) or "score",
            trace_key=span.trace_key,
            span_key=span.span_key,
            value=real(score.get("value")),
            label=txt(score.get("category_name")),
            explanation=txt(score.get("reason")),
            annotator=txt(score.get("created_by")),
            annotator_kind=AnnotatorKind.HUMAN
            if score.get("source") == "ui"
            else AnnotatorKind.RULE,
        )


def _project(row: Mapping[str, Any]) -> dict[str, Any]:
    return kept({"opik.project": txt(first(row, "project_name", "project_id"))})


def _needed(row: Mapping[str, Any], name: str) -> str:
    found = txt(row.get(name))
    if found is None:
        raise RecordError(Reason.SPAN_ID, f"a row without {name}: expected one; export it again")
    return found


FORMAT: Final = Format(Container.OPIK, "Opik spans", sign, read_rows)
