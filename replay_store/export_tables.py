"""Tables out of the store as Parquet, as CSV for a spreadsheet, or as JSON Lines, some rows at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from replay_store.columns import column_names, table_name
from replay_store.database import Database
from replay_store.errors import ExportError
from replay_store.records import RECORDS, Label

TABLES: Final = {table_name(record): record for record in RECORDS}
"""The record class of each table, by its name."""
FORMATS: Final = ("parquet", "csv", "jsonl")
_ROWS: Final = 20_000
_BOM: Final = b"\xef\xbb\xbf"
_PROVENANCE: Final = frozenset({"record_hash", "file_id", "record_index", "received_time_ns"})
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def export_table(database: Database, table: str, path: Path, file_format: str) -> int:
    """Write all rows of a table; ids are lower hex, JSON columns are JSON text.

    A CSV begins with a byte order mark, so that a spreadsheet reads it as UTF-8; text that one would
    take for a formula gets an apostrophe in front.

    Args:
        database: The store.
        table: Its name; views of derived rows included.
        path: The file; replaced.
        file_format: `parquet`, `csv` or `jsonl`.

    Returns:
        How many rows were written; 0 writes a file without rows.

    Raises:
        ExportError: No such table or format, or the file cannot be written; says what there is.
    """
    if table not in TABLES:
        known = ", ".join(sorted(TABLES))
        raise ExportError(f"{table}: no such table: expected one of {known}; name one of them")
    if file_format not in FORMATS:
        raise ExportError(
            f"{file_format}: no such format: expected one of {', '.join(FORMATS)}; choose one"
        )
    sql = _select(database, table)
    try:
        return database.with_room(lambda: _WRITERS[file_format](database.batches(sql, _ROWS), path))
    except OSError as error:
        raise ExportError(
            f"{path}: cannot be written ({error.strerror}): expected a folder that is there and may "
            "be written to; give another path"
        ) from error


def label_lines(database: Database) -> Iterator[bytes]:
    """Each label as one line that `toolsight ingest` takes again; provenance left out."""
    for batch in database.batches(_select(database, table_name(Label)), _ROWS):
        for row in batch.to_pylist():
            if row["label_id"] == f"{row['record_hash']:016x}":
                # It was given none: its hash is its id, and will be again.
                del row["label_id"]
            kept = {key: row[key] for key in row.keys() - _PROVENANCE if row[key] is not None}
            yield orjson.dumps(kept, option=orjson.OPT_SORT_KEYS)


def _select(database: Database, table: str) -> str:
    """The columns of a table, ids as hex. Names come from record classes, never from data."""
    columns = database.rows(
        "select column_name, data_type from duckdb_columns() "
        "where database_name = 'store' and schema_name = 'main' and table_name = $table",
        {"table": table},
    )
    types = {row["column_name"]: row["data_type"] for row in columns}
    names = column_names(TABLES[table])
    shown = ", ".join(_shown(name, types.get(name, "")) for name in names)
    return f"select {shown} from {table}"  # noqa: S608


def _shown(name: str, data_type: str) -> str:
    if data_type == "UUID":
        is_trace = name.endswith("trace_id")
        return f"{f'hex_trace({name})' if is_trace else f'{name}::varchar'} as {name}"
    if data_type == "UBIGINT" and name.endswith("span_id"):
        return f"hex_span({name}) as {name}"
    return name


def _write_parquet(batches: Iterator[pa.RecordBatch], path: Path) -> int:
    n_rows = 0
    writer = None
    try:
        for batch in batches:
            writer = writer or pa.parquet.ParquetWriter(path, batch.schema, compression="zstd")
            writer.write_batch(batch)
            n_rows += batch.num_rows
    finally:
        if writer is not None:
            writer.close()
    return n_rows


def _write_csv(batches: Iterator[pa.RecordBatch], path: Path) -> int:
    n_rows = 0
    with path.open("wb") as file:
        file.write(_BOM)
        writer = None
        for batch in batches:
            plain = _for_spreadsheet(batch)
            writer = writer or pa.csv.CSVWriter(file, plain.schema)
            writer.write_batch(plain)
            n_rows += batch.num_rows
        if writer is not None:
            writer.close()
    return n_rows


def _write_jsonl(batches: Iterator[pa.RecordBatch], path: Path) -> int:
    n_rows = 0
    with path.open("wb") as file:
        for batch in batches:
            file.writelines(orjson.dumps(row) + b"\n" for row in batch.to_pylist())
            n_rows += batch.num_rows
    return n_rows


def _for_spreadsheet(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows with lists as JSON text and no cell that runs as a formula."""
    columns = [_safe(column) if _is_text(column.type) else column for column in batch.columns]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _is_text(data_type: pa.DataType) -> bool:
    return bool(pa.types.is_string(data_type) or pa.types.is_list(data_type))


def _safe(column: pa.Array) -> pa.Array:
    return pa.array([_cell(value) for value in column.to_pylist()], pa.string())


def _cell(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


_WRITERS: Final = {"parquet": _write_parquet, "csv": _write_csv, "jsonl": _write_jsonl}
