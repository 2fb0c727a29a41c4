"""What the model saw, as recorded: find observations and open one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, TypeVar

import orjson

from pipeline.observation import NoiseRecord
from pipeline.observation import attributes as names
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
_NOISE_FIELDS: Final = frozenset(field.name for field in fields(NoiseRecord))


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
    context: str | None
    """JSON text of `pipeline.observation.wire`: whom and what the question was about."""
    noise: Sequence[NoiseRecord]
    """What noise changed, as the observation itself tells; empty when it was off."""


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


TROUBLES: Final = ("unknown", "conflict", "unparsed", "failed", "empty", "degraded", "noise")
"""What `ObservationFilter.has` may name."""


@dataclass(frozen=True, slots=True)
class ObservationChoices:
    """What a list of observations can be narrowed to, most frequent first."""

    tool_names: tuple[str, ...]
    intents: tuple[str, ...]


def count_troubles(database: Database, wanted: ObservationFilter) -> dict[str, int]:
    """How many observations show each of `TROUBLES`; the filter's own `has` is not applied."""
    parameters = asdict(wanted)
    del parameters["has"]
    row = database.row(statement("sql/observation_counts"), parameters) or {}
    return {name: int(row[name]) for name in TROUBLES}


def observation_choices(database: Database) -> ObservationChoices:
    """The tools and intents of all observations."""
    chosen: dict[str, list[str]] = {"tool": [], "intent": []}
    for row in database.rows(statement("sql/observation_choices")):
        chosen[row["kind"]].append(row["value"])
    return ObservationChoices(tuple(chosen["tool"]), tuple(chosen["intent"]))


def trace_with_raw_results(database: Database) -> str | None:
    """The newest trace that shows a tool's raw result; None when there is none."""
    row = database.row(statement("sql/trace_with_raw"))
    return None if row is None else str(row["trace_id"])


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
        _context(found["attributes"]),
        list(_noise(found["events"])),
    )


def _rows(
    database: Database, record: type[_Record], name: str, key: dict[str, object]
) -> list[_Record]:
    return [record_of(record, row) for row in database.rows(statement(f"sql/{name}"), key)]


def _context(attributes: str | None) -> str | None:
    value = orjson.loads(attributes or "{}").get(names.CONTEXT)
    return value if isinstance(value, str) else None


def _noise(events: str | None) -> Iterator[NoiseRecord]:
    """The noise rows that a span tells of; what the pipeline did not write is passed over."""
    for event in orjson.loads(events or "[]"):
        if event["name"] != names.EVENT_NOISE:
            continue
        for row in _rows_of(event["attributes"]):
            if isinstance(row, dict) and row.keys() == _NOISE_FIELDS:
                yield NoiseRecord(**row)


def _rows_of(attributes: Mapping[str, Any]) -> Sequence[Any]:
    try:
        rows = orjson.loads(attributes.get(names.ROWS, "[]"))
    except (ValueError, TypeError):
        return ()
    return rows if isinstance(rows, list) else ()
