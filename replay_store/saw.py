"""What the model saw, as recorded: find observations and open one."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

from replay_store.database import Database
from replay_store.reader import record_of
from replay_store.records import (
    Fact,
    Observation,
    Prompt,
    RawOccurrence,
    RawOutput,
    Snapshot,
)
from replay_store.statements import statement


_Record = TypeVar("_Record")


@dataclass(frozen=True, slots=True)
class ObservationFilter:
    """Which observations to list; every part that is None lets everything pass."""

    trace_id: str | None = None
    start_time_ns: int | None = None
    """Earliest start, inclusive."""
    end_time_ns: int | None = None
    """Latest start, exclusive."""
    tool_name: str | None = None
    intent: str | None = None
    has: str | None = None
    """unknown, conflict, unparsed, failed, empty, degraded or noise: at least one of them."""
    fact_type: str | None = None
    raw_value: str | None = None
    """With `fact_type`: observations whose fact was read from this raw value."""


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One raw output as one observation was given it."""

    occurrence: RawOccurrence
    output: RawOutput


@dataclass(frozen=True, slots=True)
class RecordedObservation:
    """One observation whole, as it was emitted."""

    observation: Observation
    snapshots: Sequence[Snapshot]
    facts: Sequence[Fact]
    """Of all variants, in the order of entity, type and id."""
    prompts: Sequence[Prompt]
    raw: Sequence[RawRecord]


def find_observations(
    database: Database, wanted: ObservationFilter, *, limit: int, offset: int = 0
) -> list[Observation]:
    """The observations that pass the filter, newest first; at most `limit`."""
    parameters = asdict(wanted) | {"limit": limit, "offset": offset}
    rows = database.rows(statement("sql/find_observations"), parameters)
    return [record_of(Observation, row) for row in rows]


def count_observations(database: Database, wanted: ObservationFilter) -> int:
    """How many observations pass the filter."""
    row = database.row(statement("sql/count_observations"), asdict(wanted))
    return int(row["n"]) if row else 0


def get_observation(database: Database, trace_id: str, span_id: str) -> RecordedObservation | None:
    """One observation whole; None when the span is none, or is not in the store."""
    key = {"trace_id": trace_id, "span_id": int(span_id, 16)}
    found = database.row(statement("sql/get_observation"), key)
    if found is None:
        return None
    observation = record_of(Observation, found)
    key["record_hash"] = observation.record_hash
    raw = [
        RawRecord(record_of(RawOccurrence, row), record_of(RawOutput, row))
        for row in database.rows(statement("sql/observation_raw"), key)
    ]
    return RecordedObservation(
        observation,
        _rows(database, Snapshot, "observation_snapshots", key),
        _rows(database, Fact, "observation_facts", key),
        _rows(database, Prompt, "observation_prompts", key),
        raw,
    )


def _rows(
    database: Database, record: type[_Record], name: str, key: dict[str, object]
) -> list[_Record]:
    return [record_of(record, row) for row in database.rows(statement(f"sql/{name}"), key)]
