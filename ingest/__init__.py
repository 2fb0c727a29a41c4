"""Every way in: bytes of files and requests to records in the store, each accounted for.

Owns the containers (OTLP as JSON, JSON Lines and protobuf, noise log, audit labels, replay cases,
and what other tools export), the dialects that read agents out of span attributes, and the ledger of
what was stored, merged and refused.
Refuses to judge: what the records mean together is derived in the store, what they are worth in
`metrics`. Containers know no file system, so a receiver uses `decode_json` and `decode_protobuf`
as they are.
"""

from ingest.containers.otlp_json import decode_json
from ingest.containers.otlp_protobuf import decode_protobuf
from ingest.decoded import Decoded, Ignored, Item, Origin
from ingest.errors import (
    IngestError,
    Reason,
    RecordError,
    SourceError,
    UnknownContainerError,
)
from ingest.files import Progress, import_paths
from ingest.kinds import Container, Signal
from ingest.redaction import Kind, Redactor

__all__ = [
    "Container",
    "Decoded",
    "Ignored",
    "IngestError",
    "Item",
    "Kind",
    "Origin",
    "Progress",
    "Reason",
    "RecordError",
    "Redactor",
    "Signal",
    "SourceError",
    "UnknownContainerError",
    "decode_json",
    "decode_protobuf",
    "import_paths",
]
