"""What is stored comes out again: traces as OTLP, tables as Parquet and CSV, labels as lines."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow.parquet
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.cli import main
from ingest import Decoded, Origin, decode_json, import_paths
from ingest.rebuild import rebuild
from replay_store import Database, derive
from replay_store.errors import ExportError
from replay_store.export_otlp import otlp_lines, otlp_request
from replay_store.export_tables import TABLES, export_table, label_lines
from replay_store.records import Span
from replay_store.writer import Batch, Writer
from tests.ingest.containers.samples import SAMPLES
from tests.ingest.containers.test_platforms import TRACE
from tests.stores import memory_store

TABLES_THAT_RETURN = (
    "span", "span_log", "span_role", "llm_call", "call_evidence", "guard_event", "tool_call",
    "attempt", "decision", "guard_evaluation", "trace",
)  # fmt: skip
OF_THIS_STORE = frozenset(
    {"file_id", "record_index", "received_time_ns", "first_received_time_ns",
     "last_received_time_ns"}
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@pytest.fixture
def database() -> Iterator[Database]:
    with memory_store() as opened:
        yield opened


def _contents(database: Database) -> Mapping[str, list[str]]:
    found = {}
    for table in TABLES_THAT_RETURN:
        rows = database.rows(f"select * from {table}")
        kept = [{k: v for k, v in row.items() if k not in OF_THIS_STORE} for row in rows]
        found[table] = sorted(map(repr, kept))
    return found


def _taken(database: Database, *paths: Path) -> None:
    import_paths(paths, database)
    derive(database)


def _round_trip(database: Database, folder: Path) -> Database:
    path = folder / "out.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in otlp_lines(database)))
    again = Database.open()
    _taken(again, path)
    [line] = again.rows("select n_rejected, n_repaired, message from ingest_file")
    assert tuple(line.values()) == (0, 0, None)
    return again


def test_what_was_exported_and_taken_again_or_rebuilt_is_the_same_store(
    database: Database, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for index, sample in enumerate(SAMPLES):
        text = (
            "\n".join(json.dumps(line) for line in sample.value)
            if sample.is_lines
            else json.dumps(sample.value)
        )
        # A trace of its own for each: files that share one trace are in no order among themselves.
        (folder / f"{index}.json").write_text(text.replace(TRACE, f"{index + 1:032x}"))
    _taken(database, folder)
    before = _contents(database)
    assert len(before["tool_call"]) > 20
    with _round_trip(database, tmp_path) as again:
        assert _contents(again) == before
    rebuild(database)
    assert _contents(database) == before


def test_real_captures_come_back_the_same(database: Database, shared: Path, tmp_path: Path) -> None:
    captures = shared / "clients" / "captures"
    for client in ("strands-native", "google_adk-native"):
        _taken(database, *sorted((captures / client).glob("*.json.gz"))[:6])
    before = _contents(database)
    assert before["span"]
    with _round_trip(database, tmp_path) as again:
        assert _contents(again) == before


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    attributes=st.dictionaries(st.text(max_size=6), JSON, max_size=4),
    resource=st.dictionaries(st.text(max_size=6), JSON, max_size=2),
    scope=st.dictionaries(st.text(max_size=6), st.text(max_size=4), max_size=2),
    n_dropped=st.integers(0, 9),
)
def test_any_span_that_came_in_comes_out_and_in_with_its_hash(
    attributes: dict[str, Any], resource: dict[str, Any], scope: dict[str, str], n_dropped: int
) -> None:
    """Read once, so that what OTLP cannot tell apart (an absent value and null) is settled."""

    def read(request: Any) -> Span:
        data = json.dumps(request).encode()
        [item] = decode_json(data, Origin(UUID(int=1), "x", 1))
        assert isinstance(item, Decoded)
        assert isinstance(item.record, Span)
        return item.record

    span = {
        "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331", "name": "x",
        "attributes": attributes, "droppedAttributesCount": n_dropped,
        "events": [{"name": "e", "timeUnixNano": "5", "attributes": attributes}],
    }  # fmt: skip
    group = {"scope": {"name": "s", "attributes": scope}, "spans": [span]}
    first = read({"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [group]}]})
    assert read(otlp_request([first])).record_hash == first.record_hash


def test_one_trace_alone_can_be_exported(
    database: Database, make_span: Callable[..., Span]
) -> None:
    other = "f" * 32
    Writer(database).write(Batch(spans=[make_span(), make_span(trace_id=other)]))
    lines = [json.loads(line) for line in otlp_lines(database, {other})]
    spans = [
        span["traceId"]
        for line in lines
        for group in line["resourceSpans"]
        for scope in group["scopeSpans"]
        for span in scope["spans"]
    ]
    assert spans == [other]


def test_every_table_can_be_written_in_every_format(database: Database, tmp_path: Path) -> None:
    for table in TABLES:
        for file_format in ("parquet", "csv", "jsonl"):
            path = tmp_path / f"{table}.{file_format}"
            assert export_table(database, table, path, file_format) == 0
            assert path.exists(), (table, file_format)


def test_a_parquet_file_holds_the_rows_with_ids_in_hex(
    database: Database, make_span: Callable[..., Span], tmp_path: Path
) -> None:
    span = make_span(attributes={"a": 1})
    Writer(database).write(Batch(spans=[span, make_span()]))
    path = tmp_path / "span.parquet"
    assert export_table(database, "span", path, "parquet") == 2
    rows = pyarrow.parquet.read_table(path).to_pylist()
    assert rows[0]["trace_id"] == span.trace_id
    assert rows[0]["span_id"] == span.span_id
    assert rows[0]["attributes"] == '{"a":1}'


def test_a_csv_file_opens_in_a_spreadsheet_and_runs_nothing(
    database: Database, make_span: Callable[..., Span], tmp_path: Path
) -> None:
    Writer(database).write(Batch(spans=[make_span(name='=1+1,"链路"'), make_span(name="-2")]))
    path = tmp_path / "span.csv"
    assert export_table(database, "span", path, "csv") == 2
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == ['\'=1+1,"链路"', "'-2"]
    assert rows[0]["otel_kind"] == "1"


def test_labels_come_back_as_the_labels_they_were(database: Database, tmp_path: Path) -> None:
    label = {
        "trace_id": "0af7651916cd43dd8448eb211c80319c", "turn_index": 0, "label": "RIGHT",
        "annotator": "lin", "annotator_kind": "HUMAN", "time": "2026-01-01T00:00:00Z",
    }  # fmt: skip
    source, path = tmp_path / "labels.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps(label) + "\n")
    _taken(database, source)
    path.write_bytes(b"".join(line + b"\n" for line in label_lines(database)))
    [line] = import_paths([path], database)
    assert (line.container, line.n_records, line.n_merged) == ("labels", 1, 1)
    assert "record_hash" not in json.loads(path.read_text())


@pytest.mark.parametrize(
    ("table", "file_format", "words"),
    [("spans", "csv", "no such table"), ("span", "xlsx", "no such format")],
)
def test_what_cannot_be_exported_says_what_can(
    table: str, file_format: str, words: str, database: Database, tmp_path: Path
) -> None:
    with pytest.raises(ExportError, match=words):
        export_table(database, table, tmp_path / "x", file_format)
    with pytest.raises(ExportError, match="cannot be written"):
        export_table(database, "span", tmp_path / "none" / "x.csv", "csv")


def test_the_command_writes_what_it_is_asked_for(
    make_span: Callable[..., Span], tmp_path: Path
) -> None:
    db, out = tmp_path / "store.duckdb", tmp_path / "out.jsonl"
    with Database.open(db) as opened:
        Writer(opened).write(Batch(spans=[make_span()]))
    run = CliRunner().invoke
    traces = run(main, ["export", "traces", str(out), "--db", str(db)])
    assert (traces.exit_code, traces.output) == (0, f"1 export written to {out}.\n")
    table = run(main, ["export", "span", str(tmp_path / "span.parquet"), "--db", str(db)])
    assert table.exit_code == 0
    one = run(main, ["export", "traces", str(out), "--trace", "0AF7651916cd", "--db", str(db)])
    assert one.exit_code == 0
    unknown = run(main, ["export", "traces", str(out), "--trace", "ffffffff", "--db", str(db)])
    assert (unknown.exit_code, "0 traces: expected one" in unknown.output) == (2, True)
    wrong = run(main, ["export", "nothing", str(out), "--db", str(db)])
    assert (wrong.exit_code, "no such table" in wrong.output) == (1, True)
