"""Audit labels as files: the JSON Lines that `toolsight ingest` reads back, and CSV."""

import csv
import io
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

import orjson

from replay_store.records import Label

_NS_PER_S: Final = 1_000_000_000
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
_COLUMNS: Final = (
    "trace_id",
    "turn_index",
    "call_index",
    "label",
    "sub",
    "expected_tool",
    "annotator",
    "annotator_kind",
    "source",
    "batch_id",
    "inclusion_probability",
    "time",
    "note",
)


def labels_jsonl(labels: Iterable[Label]) -> bytes:
    """One JSON object a line; read back into the same store it adds nothing."""
    return b"".join(orjson.dumps(_row(label)) + b"\n" for label in labels)


def labels_csv(labels: Iterable[Label]) -> bytes:
    """The same columns for a spreadsheet: UTF-8 with BOM, no cell that runs as a formula.

    Empty cells are unknown values.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, _COLUMNS, extrasaction="ignore")
    writer.writeheader()
    for label in labels:
        writer.writerow({name: _cell(value) for name, value in _row(label).items()})
    return b"\xef\xbb\xbf" + text.getvalue().encode("utf-8", "backslashreplace")


def _row(label: Label) -> Mapping[str, object]:
    """The fields of sample_traces/README.md; the id only where it is not the line's own hash."""
    row: dict[str, object] = {name: getattr(label, name) for name in _COLUMNS if name != "time"}
    row |= {"label": str(label.label), "annotator_kind": str(label.annotator_kind)}
    row["time"] = None if label.time_ns is None else _rfc3339(label.time_ns)
    if label.label_id != f"{label.record_hash:016x}":
        row["label_id"] = label.label_id
    return row


def _rfc3339(time_ns: int) -> str:
    seconds, rest = divmod(time_ns, _NS_PER_S)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"


def _cell(value: object) -> object:
    """Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return "'" + value
    return "" if value is None else value
