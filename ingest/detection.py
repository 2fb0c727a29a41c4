"""What a file is, told from its bytes and never from its name; the first match wins.

1. Protobuf with lengths before its messages: the fifth byte starts a resource group. Tried first,
   because its first byte is 0, which no text has.
2. JSON: an object or list opens, and a key or value follows. Before bare protobuf, whose first
   byte (10) is also a newline; its fourth could be a quote, but then a control byte follows. OTLP
   and our own rows are known from the first bytes; every other format from its first values.
3. A zip archive that holds an Inspect log.
4. Bare protobuf: its wire types lead down to a span, log record or metric.
5. A multipart request of LangSmith's.
6. A table: its first line names columns, and a format knows its rows.
"""

import re
from typing import Final, NamedTuple

from ingest.containers.csv_rows import open_table
from ingest.containers.formats import FORMATS, Known, recognise, sign_of
from ingest.containers.framing import GROUP_TAG, PREFIX_BYTES
from ingest.containers.json_lines import KIND_WORDS, kind_of
from ingest.containers.json_text import loads
from ingest.containers.json_values import Values, open_values
from ingest.containers.multipart import open_multipart
from ingest.containers.otlp_json import OTLP_KEYS
from ingest.containers.salvage import closed_after_last_value
from ingest.containers.transcripts import inspect_zip
from ingest.containers.transcripts.inspect_zip import ZIP_MAGIC
from ingest.containers.wire_records import signal_of
from ingest.errors import RecordError, UnknownContainerError
from ingest.kinds import Container
from ingest.source import BLOCK_BYTES, MAX_RECORD_BYTES, Source
from ingest.text import listed

_KEY: Final = re.compile(rb'"([^"\\]{1,40})"\s*:')
_TOP_KEYS: Final = re.compile(rb'\s*(?:\[\s*)?\{\s*"([^"\\]{1,40})"\s*:')
_JSON_START: Final = re.compile(rb'\s*(\{\s*("[^\x00-\x1f]|\})|\[\s*[\[\]{"\d\-tfn])')
_CASE_START: Final = re.compile(rb'\s*\{\s*"(?:format"\s*:\s*"toolsight-replay-case/|case_id"\s*:)')
_KEY_START: Final = b"resource"
"""How each key of OTLP begins; most files hold none."""
_CONTROL: Final = frozenset(range(0x20)) - frozenset(b"\t\n\r\x0b\x0c")
_TEXT_BYTES: Final = 256
_SHOWN_BYTES: Final = 24
_SHOWN_COLUMNS: Final = 120
_MAX_PROBED_LINES: Final = 50
_SURE_FIELDS: Final = 3
_TRIED: Final = "OTLP, noise log, audit labels, replay cases and {n} other formats were tried"
_PACKED: Final = {
    b"\x28\xb5\x2f\xfd": ("zstd data", "unpack it with zstd -d"),
    ZIP_MAGIC: ("a zip archive", "unzip it"),
    b"\xfd7zXZ\x00": ("xz data", "unpack it with xz -d"),
    b"BZh": ("bzip2 data", "unpack it with bzip2 -d"),
    b"\xff\xfe": ("UTF-16 text", "save it as UTF-8"),
    b"PAR1": ("a Parquet file", "export OTLP instead"),
}


class Detected(NamedTuple):
    """What a source holds."""

    container: Container
    reason: str
    """By what it was known, in words."""
    known: Known | None = None
    """The opened values of a foreign format; None for OTLP and our own rows."""


def detect(source: Source) -> Detected:
    """What the source holds. Of a foreign format the first values are read, and kept.

    Raises:
        UnknownContainerError: Nothing that is read here; says what it looks like and what was
            tried.
    """
    head = source.peek()
    if not head.strip():
        raise UnknownContainerError(_empty(source, head))
    if _is_prefixed(head):
        reason = "a length stands before a protobuf request"
        return Detected(Container.OTLP_PROTOBUF_PREFIXED, reason)
    if _is_json(head):
        return _json_container(source, head)
    if head.startswith(ZIP_MAGIC) and (known := _zipped(source)) is not None:
        return Detected(known.format.container, known.reason, known)
    if head[:1] == GROUP_TAG and signal_of(head) is not None:
        return Detected(Container.OTLP_PROTOBUF, "it begins with a protobuf resource group")
    if (parts := open_multipart(source)) is not None:
        return _named(parts, head, "parts of a request")
    if (table := open_table(source)) is not None:
        return _table(table, head)
    raise UnknownContainerError(_unknown(head))


def _empty(source: Source, head: bytes) -> str:
    if source.fault:
        return source.fault
    what = "only blank space" if head else "empty"
    return f"{what}: expected traces, logs or one of the other formats; export again"


def _is_prefixed(head: bytes) -> bool:
    length = int.from_bytes(head[:PREFIX_BYTES], "big")
    message = head[PREFIX_BYTES : PREFIX_BYTES + length]
    if head[:1] == GROUP_TAG or length > MAX_RECORD_BYTES or message[:1] != GROUP_TAG:
        return False
    return signal_of(message) is not None


def _is_json(head: bytes) -> bool:
    return _JSON_START.match(head) is not None


def _json_container(source: Source, head: bytes) -> Detected:
    """Lines when some line is an object of its own, a document otherwise."""
    lines = head.split(b"\n", _MAX_PROBED_LINES)
    # The last line of a head may be cut; it is whole when the head is all there is.
    for line in lines[:_MAX_PROBED_LINES]:
        found = _line_container(line)
        if found is not None:
            is_alone = not any(other.strip() for other in lines if other is not line)
            is_export = found is Container.OTLP_JSON_LINES
            container = Container.OTLP_JSON if is_alone and is_export else found
            return Detected(container, f"a line has the keys of {KIND_WORDS[found]}")
    if _CASE_START.match(head):
        return Detected(Container.REPLAY_CASE, "it begins with a key of a replay case")
    if _begins_export(head):
        return Detected(_cut_container(head), "it begins with a key of OTLP")
    return _foreign(source, head)


def _line_container(line: bytes) -> Container | None:
    # A line of a larger document, or one that is cut, mostly shows it by its last byte.
    if not (line.startswith((b"{", b"[")) and line.rstrip().endswith((b"}", b"]"))):
        return None
    try:
        value = loads(line)
    except RecordError:
        return None
    first = value[0] if isinstance(value, list) and value else value
    likely = kind_of(first)
    if likely is None or kind_of(first, n_fields=_SURE_FIELDS) is not None:
        return likely
    # Two fields may be chance, so another format is asked before they count.
    return None if sign_of(value) or sign_of(first) else likely


def _begins_export(head: bytes) -> bool:
    """Whether a document of which no line is whole has a key of OTLP at its top."""
    top = _TOP_KEYS.match(head)
    if top is not None and top[1].decode("latin-1") in OTLP_KEYS:
        return True
    if _KEY_START not in head or not any(key.encode() in head for key in OTLP_KEYS):
        return False
    complete = closed_after_last_value(head)
    try:
        value = loads(complete) if complete else None
    except RecordError:
        return False
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and bool(OTLP_KEYS & first.keys())


def _cut_container(head: bytes) -> Container:
    """For an export that no line of the head holds whole: one long line, or many short ones."""
    first, _, rest = head.strip().partition(b"\n")
    is_in_line = any(f'"{key}"'.encode() in first for key in OTLP_KEYS)
    is_more = bool(rest) or len(head) >= BLOCK_BYTES // 2
    return Container.OTLP_JSON_LINES if is_in_line and is_more else Container.OTLP_JSON


def _foreign(source: Source, head: bytes) -> Detected:
    values = open_values(source)
    return _named(values, head, "lines" if values.is_lines else "a document")


def _named(values: Values, head: bytes, form: str) -> Detected:
    known = recognise(values)
    if known is None:
        cut = values.refused[0].error.detail if values.refused else None
        raise UnknownContainerError(_unknown_json(head, cut))
    return Detected(known.format.container, f"{known.reason} ({form})", known)


def _zipped(source: Source) -> Known | None:
    values = inspect_zip.open_archive(source)
    return None if values is None else recognise(values)


def _table(rows: Values, head: bytes) -> Detected:
    known = recognise(rows)
    if known is None:
        columns = head.partition(b"\n")[0].decode("utf-8", "backslashreplace").strip()
        raise UnknownContainerError(
            f"a table with the columns {columns[:_SHOWN_COLUMNS]}: expected rows of a format that is "
            f"read ({_tried()}); export JSON Lines instead"
        )
    return Detected(known.format.container, f"{known.reason} (rows of a table)", known)


def _unknown_json(head: bytes, cut: str | None) -> str:
    keys = [key.decode("utf-8", "backslashreplace") for key in _KEY.findall(head)]
    looks = f"JSON with the keys {listed(dict.fromkeys(keys))}"
    if cut is not None:
        looks = f"{looks}; {cut.partition(':')[0]}"
    return (
        f"{looks}: expected a format that is read ({_tried()}); see README's list of formats, or "
        "export the traces as OTLP"
    )


def _tried() -> str:
    return _TRIED.format(n=len(FORMATS))


def _unknown(head: bytes) -> str:
    for magic, (looks, what_to_do) in _PACKED.items():
        if head.startswith(magic):
            return f"{looks}: expected UTF-8 text, protobuf, or gzip of either; {what_to_do}"
    shown = head.lstrip()[:_SHOWN_BYTES]
    if _CONTROL.isdisjoint(head[:_TEXT_BYTES]):
        text = shown.decode("utf-8", "backslashreplace").strip()
        looks = f"text that begins {text!r}"
    else:
        looks = f"binary data that begins {shown.hex(' ')}"
    return f"{looks}: expected traces, logs, noise rows or labels ({_tried()}); export as OTLP"
