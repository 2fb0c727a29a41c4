"""Rows of a table with a header line: the same records as the rows as JSON."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from ingest import import_paths
from replay_store.records import IngestFile
from tests.stores import memory_store

ROWS: list[dict[str, Any]] = [
    {
        "id": "obs-1",
        "traceId": "trace-1",
        "type": "GENERATION",
        "name": "chat",
        "startTime": "2026-01-01T00:00:00Z",
        "endTime": "2026-01-01T00:00:02Z",
        "level": "DEFAULT",
        "model": "m",
        "input": [{"role": "user", "content": '订单, "12345"\n第二行'}],
        "output": {"role": "assistant", "content": "已发货"},
        "usageDetails": {"input": 7, "output": 3},
        "parentObservationId": None,
    },
    {
        "id": "obs-2",
        "traceId": "trace-1",
        "type": "TOOL",
        "name": "find_order",
        "startTime": "2026-01-01T00:00:03Z",
        "endTime": "2026-01-01T00:00:04Z",
        "level": "ERROR",
        "model": None,
        "input": {"id": 7},
        "output": "not found",
        "usageDetails": None,
        "parentObservationId": "obs-1",
    },
]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _table(delimiter: str = ",", line_end: str = "\r\n") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator=line_end)
    writer.writerow(ROWS[0])
    writer.writerows([map(_cell, row.values()) for row in ROWS])
    return text.getvalue()


def _import(folder: Path, name: str, data: bytes) -> tuple[IngestFile, list[dict[str, Any]]]:
    path = folder / name
    path.write_bytes(data)
    with memory_store() as database:
        (line,) = import_paths([path], database)
        columns = "* exclude (file_id, received_time_ns, record_index)"
        return line, database.rows(f"select {columns} from span order by start_time_ns")


@pytest.mark.parametrize(
    ("delimiter", "line_end", "bom"),
    [(",", "\n", b""), (",", "\r\n", b"\xef\xbb\xbf"), ("\t", "\n", b""), (";", "\r\n", b"")],
)
def test_a_table_gives_the_records_of_its_rows(
    tmp_path: Path, delimiter: str, line_end: str, bom: bytes
) -> None:
    lines = "\n".join(json.dumps(row) for row in ROWS).encode()
    table = bom + _table(delimiter, line_end).encode()

    _, expected = _import(tmp_path, "rows.jsonl", lines)
    line, found = _import(tmp_path, "rows.csv", table)

    assert found == expected
    assert line.container == "langfuse"
    assert (line.n_stored, line.n_rejected) == (2, 0)


@pytest.mark.parametrize(
    ("bad", "place", "words"),
    [
        ("obs-3,trace-1,TOOL\n", "line 4", "3 cells: expected 12"),
        ('obs-3,"trace-1" x,TOOL\n', "line 4", "expected quotes"),
        ('obs-3,"trace-1\n', "line 4", "unexpected end"),
        ("a,b,c,d,e,f,g,h,i,j,k,l,m\n", "line 4", "13 cells: expected 12"),
    ],
)
def test_a_bad_row_is_refused_with_its_place(
    tmp_path: Path, bad: str, place: str, words: str
) -> None:
    table = "\n".join([ROWS_ON_ONE_LINE, bad])
    path = tmp_path / "rows.csv"
    path.write_text(table, encoding="utf-8")
    with memory_store() as database:
        (line,) = import_paths([path], database)
        (reject,) = database.rows("select place, detail, raw from reject")

    assert (line.n_stored, line.n_rejected) == (2, 1)
    assert reject["place"] == place
    assert words in reject["detail"]
    assert bad.strip() in reject["raw"]


ROWS_ON_ONE_LINE = _table(line_end="\n").replace("\\n第二行", "").rstrip("\n")


def test_a_table_of_something_else_says_what_it_looks_like(tmp_path: Path) -> None:
    line, found = _import(tmp_path, "people.csv", b"name,age,city\nAnn,7,Oslo\n")

    assert found == []
    assert line.n_records == 0
    assert line.message is not None
    assert "a table with the columns name,age,city" in line.message


@pytest.mark.parametrize("text", ["once upon a time, there was, a text\nand more", "a,b\n1,2\n"])
def test_text_with_commas_is_no_table(tmp_path: Path, text: str) -> None:
    line, _ = _import(tmp_path, "notes.txt", text.encode())

    assert line.message is not None
    assert "a table" not in line.message
