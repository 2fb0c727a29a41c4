"""Drafts of foreign containers to records: ids made OpenTelemetry's, provenance stamped.

An id that is one already stays itself; any other becomes the first bytes of
sha256(container|native id), and the native one is kept beside it, so that a search for it finds the
trace.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

import orjson

from ingest import ids
from ingest.containers.drafts import (
    CaseRunDraft,
    Draft,
    ExpectationDraft,
    Otlp,
    Passed,
    Refused,
    ScoreDraft,
    SpanDraft,
)
from ingest.containers.groups import Group, group
from ingest.containers.otlp_json import decode_documents
from ingest.containers.span_fields import REPORTED_DURATION, span_fields
from ingest.decoded import Ignored, Item, Origin
from ingest.dialects.arguments import read_arguments
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import Match
from replay_store.records import CaseRun, Expectation, Score, Span
from replay_store.spelling import hashed_trace_id

NATIVE_TRACE_ID: Final = "source.trace_id"
NATIVE_SPAN_ID: Final = "source.span_id"
"""Attributes that keep the ids of the source where they are not OpenTelemetry's."""
_CACHED_IDS: Final = 4096
_CACHED_GROUPS: Final = 64
_MAYBE_ID: Final = re.compile(r"\s*(?:(?:0[xX])?[0-9a-fA-F-]{16,}|[A-Za-z0-9+/]+={1,2})\s*")
"""What may be an id at all: most keys are names, and trying costs more than looking."""


def items_of(drafts: Iterable[Draft], container: Container, origin: Origin) -> Iterator[Item]:
    """The records of the drafts of one file."""
    for draft in drafts:
        if isinstance(draft, Refused):
            yield origin.reject(draft.place, draft.error, written(draft.value))
        elif isinstance(draft, Otlp):
            yield from decode_documents(draft.value, origin, draft.place)
        elif isinstance(draft, Passed):
            yield Ignored(draft.what, draft.n)
        else:
            yield _item(draft, container, origin)


@lru_cache(maxsize=_CACHED_IDS)
def trace_id_of(container: Container, key: str) -> str:
    """The trace id of a native one: 32 lower hex digits."""
    return ids.trace_id(key) or hashed_trace_id(container, key)


@lru_cache(maxsize=_CACHED_IDS)
def span_id_of(container: Container, trace_key: str, key: str) -> str:
    """The span id of a native one: 16 lower hex digits."""
    found = ids.span_id(key) if _MAYBE_ID.fullmatch(key) else None
    return found or _hashed(f"{container}|{trace_key}|{key}")


def written(value: Any) -> bytes | None:
    """A refused value as JSON; its Python form where JSON cannot hold it; None for no value."""
    if value is None or isinstance(value, bytes):
        return value
    try:
        return orjson.dumps(value)
    except TypeError:
        return f"a {type(value).__name__} that JSON cannot hold".encode()


def _item(
    draft: SpanDraft | ExpectationDraft | ScoreDraft | CaseRunDraft,
    container: Container,
    origin: Origin,
) -> Item:
    try:
        if isinstance(draft, SpanDraft):
            return origin.decoded(Span, _span(draft, container))
        if isinstance(draft, ScoreDraft):
            return origin.decoded(Score, _score(draft, container))
        if isinstance(draft, CaseRunDraft):
            return origin.decoded(CaseRun, _case_run(draft, container))
        fields = _expectation(draft, container)
        return origin.decoded(Expectation, fields, finish=_with_hash)
    except TypeError as error:
        # What orjson says of values that nest deeper than it writes.
        if "ecursion" not in str(error):
            raise
        return origin.reject("record", _too_deep())


def _span(draft: SpanDraft, container: Container) -> dict[str, Any]:
    trace_id = trace_id_of(container, draft.trace_key)
    span_id = span_id_of(container, draft.trace_key, draft.span_key)
    attributes = draft.attributes.copy()
    if trace_id != draft.trace_key:
        attributes[NATIVE_TRACE_ID] = draft.trace_key
    if span_id != draft.span_key:
        attributes[NATIVE_SPAN_ID] = draft.span_key
    if draft.duration is not None and draft.start is None:
        attributes[REPORTED_DURATION] = draft.duration
    parent = draft.parent_key
    return span_fields(
        _group(draft, container),
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=span_id_of(container, draft.trace_key, parent) if parent else None,
        name=draft.name,
        otel_kind=draft.otel_kind,
        start=draft.start,
        end=draft.end,
        status_code=draft.status_code,
        status_message=draft.status_message,
        attributes=attributes,
        events=draft.events,
        links=[_link(link, container) for link in draft.links],
        trace_state=None,
        flags=0,
        n_dropped=draft.n_dropped,
    )


def _group(draft: SpanDraft, container: Container) -> Group:
    scope = draft.scope_name or container.value
    if not draft.resource:
        return _bare_group(scope, draft.scope_version)
    return group(draft.resource, scope, draft.scope_version, {})


@lru_cache(maxsize=_CACHED_GROUPS)
def _bare_group(scope_name: str, scope_version: str | None) -> Group:
    """Nothing is said of the process: so it is with nearly all spans that are made of messages."""
    return group({}, scope_name, scope_version, {})


def _link(link: dict[str, Any], container: Container) -> dict[str, Any]:
    trace_key, span_key = link["trace_id"], link["span_id"]
    return {
        "trace_id": trace_id_of(container, trace_key) if trace_key else None,
        "span_id": span_id_of(container, trace_key or "", span_key) if span_key else None,
        "trace_state": link.get("trace_state"),
        "attributes": link.get("attributes") or {},
    }


def _expectation(draft: ExpectationDraft, container: Container) -> dict[str, Any]:
    return {
        "trace_id": trace_id_of(container, draft.trace_key) if draft.trace_key else None,
        "case_id": draft.case_id,
        "turn": draft.turn,
        "call_index": draft.position,
        "tool_name": draft.tool_name,
        "arguments": draft.arguments,
        "arguments_hash": None,
        "match": draft.match,
        "is_ordered": draft.is_ordered,
        "is_complete": draft.is_complete,
        "source": container.value,
    }


def _with_hash(fields: dict[str, Any]) -> None:
    """Hash what was kept of an expectation's arguments, as a call's are hashed."""
    kept = fields["arguments"]
    if kept is None:
        return
    arguments = read_arguments(kept) if fields["match"] == Match.EXACT else None
    fields["arguments"] = _text(kept)
    fields["arguments_hash"] = arguments.hash if arguments else None


def _score(draft: ScoreDraft, container: Container) -> dict[str, Any]:
    trace_key, span_key = draft.trace_key, draft.span_key
    return {
        "trace_id": trace_id_of(container, trace_key) if trace_key else None,
        "case_id": draft.case_id,
        "span_id": span_id_of(container, trace_key or "", span_key) if span_key else None,
        "step": draft.step,
        "name": draft.name,
        "value": draft.value,
        "label": draft.label,
        "explanation": draft.explanation,
        "annotator": draft.annotator,
        "annotator_kind": draft.annotator_kind,
        "source": container.value,
        "time_ns": draft.time,
    }


def _case_run(draft: CaseRunDraft, container: Container) -> dict[str, Any]:
    return {
        "trace_id": trace_id_of(container, draft.trace_key),
        "case_id": draft.case_id,
        "trial": draft.trial,
        "source": container.value,
    }


def _text(value: Any) -> str:
    """Text as it is, anything else as JSON: a call's arguments come in either form."""
    if isinstance(value, str):
        return value
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _hashed(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).digest()[: ids.SPAN_ID_BYTES].hex()


def _too_deep() -> RecordError:
    return RecordError(
        Reason.DEPTH,
        "a value nests deeper than JSON can be written: expected fewer than 250 levels; "
        "flatten the values",
    )
