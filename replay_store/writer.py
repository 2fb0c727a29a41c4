"""The only hand that writes: batches in one transaction each, duplicates kept out, nothing updated.

One transaction writes at a time, which makes the anti-join inside the insert exact; an
acknowledgement may be given when `write` has returned, because the commit has.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Final, TypeAlias
from uuid import UUID

import duckdb
import numpy as np
import pyarrow as pa

from replay_store.columns import arrow_table, table_name
from replay_store.database import Database
from replay_store.insertion import column_types, insertion
from replay_store.known_rows import span_numbers
from replay_store.records import (
    CallEvidence,
    CaseRun,
    Expectation,
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
    ReplayCase,
    Score,
    Snapshot,
    Span,
    SpanLog,
    SpanRole,
    TraceKey,
)
from replay_store.statements import execute, run

_DEDUPED: Mapping[type, str | None] = {
    Span: "start_time_ns",
    SpanLog: "time_ns",
    NoiseLog: "time_ns",
    Label: "time_ns",
    ReplayCase: "time_ns",
    Expectation: None,
    Score: None,
    CaseRun: None,
}
"""Tables that keep duplicates out, and the column that bounds where a duplicate can lie; None for
small tables, which are searched whole."""
_DERIVED_FROM = (Span, SpanLog, NoiseLog)
"""Records whose traces must be derived again."""


SpanKey: TypeAlias = tuple[str, str, int]
"""One version of one span: trace id, span id, record hash."""
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
    trace_keys: list[TraceKey] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    snapshots: list[Snapshot] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    prompts: list[Prompt] = field(default_factory=list)
    observed_noise: list[ObservedNoise] = field(default_factory=list)
    raw_outputs: list[RawOutput] = field(default_factory=list)
    raw_occurrences: list[RawOccurrence] = field(default_factory=list)
    span_logs: list[SpanLog] = field(default_factory=list)
    log_evidence: list[CallEvidence] = field(default_factory=list)
    """Mapped from `span_logs`, as are `log_keys`: written only for records that are new."""
    log_keys: list[TraceKey] = field(default_factory=list)
    noise_logs: list[NoiseLog] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    replay_cases: list[ReplayCase] = field(default_factory=list)
    expectations: list[Expectation] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    case_runs: list[CaseRun] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    catalogue_hashes: set[int] = field(default_factory=set)
    """Catalogues that `offered_tools` holds already."""
    mapped_spans: set[SpanKey] = field(default_factory=set)
    """The span versions whose mapped rows are here, once each, however often the spans are."""

    @property
    def n_records(self) -> int:
        """Records that count in the ledger: spans, logs and everything that is beside them."""
        return len(self.spans) + sum(len(records) for records in self.beside_spans())

    def add(self, other: "Batch") -> None:
        """Take over the records of another batch; the mapped rows only of spans not yet here."""
        twice = self.mapped_spans & other.mapped_spans
        for column in fields(Batch):
            mine, theirs = getattr(self, column.name), getattr(other, column.name)
            if isinstance(mine, set):
                mine |= theirs
            elif twice and column.name in _MAPPED:
                mine.extend(row for row in theirs if span_key(row) not in twice)
            else:
                mine.extend(theirs)

    def beside_spans(self) -> list[Sequence[object]]:
        """The records that count besides spans, one sequence a table."""
        return [self.span_logs, self.noise_logs, *self.made_by_people()]

    def made_by_people(self) -> list[Sequence[object]]:
        """Labels, cases and ground truth: what nothing is derived from, one sequence a table."""
        return [self.labels, self.replay_cases, self.expectations, self.scores, self.case_runs]

    def mapped(self) -> list[Sequence[object]]:
        """The mapped rows, one sequence a table: written only for spans that are new."""
        return [getattr(self, name) for name in _MAPPED]


_MAPPED: Final = (
    "span_roles",
    "llm_calls",
    "call_evidence",
    "guard_events",
    "trace_keys",
    "observations",
    "snapshots",
    "facts",
    "prompts",
    "observed_noise",
    "raw_occurrences",
)
span_key: Callable[[object], SpanKey] = attrgetter("trace_id", "span_id", "record_hash")
"""The version of a span that a span, or a row mapped from one, is about."""


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
            account: The rows to commit with them, from how many records of each file id were new;
                may be asked twice.
        """
        return self._database.with_room(lambda: self._write(batch, account))

    def _write(
        self, batch: Batch, account: Callable[[StoredByFile], Sequence[IntakeMinute]]
    ) -> Written:
        with self._database.transaction() as cursor:
            stored = self._write_spans(cursor, batch)
            stored += self._write_logs(cursor, batch)
            for records in batch.beside_spans()[1:]:
                stored += self._write_new(cursor, records)
            self._insert(cursor, batch.rejects)
            self._insert(cursor, account(stored))
            if any(batch.made_by_people()):
                # Everything else changes what pages show only once it is derived.
                run(cursor, "sql/bump_version")
        return Written(stored.total(), batch.n_records - stored.total())

    def record_files(self, lines: Sequence[IngestFile]) -> None:
        """Add ledger lines; none is fine."""
        if lines:
            with self._database.transaction() as cursor:
                self._insert(cursor, lines)

    def replace_mapped(self, batch: Batch) -> None:
        """Replace the mapped rows of the traces in `batch`, whose spans are stored already.

        One transaction: a crash leaves each trace mapped either the old way or the new.
        """
        with self._database.transaction() as cursor:
            self._register(cursor, "batch", batch.span_roles)
            run(cursor, "sql/forget_mapped")
            for records in (*batch.mapped(), batch.log_evidence, batch.log_keys):
                self._insert(cursor, records)
            self._write_by_content(cursor, batch)
            run(cursor, "sql/bump_version")

    def _write_spans(self, cursor: duckdb.DuckDBPyConnection, batch: Batch) -> StoredByFile:
        if not batch.spans:
            return Counter()
        table = self._table(cursor, batch.spans)
        positions = self._fresh_spans(cursor, batch.spans, table)
        if not positions:
            return Counter()
        fresh = batch.spans
        if is_part := len(positions) < len(fresh):
            fresh = [batch.spans[position] for position in positions]
            table = table.take(pa.array(positions))
        cursor.register("batch", table)
        execute(cursor, insertion(Span, "batch"))
        run(cursor, "sql/mark_dirty_spans")
        self._write_mapped(cursor, batch, set(map(span_key, fresh)) if is_part else None)
        return Counter(span.file_id for span in fresh)

    def _fresh_spans(
        self, cursor: duckdb.DuckDBPyConnection, spans: Sequence[Span], table: pa.Table
    ) -> Sequence[int]:
        """The places of the spans that the store does not hold, each version once."""
        first: dict[SpanKey, int] = {}
        for position, key in enumerate(map(span_key, spans)):
            first.setdefault(key, position)
        known = self._known_spans(cursor, table, _bounds(spans, _DEDUPED[Span]))
        if not known:
            return list(first.values())
        return [position for position in first.values() if position not in known]

    def _known_spans(
        self, cursor: duckdb.DuckDBPyConnection, table: pa.Table, bounds: Mapping[str, int | bool]
    ) -> set[int]:
        """The places of the spans that the store holds: nearly always none, and then none is looked for."""
        numbers, recent = span_numbers(table), self._database.recent_spans
        are_new = not bounds["has_null"] and recent.are_new(cursor, bounds["lo"], numbers)
        recent.add(bounds["hi"], numbers)
        return set() if are_new else _places(cursor, table, "sql/known_spans", bounds)

    def _write_mapped(
        self, cursor: duckdb.DuckDBPyConnection, batch: Batch, fresh: Collection[SpanKey] | None
    ) -> None:
        """The mapped rows of these spans; of all of them for None."""
        for records in batch.mapped():
            kept = records if fresh is None else [row for row in records if span_key(row) in fresh]
            self._insert(cursor, kept)
        self._write_by_content(cursor, batch)

    def _write_logs(self, cursor: duckdb.DuckDBPyConnection, batch: Batch) -> StoredByFile:
        stored = self._write_new(cursor, batch.span_logs)
        for records in (batch.log_evidence, batch.log_keys):
            if stored and records:
                self._register(cursor, "batch", list(dict.fromkeys(records)))
                new = "batch semi join fresh using (trace_id, record_hash)"
                execute(cursor, insertion(type(records[0]), new))
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
        bounds = _bounds(records, _DEDUPED[record])
        run(cursor, f"sql/fresh_{table_name(record)}", bounds)
        stored = Counter(dict(run(cursor, "sql/intake_stored").fetchall()))
        if stored:
            is_all = stored.total() == len(records)
            source = "batch" if is_all else "batch semi join fresh using (position)"
            execute(cursor, insertion(record, source))
            if record in _DERIVED_FROM:
                run(cursor, "sql/mark_dirty")
        return stored

    def _write_by_content(self, cursor: duckdb.DuckDBPyConnection, batch: Batch) -> None:
        """Rows that are kept once, by the hash of what they hold."""
        tools = {(tool.catalogue_hash, tool.position): tool for tool in batch.offered_tools}
        if tools:
            self._register(cursor, "batch", list(tools.values()))
            run(cursor, "sql/insert_offered_tool")
        was_found = self._database.raw_ids.was_found
        outputs = {output.raw_id: output for output in batch.raw_outputs}
        if unknown := [output for raw_id, output in outputs.items() if not was_found(raw_id)]:
            self._write_raw_outputs(cursor, unknown)

    def _write_raw_outputs(
        self, cursor: duckdb.DuckDBPyConnection, outputs: Sequence[RawOutput]
    ) -> None:
        table = self._table(cursor, outputs)
        seen = self._database.raw_ids
        if len(known := seen.known(cursor, table["raw_id"].combine_chunks())):
            seen.keep_found(outputs[place].raw_id for place in known)
            table = table.take(pa.array(np.setdiff1d(np.arange(len(outputs)), known)))
        if len(table):
            seen.add(table["raw_id"].combine_chunks())
            cursor.register("batch", table)
            execute(cursor, insertion(RawOutput, "batch"))

    def _insert(self, cursor: duckdb.DuckDBPyConnection, records: Sequence[object]) -> None:
        if records:
            self._register(cursor, "batch", records)
            execute(cursor, insertion(type(records[0]), "batch"))

    def _register(
        self,
        cursor: duckdb.DuckDBPyConnection,
        name: str,
        records: Sequence[object],
        *,
        with_position: bool = False,
    ) -> None:
        table = self._table(cursor, records)
        if with_position:
            table = table.append_column("position", pa.array(range(len(records)), pa.uint32()))
        cursor.register(name, table)

    def _table(self, cursor: duckdb.DuckDBPyConnection, records: Sequence[object]) -> pa.Table:
        record = type(records[0])
        if record not in self._types:
            self._types[record] = column_types(cursor, record)
        return arrow_table(records, self._types[record])


def _places(
    cursor: duckdb.DuckDBPyConnection,
    table: pa.Table,
    question: str,
    parameters: Mapping[str, int | bool] | None = None,
) -> set[int]:
    """Which rows of a table a question about `batch` finds in the store."""
    cursor.register(
        "batch", table.append_column("position", pa.array(range(len(table)), pa.uint32()))
    )
    return {place for (place,) in run(cursor, question, parameters).fetchall()}


def _bounds(records: Sequence[object], column: str | None) -> dict[str, int | bool]:
    """Where duplicates of these records can lie; empty where the whole table is searched."""
    if column is None:
        return {}
    times = [time for item in records if (time := getattr(item, column)) is not None]
    return {
        "lo": min(times, default=0),
        "hi": max(times, default=0),
        "has_null": len(times) < len(records),
    }


def _no_account(_: StoredByFile) -> Sequence[IntakeMinute]:
    return ()
