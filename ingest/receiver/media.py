"""Content types and content encodings: what is read, and in what to answer."""

import zlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from ingest.errors import Reason
from ingest.receiver.refusal import Refusal
from ingest.receiver.request import PLAIN

_GZIP_WBITS: Final = 31
_ZLIB_OR_RAW_WBITS: Final = 15
_PACKINGS: Final[Mapping[str, int]] = {
    "gzip": _GZIP_WBITS,
    "x-gzip": _GZIP_WBITS,
    "deflate": _ZLIB_OR_RAW_WBITS,
}
_TEXT_ENCODINGS: Final = ("", "utf-8", "utf8", "us-ascii")


class Encoding(StrEnum):
    """The two forms of an OTLP body; the value is its media type."""

    PROTOBUF = "application/x-protobuf"
    JSON = "application/json"


_ENCODINGS: Final[Mapping[str, Encoding]] = {
    "application/x-protobuf": Encoding.PROTOBUF,
    "application/protobuf": Encoding.PROTOBUF,
    "application/vnd.google.protobuf": Encoding.PROTOBUF,
    "application/json": Encoding.JSON,
}


def encoding_of(content_type: str | None) -> Encoding:
    """The form of a body; parameters such as `charset=utf-8` are taken.

    Raises:
        Refusal: 415, another media type or another charset; names what came.
    """
    media_type, _, parameters = (content_type or "").partition(";")
    encoding = _ENCODINGS.get(media_type.strip().lower())
    charset = _charset(parameters)
    if encoding is None or charset not in _TEXT_ENCODINGS:
        shown = (content_type or "").strip()[:80]
        raise Refusal(
            415,
            f"content-type {shown!r}: expected application/x-protobuf or application/json "
            "(UTF-8); set the exporter's protocol to http/protobuf or http/json",
            reason=Reason.MEDIA_TYPE,
        )
    return encoding


def answer_encoding(content_type: str | None) -> Encoding:
    """In what to answer: as it was asked, JSON where that is unclear."""
    media_type = (content_type or "").partition(";")[0].strip().lower()
    return _ENCODINGS.get(media_type, Encoding.JSON)


def unpacked(body: bytes, content_encoding: str | None, max_bytes: int) -> bytes:
    """The body as it was before it was packed.

    Raises:
        Refusal: 415 for a packing that is not read, 400 for damaged data, 413 when it unpacks to
            more than `max_bytes`; no more than that is ever unpacked.
    """
    name = (content_encoding or "").strip().lower()
    if name in PLAIN:
        return body
    wbits = _PACKINGS.get(name)
    if wbits is None:
        raise Refusal(
            415,
            f"content-encoding {name[:40]!r}: expected gzip or none; set compression to gzip",
            reason=Reason.MEDIA_TYPE,
        )
    inflater = zlib.decompressobj(wbits)
    try:
        data = inflater.decompress(body, max_bytes + 1)
    except zlib.error as error:
        raise Refusal(
            400,
            f"the {name} data is damaged: expected what {name} wrote; send it again",
            reason=Reason.PACKING,
        ) from error
    if len(data) > max_bytes:
        raise too_large(max_bytes)
    if not inflater.eof:
        raise Refusal(
            400,
            f"the {name} data ends early: expected its checksum; send it again",
            reason=Reason.PACKING,
        )
    return data


def too_large(max_bytes: int) -> Refusal:
    """The refusal of a body over the limit."""
    return Refusal(
        413,
        f"the body is larger than {max_bytes} bytes unpacked: expected less; "
        "lower the exporter's batch size (OTEL_BSP_MAX_EXPORT_BATCH_SIZE)",
        reason=Reason.TOO_LARGE,
    )


def _charset(parameters: str) -> str:
    for part in parameters.split(";"):
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower()
    return ""
