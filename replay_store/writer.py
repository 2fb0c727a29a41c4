"""The only hand that writes: batches in one transaction each, duplicates kept out, nothing updated.

One transaction writes at a time, which makes the anti-join inside the insert exact; an
acknowledgement may be given when `write` has returned, because the commit has.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeAlias
from uuid import UUID

import duckdb
import pyarrow as pa

from replay_store.columns import arrow_table, column_names, table_name
from replay_store.database import Database
from replay_store.records import (
    CallEvidence,
    Fact,
    GuardEvent,
    IngestFile,
    IntakeMinute,
    Label,
    LlmCall,
    NoiseLog,
    Observation,
    ObservedNoise,
    OfferedTool,
    Prompt,
    RawOccurrence,
    RawOutput,
    Reject,
    Snapshot,
    Span,
    SpanLog,
    SpanRole,
)
from replay_store.statements import statement

_DEDUPED: Mapping[type, str] = {
    Span: "start_time_ns",
    SpanLog: "time_ns",
    NoiseLog: "time_ns",
    Label: "time_ns",
}
"""Tables that keep duplicates out, and the column that bounds where a duplicate can lie."""


StoredByFile: TypeAlias = Counter[UUID]
"""How many records of each file or request were new."""


@dataclass(slots=True)
class Batch:
    """Records that are committed together."""

    spans: list[Span] = field(default_factory=list)
    span_roles: list[SpanRole] = field(default_factory=list)
    llm_calls: list[LlmCall] = field(default_factory=list)
    offered_tools: list[OfferedTool] = field(default_factory=list)
    call_evidence: list[CallEvidence] = field(default_factory=list)
    guard_events: list[GuardEvent] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    observed_noise: list[ObservedNoise] = field(default_factory=list)
    raw_outputs: list[RawOutput] = field(default_factory=list)
    raw_occurrences: list[RawOccurrence] = field(default_factory=list)
    span_logs: list[SpanLog] = field(default_factory=list)
    noise_logs: list[NoiseLog] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    catalogue_hashes: set[int] = field(default_factory=set)
    """Catalogues that `offered_tools` holds already."""

    @property
    def n_records(self) -> int:
        """Records that count in the ledger: spans, logs, noise rows and labels."""
        return len(self.spans) + len(self.span_logs) + len(self.noise_logs) + len(self.labels)

    def add(self, other: "Batch") -> None:
        """Take over the records of another batch."""
        for column in fields(Batch):
            mine, theirs = getattr(self, column.name), getattr(other, column.name)
            if isinstance(mine, set):
                mine |= theirs
            else:
                mine.extend(theirs)

    def mapped(self) -> list[Sequence[object]]:
        """The mapped rows, one sequence a table: written only for spans that are new."""
        return [
            self.span_roles,
            self.llm_calls,
            self.call_evidence,
            self.guard_events,
            self.observations,
            self.snapshots,
            self.facts,
            self.prompts,
            self.observed_noise,
            self.raw_occurrences,
        ]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the records of one batch."""

    n_stored: int = 0
    n_merged: int = 0

    def __add__(self, other: "Written") -> "Written":
        return Written(self.n_stored + other.n_stored, self.n_merged + other.n_merged)


class Writer:
    """Writes batches to a store. Use one writer a store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._types: dict[type, dict[str, str]] = {}

    def write(self, batch: Batch) -> Written:
        """Commit a batch; records already in the store are counted as merged.

        Returns:
            How many records were stored and how many were known.
        """
        return self.write_accounted(batch, _no_account)

    def write_accounted(
        self, batch: Batch, account: Callable[[StoredByFile], Sequence[IntakeMinute]]
    ) -> Written:
        """Commit a batch together with the counts of what became of it.

        Args:
            batch: The records, perhaps of several requests.
            account: The rows to commit with them, from how many records of each file id were new.
        """
        with self._database.transaction() as cursor:
            stored = self._write_spans(cursor, batch)
            for records in (batch.span_logs, batch.noise_logs, batch.labels):
                stored += self._write_new(cursor, records)
            self._insert(cursor, batch.rejects)
            self._insert(cursor, account(stored))
            if batch.labels:
                # Everything else changes what pages show only once it is derived.
                cursor.execute(statement("sql/bump_version"))
        return Written(stored.total(), batch.n_records - stored.total())

    def record_file(self, line: IngestFile) -> None:
        """Add one ledger line."""
        with self._database.transaction() as cursor:
            self._insert(cursor, [line])

    def replace_mapped(self, batch: Batch) -> None:
        """Replace the mapped rows of the traces in `batch`, whose spans are stored already.

        One transaction: a crash leaves each trace mapped either the old way or the new.
        """
        with self._database.transaction() as cursor:
            self._register(cursor, "batch", batch.span_roles)
            cursor.execute(statement("sql/forget_mapped"))
            for records in batch.mapped():
                self._insert(cursor, records)
            self._write_by_content(cursor, batch)
            cursor.execute(statement("sql/bump_version"))

    def _write_spans(self, cursor: duckdb.DuckDBPyConnection, batch: Batch) -> StoredByFile:
        stored = self._write_new(cursor, batch.spans)
        if not stored:
            return stored
        for records in batch.mapped():
            if records:
                self._register(cursor, "batch", records)
                cursor.execute(
                    _insert_sql(
                        type(records[0]),
                        "batch semi join fresh using (trace_id, span_id, record_hash)",
                    )
                )
        self._write_by_content(cursor, batch)
        return stored

    def _write_new(
        self, cursor: duckdb.DuckDBPyConnection, records: Sequence[object]
    ) -> StoredByFile:
        """Insert the records that the table does not hold; leaves their keys in `fresh`.

        Only keys go through `fresh`: the long texts are copied once, into the table.
        """
        if not records:
            return Counter()
        record = type(records[0])
        self._register(cursor, "batch", records, with_position=True)
        times = [time for item in records if (time := getattr(item, _DEDUPED[record])) is not None]
        bounds = {
            "lo": min(times, default=0),
            "hi": max(times, default=0),
            "has_null": len(times) < len(records),
        }
        cursor.execute(statement(f"sql/fresh_{table_name(record)}"), bounds)
        stored = Counter(dict(cursor.execute(statement("sql/intake_stored")).fetchall()))
        if stored:
            is_all = stored.total() == len(records)
            source = "batch" if is_all else "batch semi join fresh using (position)"
            cursor.execute(_insert_sql(record, source))
            if record is not Label:
                cursor.execute(statement("sql/mark_dirty"))
        return stored

    def _write_by_content(self, cursor: duckdb.DuckDBPyConnection, batch: Batch) -> None:
        """Rows that are kept once, by the hash of what they hold."""
        for records in (batch.offered_tools, batch.raw_outputs):
            if records:
                self._register(cursor, "batch", records)
                cursor.execute(statement(f"sql/insert_{table_name(type(records[0]))}"))

    def _insert(self, cursor: duckdb.DuckDBPyConnection, records: Sequence[object]) -> None:
        if records:
            self._register(cursor, "batch", records)
            cursor.execute(_insert_sql(type(records[0]), "batch"))

    def _register(
        self,
        cursor: duckdb.DuckDBPyConnection,
        name: str,
        records: Sequence[object],
        *,
        with_position: bool = False,
    ) -> None:
        record = type(records[0])
        if record not in self._types:
            self._types[record] = _column_types(cursor, record)
        table = arrow_table(records, self._types[record])
        if with_position:
            table = table.append_column("position", pa.array(range(len(records)), pa.uint32()))
        cursor.register(name, table)


def _column_types(cursor: duckdb.DuckDBPyConnection, record: type) -> dict[str, str]:
    rows: list[tuple[Any, ...]] = cursor.execute(
        "select column_name, data_type from duckdb_columns() "
        "where database_name = 'store' and table_name = $table order by column_index",
        {"table": table_name(record)},
    ).fetchall()
    return dict(rows)


def _insert_sql(record: type, source: str) -> str:
    columns = ", ".join(column_names(record))
    # Identifiers come from record classes, never from data.
    return f"insert into {table_name(record)} ({columns}) select {columns} from {source}"  # noqa: S608


def _no_account(_: StoredByFile) -> Sequence[IntakeMinute]:
    return ()
