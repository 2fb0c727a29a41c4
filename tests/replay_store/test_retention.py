"""What is old goes as whole traces, is counted before it goes, and is known by its id afterwards."""

from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any
from uuid import UUID

import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, derive, retention, seal
from replay_store.columns import table_name
from replay_store.reader import TraceFilter, get_trace
from replay_store.records import (
    RECORDS,
    Label,
    NoiseLog,
    RawOccurrence,
    RawOutput,
    Reject,
    Span,
)
from replay_store.retention import DAY_NS, expired, remove_expired, removed_trace
from replay_store.trace_counts import count_traces
from tests.stores import memory_store

MakeSpan = Callable[..., Span]
NOW = 1_796_000_000_000_000_000 // DAY_NS * DAY_NS
OLD, NEW, OPEN = "a" * 32, "b" * 32, "c" * 32


def _attributes(text: str) -> dict[str, str]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look_up",
        "gen_ai.tool.call.result": text,
    }


@pytest.fixture
def database(make_span: MakeSpan) -> "Any":
    """A trace of 40 days ago, one of yesterday, and an old one that never ended."""
    old, new = NOW - 40 * DAY_NS, NOW - DAY_NS
    spans = [
        make_span(
            trace_id=OLD, start_time_ns=old, received_time_ns=old, attributes=_attributes("x")
        ),
        make_span(trace_id=OLD, start_time_ns=old + 1, received_time_ns=old),
        make_span(
            trace_id=NEW, start_time_ns=new, received_time_ns=new, attributes=_attributes("y")
        ),
        make_span(trace_id=OPEN, start_time_ns=old, end_time_ns=None, received_time_ns=new),
    ]
    with memory_store() as opened:
        _write(opened, Batch(spans=spans, rejects=[_reject(old), _reject(new)]))
        seal(opened, quiet_before_ns=old + DAY_NS)
        yield opened


def _write(database: Database, batch: Batch) -> None:
    map_batch(batch)
    Writer(database).write(batch)
    derive(database)


def _reject(time_ns: int) -> Reject:
    return Reject(UUID(int=1), "otlp-http", "request", "json", "no JSON", "{", 1, time_ns)


def _rows(database: Database) -> dict[str, int]:
    tables = [table_name(record) for record in RECORDS]
    return {table: database.rows(f"select count(*) as n from {table}")[0]["n"] for table in tables}


def _before(days: int) -> int:
    return NOW - days * DAY_NS


def test_what_is_said_to_go_is_what_goes(database: Database) -> None:
    said = Counter[str]()
    for line in expired(database, before_ns=_before(30)):
        said[line.table] += line.n
    held = _rows(database)

    removed = remove_expired(database, before_ns=_before(30), now_ns=NOW)

    assert removed == dict(sorted(said.items()))
    left = _rows(database)
    gone = {table: held[table] - left[table] for table in held if held[table] > left[table]}
    assert gone == dict(removed)
    assert {"trace": 1, "span": 2, "reject": 1, "tool_call": 1}.items() <= removed.items()
    assert get_trace(database, NEW) is not None
    assert get_trace(database, OPEN) is not None
    assert expired(database, before_ns=_before(30)) == []


def test_counts_are_by_the_day_of_a_traces_age(database: Database) -> None:
    [line] = [line for line in expired(database, before_ns=_before(30)) if line.table == "span"]

    assert line.n == 2
    assert (line.day.toordinal() - 719_163) * DAY_NS == NOW - 40 * DAY_NS


def test_a_trace_without_an_end_stays_while_something_comes(database: Database) -> None:
    remove_expired(database, before_ns=_before(0), now_ns=NOW)

    assert count_traces(database, TraceFilter()) == 0
    assert removed_trace(database, OPEN) is not None


def test_a_removed_trace_is_known_in_every_spelling_of_its_id(database: Database) -> None:
    remove_expired(database, before_ns=_before(30), now_ns=NOW)

    found = removed_trace(database, f"0x{OLD.upper()}")
    assert found is not None
    assert (found.trace_id, found.removed_time_ns) == (OLD, NOW)
    assert removed_trace(database, NEW) is None
    assert removed_trace(database, "no id") is None


def test_a_removed_trace_may_come_again(database: Database, make_span: MakeSpan) -> None:
    remove_expired(database, before_ns=_before(30), now_ns=NOW)
    late = make_span(trace_id=OLD, start_time_ns=NOW - 40 * DAY_NS, received_time_ns=NOW)

    _write(database, Batch(spans=[late]))

    assert get_trace(database, OLD) is not None
    remove_expired(database, before_ns=_before(30), now_ns=NOW + 1)
    found = removed_trace(database, OLD)
    assert found is not None
    assert found.removed_time_ns == NOW + 1


def test_traces_that_wait_to_be_derived_stay(database: Database, make_span: MakeSpan) -> None:
    late = make_span(trace_id=OLD, start_time_ns=NOW - 40 * DAY_NS, received_time_ns=NOW)
    Writer(database).write(Batch(spans=[late]))

    assert "trace" not in remove_expired(database, before_ns=_before(30), now_ns=NOW)


def test_many_traces_go_in_several_transactions(
    database: Database, make_span: MakeSpan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "CHUNK", 2)
    old = NOW - 50 * DAY_NS
    spans = [make_span(trace_id=f"{n:032x}", start_time_ns=old + n) for n in range(1, 6)]
    _write(database, Batch(spans=[replace(span, received_time_ns=old) for span in spans]))
    progress: list[int] = []

    removed = remove_expired(
        database, before_ns=_before(30), now_ns=NOW, on_progress=progress.append
    )

    assert removed["trace"] == 6
    assert progress == [2, 4, 6]


def test_a_raw_output_that_a_young_trace_holds_stays(database: Database) -> None:
    shared_id, old_id = "7" * 32, "8" * 32
    raw = [RawOutput(raw_id, "look_up", None, "{}", 2) for raw_id in (shared_id, old_id)]
    with database.transaction() as cursor:
        writer = Writer(database)
        writer._insert(cursor, raw)
        writer._insert(
            cursor,
            [
                _occurrence(OLD, shared_id),
                _occurrence(NEW, shared_id),
                _occurrence(OLD, old_id),
            ],
        )

    remove_expired(database, before_ns=_before(30), now_ns=NOW)

    left = {row["raw_id"].hex for row in database.rows("select raw_id from raw_output")}
    assert shared_id in left
    assert old_id not in left


def _occurrence(trace_id: str, raw_id: str) -> RawOccurrence:
    given: dict[str, Any] = {"trace_id": trace_id, "raw_id": raw_id}
    plain: dict[str, Any] = {
        "span_id": "0" * 15 + "1",
        "record_hash": 1,
        "position": 0,
        "source": "look_up.",
        "tool_name": "look_up",
    }
    values: dict[str, Any] = {
        field.name: (given | plain).get(field.name) for field in fields(RawOccurrence)
    }
    return RawOccurrence(**values)


def test_what_names_no_trace_goes_by_its_arrival(database: Database) -> None:
    old = {field.name: None for field in fields(NoiseLog)} | {
        "noise_id": "n",
        "record_hash": 5,
        "kind": "DROP",
        "file_id": UUID(int=1),
        "record_index": 0,
        "received_time_ns": NOW - 40 * DAY_NS,
    }
    Writer(database).write(Batch(noise_logs=[NoiseLog(**old)]))  # type: ignore[arg-type]

    assert remove_expired(database, before_ns=_before(30), now_ns=NOW)["noise_log"] == 1


def test_every_table_that_names_a_trace_goes_or_is_kept_on_purpose(database: Database) -> None:
    with_rollups = {"rollup_crossing", "task_part", "labelled_decision", "labelled_trace"}
    kept = with_rollups | {
        "alert",
        "label",
        "expectation",
        "score",
        "case_run",
        "audit_item",
        "replay_case",
        "replay_result",
        "removed_trace",
        "dirty_trace",
        "trace_note",
        "tiered_trace",
        "returned_trace",
    }
    sql = """
        select distinct table_name from duckdb_columns()
        inner join duckdb_tables() using (database_name, table_name)
        where database_name = 'store' and column_name = 'trace_id'
    """
    of_traces = {row["table_name"] for row in database.rows(sql)}

    assert set(retention._tables()) | kept == of_traces
    assert not set(retention._tables()) & kept


def test_what_people_made_stays(database: Database) -> None:
    label = Label(
        label_id="l1",
        record_hash=9,
        trace_id=OLD,
        turn_index=0,
        call_index=None,
        label="CORRECT",  # type: ignore[arg-type]
        sub=None,
        expected_tool=None,
        annotator="a",
        annotator_kind="HUMAN",  # type: ignore[arg-type]
        source="audit",
        batch_id=None,
        inclusion_probability=1.0,
        time_ns=NOW,
        note=None,
        file_id=UUID(int=1),
        record_index=0,
        received_time_ns=NOW,
    )
    Writer(database).write(Batch(labels=[label]))

    remove_expired(database, before_ns=_before(30), now_ns=NOW)

    assert _rows(database)["label"] == 1
