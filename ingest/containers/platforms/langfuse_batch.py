"""Langfuse ingestion batches: what its SDKs send; later events patch what earlier ones created."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.drafts import Desk, Draft, Format, Pieces, Refused
from ingest.containers.fields import arr, obj, objects, txt
from ingest.containers.platforms.langfuse import observation_span, score_of
from ingest.errors import RecordError
from ingest.kinds import Container

_TYPES: Final = {
    "span": "SPAN", "generation": "GENERATION", "event": "EVENT", "tool": "TOOL", "agent": "AGENT",
    "chain": "CHAIN", "retriever": "RETRIEVER", "evaluator": "EVALUATOR",
    "embedding": "EMBEDDING", "guardrail": "GUARDRAIL",
}  # fmt: skip


def sign(value: Any) -> str | None:
    """`batch` of events such as `trace-create` or `span-update`."""
    for event in arr(obj(value).get("batch"))[:5]:
        kind = txt(obj(event).get("type")) or ""
        if kind.endswith(("-create", "-update")) and "body" in obj(event):
            return f"batch holds events such as {kind}"
    return None


def read_batches(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The observations of all batches of the file, each whole."""
    rows: dict[str, dict[str, Any]] = {}
    traces: dict[str, dict[str, Any]] = {}
    scores: list[Mapping[str, Any]] = []
    for piece in pieces:
        for event in objects(obj(piece.value).get("batch")):
            _place(event, rows, traces, scores)
    for row in rows.values():
        try:
            yield observation_span(row, traces.get(str(row.get("traceId")), {}))
        except RecordError as error:
            yield Refused("batch", error, row)
    for score in scores:
        trace_key = txt(score.get("traceId"))
        if trace_key is not None:
            yield score_of(score, trace_key)


def _place(
    event: Mapping[str, Any],
    rows: dict[str, dict[str, Any]],
    traces: dict[str, dict[str, Any]],
    scores: list[Mapping[str, Any]],
) -> None:
    kind = (txt(event.get("type")) or "").removesuffix("-create").removesuffix("-update")
    body = obj(event.get("body"))
    key = txt(body.get("id"))
    given = {name: value for name, value in body.items() if value is not None}
    if kind == "score":
        scores.append(body)
    elif key is not None and kind == "trace":
        traces[key] = traces.get(key, {}) | given
    elif key is not None and (kind in _TYPES or kind == "observation"):
        typed = {"type": _TYPES[kind]} if kind in _TYPES else {}
        rows[key] = rows.get(key, {}) | typed | given


FORMAT: Final = Format(Container.LANGFUSE_BATCH, "Langfuse ingestion batches", sign, read_batches)
