"""Audit labels as files, out and in again: the JSON Lines that `toolsight ingest` reads, and CSV."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final

import orjson

from dashboard.errors import DashboardError
from replay_store.records import Label

__all__ = ["as_jsonl", "labels_csv", "labels_jsonl"]

_NS_PER_S: Final = 1_000_000_000
_FORMULA: Final = re.compile(r"'*[=+\-@\t\r]")
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
    "label_id",
)
_NUMBERS: Final[Mapping[str, type[int] | type[float]]] = {
    "turn_index": int,
    "call_index": int,
    "inclusion_probability": float,
}
_REQUIRED: Final = frozenset({"trace_id", "turn_index", "label", "annotator", "annotator_kind"})


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


def as_jsonl(data: bytes) -> bytes:
    """Labels of either file as JSON Lines; those of `labels_csv` are the same records again.

    What is no CSV of labels is handed on as it is: `ingest` says what is wrong with it.

    Raises:
        DashboardError: A CSV without a column that a label needs, or a cell that is no number.
    """
    text = data.decode("utf-8-sig", "replace")
    if text.lstrip().startswith("{"):
        return data
    reader = csv.DictReader(io.StringIO(text, newline=""))
    missing = sorted(_REQUIRED - set(reader.fieldnames or ()))
    if missing:
        raise DashboardError(
            f"labels: line 1: no column {', '.join(missing)}: expected JSON Lines, or a CSV with "
            f"the columns {', '.join(_COLUMNS)}; export labels to see one"
        )
    return b"".join(orjson.dumps(row) + b"\n" for row in _rows(reader))


def _rows(reader: "csv.DictReader[str]") -> Iterator[dict[str, object]]:
    for cells in reader:
        row = {name: _value(name, cells.get(name) or "", reader.line_num) for name in _COLUMNS}
        yield {name: value for name, value in row.items() if value is not None}


def _value(name: str, cell: str, line: int) -> object:
    if not cell:
        return None
    number = _NUMBERS.get(name)
    if number is None:
        return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
    try:
        return number(cell)
    except ValueError as error:
        raise DashboardError(
            f"labels: line {line}: {name}: {cell[:40]!r}: expected a number; correct the cell"
        ) from error


def _row(label: Label) -> Mapping[str, object]:
    """The fields of sample_traces/README.md; the id only where it is not the line's own hash."""
    row: dict[str, object] = {
        name: getattr(label, name) for name in _COLUMNS if name not in {"time", "label_id"}
    }
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
    if isinstance(value, str) and _FORMULA.match(value):
        return "'" + value
    return "" if value is None else value
