"""What is kept and in which words: records, migrations, the writer, the reader, derive.

Owns the DuckDB file and every table in it; nobody else imports duckdb. Refuses to judge: statistics,
thresholds and alerts are `metrics`'; refuses to decode: bytes are `ingest`'s.
"""

from replay_store.database import Database
from replay_store.derive import derive, seal
from replay_store.errors import (
    MigrationError,
    StoreBusyError,
    StoreError,
    StoreUnreadableError,
)
from replay_store.reader import TraceFilter
from replay_store.writer import Batch, Writer, Written

__all__ = [
    "Batch",
    "Database",
    "MigrationError",
    "StoreBusyError",
    "StoreError",
    "StoreUnreadableError",
    "TraceFilter",
    "Writer",
    "Written",
    "derive",
    "seal",
]
