"""What can go wrong on the way in.

    ToolsightError
    └── IngestError
        ├── SourceError             the path cannot be read: missing, forbidden, not a file
        ├── UnknownContainerError   the bytes are nothing that is read here
        └── RecordError             one record is refused; becomes a reject, never stops a file

None of the first two stops an import either: the file's ledger line carries the message.
"""

from enum import StrEnum

from pipeline.errors import ToolsightError


class Reason(StrEnum):
    """The closed keys that rejects are counted by."""

    TRACE_ID = "trace_id"
    SPAN_ID = "span_id"
    JSON = "json"
    """Not JSON, or JSON that no reader takes (too many digits)."""
    DEPTH = "depth"
    TRUNCATED = "truncated"
    PROTOBUF = "protobuf"
    SHAPE = "shape"
    """Well-formed, but an object stands where a list belongs, or the like."""
    FIELD = "field"
    """A noise row, label or replay case with a missing or impossible field."""
    OTHER_KIND = "other_kind"
    """A line of another container than the file's."""
    TOO_LARGE = "too_large"
    MEDIA_TYPE = "media_type"
    """A request whose content type or encoding is not read."""
    PACKING = "packing"
    """A request whose gzip data is damaged or cut."""


class IngestError(ToolsightError):
    """Something on the way in cannot be used."""


class SourceError(IngestError):
    """A path cannot be read; the message says why and what to do."""


class UnknownContainerError(IngestError):
    """The bytes are of no container that is read; the message says what they look like."""


class RecordError(IngestError):
    """One record is refused.

    Args:
        reason: The key it is counted by.
        detail: The sentence a person reads.
    """

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
