"""Numbers that recorded outputs held, for drawing thresholds on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from replay_store.database import Database
from replay_store.statements import statement


@dataclass(frozen=True, slots=True)
class RecordedValues:
    """One combination of values of some fact types, and where it occurred."""

    values: Mapping[str, str]
    """Text of the number by fact type; a type that was not read is missing."""
    n: int
    """Entities in observations that had it."""
    trace_ids: frozenset[str]
    example: tuple[str, str]
    """Trace and span of one observation."""


def recorded_values(
    database: Database,
    fact_types: Sequence[str],
    start_time_ns: int,
    end_time_ns: int,
    *,
    is_raw: bool = False,
) -> list[RecordedValues]:
    """The values of some fact types as they were recorded, the most frequent combination first.

    Args:
        database: The store.
        fact_types: Which.
        start_time_ns: Earliest observation, inclusive.
        end_time_ns: Latest observation, exclusive.
        is_raw: What the tool gave, in place of what it was read as.

    Returns:
        Empty when nothing was recorded. What sources say differently is left out.
    """
    rows = database.rows(
        statement("sql/rule_values"),
        {
            "fact_types": list(fact_types),
            "start_time_ns": start_time_ns,
            "end_time_ns": end_time_ns,
            "is_raw": is_raw,
        },
    )
    return [
        RecordedValues(
            values={item["fact_type"]: item["value"] for item in row["said"]},
            n=row["n"],
            trace_ids=frozenset(row["trace_ids"]),
            example=(row["example"]["trace_id"], row["example"]["span_id"]),
        )
        for row in rows
    ]
