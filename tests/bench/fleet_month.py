"""A month of a fleet of agents in a store: as many spans as asked for, in every table as a service has it.

A small part of the month goes the real way: OTLP is decoded, mapped, written and derived. The rest are
copies of its rows with ids, keys and times of their own, made by SQL and sealed as in service: so every
row is one that the product wrote, whatever its tables are.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from ingest import Decoded, Origin, Signal, decode_protobuf
from ingest.mapping import map_batch
from pipeline.vocabulary import AnnotatorKind, SelectionLabel
from replay_store import Batch, Database, Writer
from replay_store.columns import column_names
from replay_store.derive import derive_some, seal
from replay_store.records import Label, NoiseLog, Span
from replay_store.statements import statement
from tests.bench.fleet_traffic import Words, exports

__all__ = ["CALLS_A_TRACE", "END_NS", "START_NS", "fill", "mapped_batch"]

DAYS: Final = 30
START_NS: Final = 20_560 * 86_400 * 10**9
END_NS: Final = START_NS + DAYS * 86_400 * 10**9
CALLS_A_TRACE: Final = 5
SPANS_A_TRACE: Final = 13.1
_LEAST_PART_TRACES: Final = 6_000
_MOST_PART_TRACES: Final = 40_000
_COPIES: Final = 25
"""As many at least, until the part is as large as it may be: then a copy is one that all processors make."""
_COMMIT_SPANS: Final = 4_096
_LAG_NS: Final = 2_000_000_000
_LABELS: Final = 2_000
"""In the whole month, of decisions drawn at random."""
_TRACES_A_SEAL: Final = 60_000
_FILE_ID: Final = UUID(int=1)
_LEFT_OUT: Final = frozenset({"migration", "store_state", "dirty_trace", "label"})


def fill(
    database: Database,
    n_spans: int,
    *,
    words: Words = "ordinary",
    on_progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Write about so many spans, whole copies of the part, and all that is derived of them.

    Args:
        database: An empty store.
        n_spans: Spans in all; fewer than one part holds are one part of fewer traces.
        words: Of what the texts are made.
        on_progress: Called with the spans there are, now and then.
    """
    n_traces = max(int(n_spans / SPANS_A_TRACE), 1)
    n_part_traces = min(max(n_traces // _COPIES, _LEAST_PART_TRACES), _MOST_PART_TRACES, n_traces)
    n_copies = max(round(n_traces / n_part_traces), 1)
    one_label_in = max(n_part_traces * n_copies // _LABELS, 1)
    part_ns = (END_NS - START_NS) // n_copies
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.duckdb"
        with Database.open(path) as part:
            _write_part(part, n_part_traces, part_ns, words)
            row = part.row("select count(*) as n from span")
        with database.beside(path, "part"):
            statements, n_open = _copies(database), 0
            for number in range(n_copies):
                _copy(
                    database,
                    statements,
                    {"salt": str(number), "shift_ns": number * part_ns, "every": one_label_in},
                )
                n_open += n_part_traces
                if n_open >= _TRACES_A_SEAL or number == n_copies - 1:
                    n_open = 0
                    seal(database, quiet_before_ns=0)
                    on_progress((number + 1) * (row["n"] if row else 0))
    database.checkpoint()


def mapped_batch(body: bytes) -> Batch:
    """One export, OTLP protobuf, as the receiver hands it to the writer soon after its last span ended."""
    items = decode_protobuf(body, Signal.TRACES, Origin(_FILE_ID, "otlp-http", 0, None))
    records = [item.record for item in items if isinstance(item, Decoded)]
    spans = [record for record in records if isinstance(record, Span)]
    came_ns = max(span.end_time_ns or 0 for span in spans) + _LAG_NS
    batch = Batch(spans=[replace(span, received_time_ns=came_ns) for span in spans])
    map_batch(batch)
    return batch


def _write_part(database: Database, n_traces: int, part_ns: int, words: Words) -> None:
    every_ns = part_ns // n_traces
    writer, waiting = Writer(database), Batch()
    for body, _ in exports(
        n_traces, seed=1, batch=64, start_ns=START_NS, every_ns=every_ns, words=words
    ):
        batch = mapped_batch(body)
        batch.noise_logs = list(_noise(batch))
        batch.labels = list(_labels(batch))
        waiting.add(batch)
        if len(waiting.spans) >= _COMMIT_SPANS:
            writer.write(waiting)
            waiting = Batch()
    writer.write(waiting)
    while derive_some(database, 2_000):
        pass


def _noise(batch: Batch) -> Iterator[NoiseLog]:
    """A line for each disturbed observation."""
    unknown: dict[str, Any] = dict.fromkeys(column_names(NoiseLog))
    for item in batch.observations:
        if item.n_noise_hit:
            told: dict[str, Any] = {
                "noise_id": f"noise-{item.span_id}",
                "record_hash": item.record_hash,
                "trace_id": item.trace_id,
                "span_id": item.span_id,
                "time_ns": item.time_ns,
                "profile": "default",
                "kind": "DROP",
                "fact_type": "status",
                "file_id": _FILE_ID,
                "record_index": 0,
                "received_time_ns": batch.spans[0].received_time_ns,
            }
            yield NoiseLog(**unknown | told)


def _labels(batch: Batch) -> Iterator[Label]:
    """A judgement of the first decision of each trace; a copy keeps few."""
    for number, span in enumerate(span for span in batch.spans if span.parent_span_id is None):
        hashed = span.record_hash
        yield Label(
            label_id=f"label-{span.span_id}",
            record_hash=hashed,
            trace_id=span.trace_id,
            turn_index=0,
            call_index=0,
            label=SelectionLabel.WRONG_TOOL if hashed % 11 == 0 else SelectionLabel.RIGHT,
            sub=None,
            expected_tool=None,
            annotator=f"annotator-{number % 3}",
            annotator_kind=AnnotatorKind.HUMAN,
            source="audit",
            batch_id=None,
            inclusion_probability=0.001,
            time_ns=span.end_time_ns,
            note=None,
            file_id=_FILE_ID,
            record_index=number,
            received_time_ns=span.received_time_ns,
        )


def _copies(database: Database) -> dict[str, str]:
    """The statement that copies each table of the part that holds rows, by table."""
    columns: dict[str, list[str]] = {}
    for row in database.rows(
        "select table_name, column_name from duckdb_columns() "
        "where database_name = 'part' and not internal order by table_name, column_index"
    ):
        columns.setdefault(row["table_name"], []).append(row["column_name"])
    tables = database.rows(
        "select table_name from duckdb_tables() "
        "where database_name = 'part' and estimated_size > 0 order by table_name"
    )
    return {
        row["table_name"]: _copy_sql(row["table_name"], columns[row["table_name"]])
        for row in tables
        if row["table_name"] not in _LEFT_OUT | {"offered_tool"}
    } | {"label": _copy_sql("label", columns["label"]) + " where record_hash % $every = 0"}


def _copy_sql(table: str, names: list[str]) -> str:
    placed = next((name for name in ("start_time_ns", "time_ns") if name in names), None)
    values = ", ".join(f"{_value(name, placed)} as {name}" for name in names)
    return f"insert into {table} by name select {values} from part.{table}"


def _value(name: str, placed: str | None) -> str:
    """What a copy holds in a column: what tells rows apart or places them is new, the rest the same."""
    if name in ("trace_id", "head_trace_id", "other_trace_id", "raw_id", "decision_id"):
        return f"md5({name}::varchar || $salt)::uuid"
    if name == "task_id":
        return "md5(trace_id::varchar || $salt)"
    if name.endswith("span_id") or name in ("record_hash", "key_hash"):
        return f"xor({name}, hash($salt))"
    if name in ("tool_call_id", "idempotency_key", "session_id", "noise_id", "label_id"):
        return f"left({name}, 5) || left(md5({name} || $salt), length({name}) - 5)"
    if name in ("snapshot_hash", "noisy_snapshot_hash"):
        return f"md5({name} || $salt)"
    if name.endswith("time_ns"):
        return f"{name} + $shift_ns"
    if name == "hour" and placed:
        return f"(({placed} + $shift_ns) // 3600000000000)::integer"
    return name


def _copy(database: Database, statements: dict[str, str], given: dict[str, Any]) -> None:
    """One copy, in one transaction, as one large commit and its derive."""
    with database.transaction() as cursor:
        for sql in statements.values():
            cursor.execute(sql, {name: given[name] for name in given if f"${name}" in sql})
        cursor.execute(statement("sql/bump_version"))
