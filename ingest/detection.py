"""What a file is, told from its bytes and never from its name; the first match wins.

1. Protobuf with lengths before its messages: the fifth byte starts a resource group. Tried first,
   because its first byte is 0, which no text has.
2. JSON: an object or list opens, and a key or value follows. Before bare protobuf, whose first
   byte (10) is also a newline; its fourth could be a quote, but then a control byte follows.
3. Bare protobuf: its wire types lead down to a span, log record or metric.
"""

import re
from typing import Final

from ingest.containers.framing import GROUP_TAG, PREFIX_BYTES
from ingest.containers.json_lines import kind_of
from ingest.containers.json_text import loads
from ingest.containers.otlp_json import OTLP_KEYS
from ingest.containers.wire_records import signal_of
from ingest.errors import RecordError, UnknownContainerError
from ingest.kinds import Container
from ingest.source import BLOCK_BYTES, MAX_RECORD_BYTES, Source
from ingest.text import listed

_KEY: Final = re.compile(rb'"([^"\\]{1,40})"\s*:')
_JSON_START: Final = re.compile(rb'\s*(\{\s*("[^\x00-\x1f]|\})|\[\s*[\[\]{"\d\-tfn])')
_CONTROL: Final = frozenset(range(0x20)) - frozenset(b"\t\n\r\x0b\x0c")
_TEXT_BYTES: Final = 256
_SHOWN_BYTES: Final = 24
_MAX_PROBED_LINES: Final = 50
_TRIED: Final = (
    "OTLP JSON, JSON Lines and protobuf, noise log and audit labels, gzip or not, were tried"
)
_PACKED: Final = {
    b"\x28\xb5\x2f\xfd": ("zstd data", "unpack it with zstd -d"),
    b"PK\x03\x04": ("a zip archive", "unzip it"),
    b"\xfd7zXZ\x00": ("xz data", "unpack it with xz -d"),
    b"BZh": ("bzip2 data", "unpack it with bzip2 -d"),
    b"\xff\xfe": ("UTF-16 text", "save it as UTF-8"),
    b"PAR1": ("a Parquet file", "export OTLP instead"),
}


def detect(source: Source) -> Container:
    """What the source holds.

    Raises:
        UnknownContainerError: Nothing that is read here; says what it looks like.
    """
    head = source.peek()
    if not head.strip():
        raise UnknownContainerError(_empty(source, head))
    if _is_prefixed(head):
        return Container.OTLP_PROTOBUF_PREFIXED
    if _is_json(head):
        return _json_container(head)
    if head[:1] == GROUP_TAG and signal_of(head) is not None:
        return Container.OTLP_PROTOBUF
    raise UnknownContainerError(_unknown(head))


def _empty(source: Source, head: bytes) -> str:
    if source.fault:
        return source.fault
    what = "only blank space" if head else "empty"
    return f"{what}: expected an OTLP export, noise log or labels; export again"


def _is_prefixed(head: bytes) -> bool:
    length = int.from_bytes(head[:PREFIX_BYTES], "big")
    message = head[PREFIX_BYTES : PREFIX_BYTES + length]
    if head[:1] == GROUP_TAG or length > MAX_RECORD_BYTES or message[:1] != GROUP_TAG:
        return False
    return signal_of(message) is not None


def _is_json(head: bytes) -> bool:
    return _JSON_START.match(head) is not None


def _json_container(head: bytes) -> Container:
    """Lines when some line is an object of its own, a document otherwise."""
    lines = head.split(b"\n")
    # The last line of a head may be cut; it is whole when the head is all there is.
    for line in lines[:_MAX_PROBED_LINES]:
        found = _line_container(line)
        if found is not None:
            is_alone = not any(other.strip() for other in lines if other is not line)
            is_export = found is Container.OTLP_JSON_LINES
            return Container.OTLP_JSON if is_alone and is_export else found
    if any(f'"{key}"'.encode() in head for key in OTLP_KEYS):
        return _cut_container(head)
    raise UnknownContainerError(_unknown_json(head))


def _line_container(line: bytes) -> Container | None:
    if not line.startswith((b"{", b"[")):
        return None
    try:
        value = loads(line)
    except RecordError:
        return None
    return kind_of(value[0] if isinstance(value, list) and value else value)


def _cut_container(head: bytes) -> Container:
    """For an export that no line of the head holds whole: one long line, or many short ones."""
    first, _, rest = head.strip().partition(b"\n")
    is_in_line = any(f'"{key}"'.encode() in first for key in OTLP_KEYS)
    is_more = bool(rest) or len(head) >= BLOCK_BYTES // 2
    return Container.OTLP_JSON_LINES if is_in_line and is_more else Container.OTLP_JSON


def _unknown_json(head: bytes) -> str:
    keys = [key.decode("utf-8", "backslashreplace") for key in _KEY.findall(head)]
    looks = f"JSON with the keys {listed(dict.fromkeys(keys))}"
    return (
        f"{looks}: expected one of resourceSpans, resourceLogs, or the fields of a noise log or of "
        f"labels ({_TRIED}); export the traces as OTLP"
    )


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
    return f"{looks}: expected traces, logs, noise rows or labels ({_TRIED}); export as OTLP"
