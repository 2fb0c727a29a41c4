"""What a back-test reads: recorded observations, equal inputs once, with where they occurred."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from pipeline.observation import attributes as names
from replay_store.database import Database
from replay_store.reader import record_of
from replay_store.records import Observation, RawOccurrence, RawOutput
from replay_store.saw import RawRecord, RecordedObservation
from replay_store.statements import statement

CHUNK: Final = 200
"""Inputs whose raw outputs are in memory at once."""
_CONTEXT: Final = f'$."{names.CONTEXT}"'


@dataclass(frozen=True, slots=True)
class FrameFilter:
    """Which observations to read; every part that is None lets everything pass."""

    start_time_ns: int | None = None
    """Earliest time, inclusive."""
    end_time_ns: int | None = None
    """Latest time, exclusive."""
    tool_names: tuple[str, ...] | None = None
    """Observations that were given an output of at least one of them."""
    unread_by: str | None = None
    """Only those of which `reread` has no row for this version."""
    read_sha256: str | None = None
    """Leaves out observations that were made with these very rule files."""
    received_since_ns: int | None = None
    """Only those that arrived then or later, whenever they were."""
    counted_by: str | None = None
    """The version whose counts of cells are wanted, where it has read again; as recorded without."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One observation."""

    trace_id: str
    span_id: str
    record_hash: int
    time_ns: int | None
    hour: int | None


@dataclass(frozen=True, slots=True)
class CellCounts:
    """Cells of several observations, each observation counted."""

    n_cells: int = 0
    n_multi_source_cells: int = 0
    """Those with values from two sources or more."""
    n_conflicts: int = 0
    n_unknown: int = 0
    n_unparsed: int = 0

    def __add__(self, other: "CellCounts") -> "CellCounts":
        """Both together."""
        return CellCounts(
            self.n_cells + other.n_cells,
            self.n_multi_source_cells + other.n_multi_source_cells,
            self.n_conflicts + other.n_conflicts,
            self.n_unknown + other.n_unknown,
            self.n_unparsed + other.n_unparsed,
        )


@dataclass(frozen=True, slots=True)
class Input:
    """One distinct input, and the observations that had it, oldest first."""

    has_raw: bool
    """False when none of its outputs was recorded."""
    is_whole: bool
    """Whether every output was recorded, and none was cut."""
    is_redacted: bool
    """Whether a value in one was masked before it was kept."""
    occurrences: tuple[Occurrence, ...]
    cells: CellCounts = CellCounts()
    """Of all its occurrences, as `FrameFilter.counted_by` says."""


def distinct_inputs(database: Database, wanted: FrameFilter) -> list[Input]:
    """The distinct inputs that pass the filter, oldest first."""
    parameters = {
        "start_time_ns": wanted.start_time_ns,
        "end_time_ns": wanted.end_time_ns,
        "tool_names": None if wanted.tool_names is None else list(wanted.tool_names),
        "unread_by": wanted.unread_by,
        "read_sha256": wanted.read_sha256,
        "received_since_ns": wanted.received_since_ns,
        "counted_by": wanted.counted_by,
        "context_path": _CONTEXT,
    }
    return [
        Input(
            row["has_raw"],
            row["is_whole"],
            row["is_redacted"],
            tuple(Occurrence(**o) for o in row["occurrences"]),
            CellCounts(*(row[column.name] for column in fields(CellCounts))),
        )
        for row in database.rows(statement("sql/backtest_frame"), parameters)
    ]


def removed_traces(database: Database, start_time_ns: int | None, end_time_ns: int | None) -> int:
    """Traces whose newest moment lies in a range and that were removed because of their age."""
    parameters = {"start_time_ns": start_time_ns, "end_time_ns": end_time_ns}
    row = database.row(statement("sql/backtest_removed"), parameters)
    return 0 if row is None else int(row["n"])


def recorded_inputs(
    database: Database, inputs: Sequence[Input]
) -> Iterator[tuple[Input, RecordedObservation]]:
    """Each input with its first observation, as far as reading it again needs it.

    Snapshots, facts, prompts and noise are left empty; a chunk of raw outputs is loaded at a time.
    """
    for start in range(0, len(inputs), CHUNK):
        chunk = inputs[start : start + CHUNK]
        found = _recorded(database, [item.occurrences[0] for item in chunk])
        for item in chunk:
            first = item.occurrences[0]
            if (first.trace_id, first.span_id) in found:
                yield item, found[first.trace_id, first.span_id]


def _recorded(
    database: Database, firsts: Sequence[Occurrence]
) -> dict[tuple[str, str], RecordedObservation]:
    keys: dict[str, Any] = {
        "trace_ids": [first.trace_id for first in firsts],
        "span_ids": [int(first.span_id, 16) for first in firsts],
        "record_hashes": [first.record_hash for first in firsts],
    }
    raw: dict[tuple[str, str], list[RawRecord]] = defaultdict(list)
    for row in database.rows(statement("sql/backtest_raw"), keys):
        record = RawRecord(record_of(RawOccurrence, row), record_of(RawOutput, row))
        raw[row["trace_id"], row["span_id"]].append(record)
    rows = database.rows(statement("sql/backtest_observations"), keys | {"context_path": _CONTEXT})
    return {
        (row["trace_id"], row["span_id"]): RecordedObservation(
            observation=record_of(Observation, row),
            snapshots=(),
            facts=(),
            prompts=(),
            raw=raw[row["trace_id"], row["span_id"]],
            context=row["context"],
            noise=(),
        )
        for row in rows
    }
