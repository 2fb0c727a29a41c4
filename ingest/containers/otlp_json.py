"""OTLP/JSON: traces, logs, or both in one document; metrics are left out and counted.

Source: OTLP/JSON mapping of the OpenTelemetry protocol; unknown fields are ignored, enum names,
snake_case keys, null lists and the older `instrumentationLibrarySpans` are taken.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import orjson

from ingest.containers.groups import Group, group
from ingest.containers.json_records import log_from_json, span_from_json
from ingest.containers.json_text import loads
from ingest.containers.keys import camel
from ingest.containers.mending import Mender
from ingest.decoded import Decoded, Ignored, Item, Origin
from ingest.errors import Reason, RecordError
from ingest.values import attributes_from_json

OTLP_KEYS: Final = frozenset(
    {
        "resourceSpans", "resource_spans", "resourceLogs", "resource_logs",
        "resourceMetrics", "resource_metrics",
    }
)  # fmt: skip
"""One of these at the top makes a JSON object an OTLP export."""


class _Signal(NamedTuple):
    resources: str
    scopes: tuple[str, ...]
    records: str
    word: str
    read: Callable[[Any, Group, Origin], Decoded]


_SIGNALS: Final = (
    _Signal(
        "resourceSpans", ("scopeSpans", "instrumentationLibrarySpans"), "spans", "span",
        span_from_json,
    ),
    _Signal(
        "resourceLogs", ("scopeLogs", "instrumentationLibraryLogs"), "logRecords", "log",
        log_from_json,
    ),
)  # fmt: skip


def decode_json(data: bytes, origin: Origin, place: str = "") -> Iterator[Item]:
    """The records of one OTLP/JSON request: an object, or a list of them.

    Args:
        data: The request.
        origin: Stamp of the records.
        place: Where it stands in its file, such as `line 17`; empty when it is the file.
    """
    try:
        value = loads(data)
    except RecordError as error:
        yield origin.reject(place or "document", error, data)
        return
    yield from decode_documents(value, origin, place)


def decode_documents(value: Any, origin: Origin, place: str) -> Iterator[Item]:
    """The records of one parsed export, or of a list of them.

    Args:
        value: The JSON value.
        origin: Stamp of the records.
        place: Where it stands, such as `line 17`; empty for a whole document.
    """
    if not isinstance(value, list):
        yield from _decode_export(value, origin, place)
        return
    for index, item in enumerate(value):
        yield from _decode_export(item, origin, _at(place, f"item {index}"))


def _decode_export(value: Any, origin: Origin, place: str) -> Iterator[Item]:
    if not isinstance(value, dict) or not OTLP_KEYS & value.keys():
        error = RecordError(
            Reason.SHAPE,
            f"{_named(value)} is no OTLP export: expected an object with resourceSpans or "
            "resourceLogs; remove it, or put it in a file of its own kind",
        )
        yield origin.reject(place or "document", error, _written(value))
        return
    export = camel(value)
    for signal in _SIGNALS:
        yield from _decode_signal(export, signal, origin, place)
    if n_metrics := _n_metrics(export):
        yield Ignored("metrics", n_metrics)


def _decode_signal(
    export: Mapping[str, Any], signal: _Signal, origin: Origin, place: str
) -> Iterator[Item]:
    for index, item in enumerate(_items(export, signal.resources)):
        at = _at(place, f"resource {index}")
        try:
            resource = _Resource.of(item)
            scopes = [scope for key in signal.scopes for scope in _listed(resource.fields, key)]
        except RecordError as error:
            yield origin.reject(at, error, _written(item))
            continue
        for scope_index, scope in enumerate(scopes):
            yield from _decode_scope(
                scope, resource, signal, origin, _at(at, f"scope {scope_index}")
            )


def _decode_scope(
    value: Any, resource: "_Resource", signal: _Signal, origin: Origin, place: str
) -> Iterator[Item]:
    try:
        fields = _object(value)
        shared = resource.group(fields)
        records = _listed(fields, signal.records)
    except RecordError as error:
        yield origin.reject(place, error, _written(value))
        return
    for index, record in enumerate(records):
        try:
            yield signal.read(record, shared, origin)
        except RecordError as error:
            yield origin.reject(f"{place}, {signal.word} {index}", error, _written(record))


class _Resource(NamedTuple):
    fields: Mapping[str, Any]
    attributes: Mapping[str, Any]

    @classmethod
    def of(cls, value: Any) -> "_Resource":
        fields = _object(value)
        resource = _object(fields.get("resource") or {})
        return cls(fields, attributes_from_json(resource.get("attributes")))

    def group(self, scope_records: Mapping[str, Any]) -> Group:
        named = scope_records.get("scope") or scope_records.get("instrumentationLibrary") or {}
        scope, mender = _object(named), Mender()
        return group(
            self.attributes,
            mender.text(scope.get("name")),
            mender.text(scope.get("version")),
            attributes_from_json(scope.get("attributes")),
            is_repaired=mender.is_repaired,
        )


def _items(export: Mapping[str, Any], key: str) -> list[Any]:
    value = export.get(key)
    # Anything but a list is handed on as the one item, so that it is refused with its place.
    return value if isinstance(value, list) else [value] if value else []


def _listed(fields: Mapping[str, Any], key: str) -> list[Any]:
    value = fields.get(key)
    if not value:
        return []
    if isinstance(value, list):
        return value
    raise RecordError(
        Reason.SHAPE,
        f"{key}: a {type(value).__name__}: expected a list; check what wrote this file",
    )


def _object(value: Any) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return camel(value)
    raise RecordError(
        Reason.SHAPE,
        f"a {type(value).__name__}: expected an object; check what wrote this file",
    )


def _n_metrics(export: Mapping[str, Any]) -> int:
    """How many metrics the export holds; one for each part that cannot be counted."""
    n_metrics = 0
    for resource in _items(export, "resourceMetrics"):
        scopes = resource.get("scopeMetrics") if isinstance(resource, dict) else None
        for scope in scopes if isinstance(scopes, list) else [None]:
            metrics = scope.get("metrics") if isinstance(scope, dict) else None
            n_metrics += len(metrics) if isinstance(metrics, list) else 1
    return n_metrics


def _named(value: Any) -> str:
    if isinstance(value, dict):
        return "an object with the keys " + (", ".join(list(value)[:6]) or "(none)")
    return f"a {type(value).__name__}"


def _written(value: Any) -> bytes:
    """The refused value as JSON; its Python form where JSON cannot hold it."""
    try:
        return orjson.dumps(value)
    except TypeError:
        pass
    try:
        return repr(value).encode("utf-8", "backslashreplace")
    except RecursionError:
        return b"(nested too deep to be shown)"


def _at(place: str, part: str) -> str:
    return f"{place}, {part}" if place else part
