"""One request as it came, and how large it may be."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ingest.kinds import Signal

_LARGE_BYTES: Final = 4 * 1024**2
"""Twice what an exporter sends at a time by default, 512 spans, where these are as long as agents' are."""
_LARGE_PACKED_BYTES: Final = 1024**2
PLAIN: Final = ("", "identity")
"""Content encodings that leave a body as it is."""


class Door(StrEnum):
    """Which way a request came in."""

    HTTP = "otlp-http"
    GRPC = "otlp-grpc"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request, and all of them together, may take."""

    request_bytes: int = 32 * 1024**2
    """Of one body, packed and unpacked alike."""
    waiting_bytes: int = 64 * 1024**2
    """Of all bodies between their first byte and their commit."""
    waiting_requests: int = 512
    body_seconds: float = 30.0
    """From the headers of a request to the last byte of its body."""


@dataclass(frozen=True, slots=True)
class Request:
    """One export."""

    door: Door
    signal: Signal
    """What the address says it is; the bytes may say otherwise."""
    body: bytes
    received_time_ns: int
    content_type: str | None = None
    """None over gRPC, which is always protobuf."""
    content_encoding: str | None = None

    @property
    def is_large(self) -> bool:
        """Whether reading it may take long, some tenths of a second and more."""
        is_packed = (self.content_encoding or "").strip().lower() not in PLAIN
        return len(self.body) >= (_LARGE_PACKED_BYTES if is_packed else _LARGE_BYTES)
