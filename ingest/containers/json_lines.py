"""A stream of JSON: one export, noise row, label or case a line, or one document over many lines."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ingest.containers.json_text import loads
from ingest.containers.labels import LABEL_FIELDS, decoded_label
from ingest.containers.noise import NOISE_FIELDS, decoded_noise
from ingest.containers.otlp_json import OTLP_KEYS, decode_documents, decode_json
from ingest.containers.replay_cases import CASE_FIELDS, decoded_case
from ingest.containers.salvage import closed_after_last_record
from ingest.decoded import Item, Origin
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from ingest.source import MAX_DOCUMENT_BYTES, MAX_RECORD_BYTES, Source

KIND_WORDS: Final[Mapping[Container, str]] = {
    Container.OTLP_JSON_LINES: "an OTLP export",
    Container.NOISE_LOG: "a noise row",
    Container.LABELS: "an audit label",
    Container.REPLAY_CASES: "a replay case",
}
"""What one line of each kind is called."""
_ROW_FIELDS: Final[Mapping[Container, frozenset[str]]] = {
    Container.LABELS: LABEL_FIELDS,
    Container.NOISE_LOG: NOISE_FIELDS,
    Container.REPLAY_CASES: CASE_FIELDS,
}
"""In order of precedence when a row has as many fields of two kinds."""
_TELLING_FIELDS: Final[Mapping[Container, frozenset[str]]] = {
    kind: fields - frozenset.intersection(*_ROW_FIELDS.values())
    for kind, fields in _ROW_FIELDS.items()
}
"""The fields that not every kind of row has."""
_ENOUGH_FIELDS: Final = 2


def kind_of(value: object, *, n_fields: int = _ENOUGH_FIELDS) -> Container | None:
    """What one line is, by its keys; None when they are of no container.

    A row counts as ours from two of its own fields on, so that one misspelt field is reported
    and not the whole file refused.

    Args:
        value: The line's value.
        n_fields: From how many fields on.
    """
    if not isinstance(value, dict):
        return None
    keys = value.keys()
    if OTLP_KEYS & keys:
        return Container.OTLP_JSON_LINES
    n_telling = {kind: len(keys & fields) for kind, fields in _TELLING_FIELDS.items()}
    likeliest = max(n_telling, key=lambda kind: n_telling[kind])
    return likeliest if n_telling[likeliest] >= n_fields else None


def read_lines(
    source: Source, container: Container, origin: Origin, *, max_bytes: int = MAX_RECORD_BYTES
) -> Iterator[Item]:
    """The records of a file of lines; blank lines are passed over, lines beyond a limit refused.

    Args:
        source: The file.
        container: Which kind of lines; one kind a file.
        origin: Stamp of the records.
        max_bytes: How long a line may be; four times as much for the first, which may be a whole
            document without line breaks.
    """
    number = 0
    while line := source.read_line(max_bytes if number else 4 * max_bytes):
        number += 1
        n_skipped = 0 if line.endswith(b"\n") else source.skip_line()
        if n_skipped:
            error = _too_long(len(line) + n_skipped, max_bytes)
            yield origin.reject(f"line {number}", error, line)
        elif stripped := line.strip():
            yield from _read_line(stripped, f"line {number}", container, origin)


def read_document(
    source: Source, origin: Origin, *, max_bytes: int = MAX_DOCUMENT_BYTES
) -> Iterator[Item]:
    """The records of one OTLP/JSON document, or of what is complete of one that was cut off."""
    data = source.read(max_bytes + 1)
    if len(data) > max_bytes:
        yield origin.reject("document", _too_long(len(data), max_bytes), data)
        return
    try:
        value = loads(data)
    except RecordError as error:
        yield from _salvaged(data, error, origin, "")
        yield origin.reject(f"byte {len(data)}", error, data)
        return
    yield from decode_documents(value, origin, "")


def read_case(
    source: Source, origin: Origin, *, max_bytes: int = MAX_DOCUMENT_BYTES
) -> Iterator[Item]:
    """The one replay case of a file of its own."""
    data = source.read(max_bytes + 1)
    try:
        if len(data) > max_bytes:
            raise _too_long(len(data), max_bytes)
        yield decoded_case(loads(data), origin)
    except RecordError as error:
        yield origin.reject("document", error, data)


def _read_line(line: bytes, place: str, container: Container, origin: Origin) -> Iterator[Item]:
    try:
        value = loads(line)
        kind = kind_of(value)
        if kind not in (None, container):
            raise _other_kind(kind, container)
        if container is Container.OTLP_JSON_LINES:
            yield from decode_documents(value, origin, place)
        else:
            yield _ROW_READERS[container](value, origin)
    except RecordError as error:
        if container is Container.OTLP_JSON_LINES:
            yield from _salvaged(line, error, origin, place)
        yield origin.reject(place, error, line)


def _salvaged(data: bytes, error: RecordError, origin: Origin, place: str) -> Iterator[Item]:
    """The complete records of an export that was cut off."""
    if error.reason is Reason.TRUNCATED and (complete := closed_after_last_record(data)):
        yield from decode_json(complete, origin, place)


def _other_kind(found: Container | None, container: Container) -> RecordError:
    words = KIND_WORDS[found] if found else "something else"
    return RecordError(
        Reason.OTHER_KIND,
        f"{words} in a file of another kind ({container}): expected one kind a file; "
        "put the line in a file of its own kind",
    )


def _too_long(n_bytes: int, limit: int) -> RecordError:
    return RecordError(
        Reason.TOO_LARGE,
        f"{n_bytes} bytes or more in one piece: expected at most {limit}; "
        "write one export a line (JSON Lines), smaller ones",
    )


_ROW_READERS: Final[Mapping[Container, Callable[[Any, Origin], Any]]] = {
    Container.NOISE_LOG: decoded_noise,
    Container.LABELS: decoded_label,
    Container.REPLAY_CASES: decoded_case,
}
