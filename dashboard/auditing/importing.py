"""Labels from a file into the store."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from dashboard.auditing.label_files import as_jsonl
from replay_store.records import IngestFile

if TYPE_CHECKING:
    from dashboard.settings import Settings
    from replay_store.database import Database

__all__ = ["import_labels"]


def import_labels(database: "Database", settings: "Settings", name: str, data: bytes) -> IngestFile:
    """Take in the labels of a JSON Lines or CSV file; returns its line in the ledger.

    Args:
        database: The store.
        settings: What is redacted.
        name: Of the file, for the ledger.
        data: What is in it.

    Raises:
        DashboardError: A CSV that is none of labels.
    """
    from dashboard.serving.redaction import redactor
    from ingest import import_paths

    lines = as_jsonl(data)
    with TemporaryDirectory() as folder:
        path = Path(folder) / (Path(name).stem[:100] or "labels")
        path = path.with_suffix(".jsonl")
        path.write_bytes(lines)
        (found,) = import_paths([path], database, clock=time.time_ns, redactor=redactor(settings))
    return found
