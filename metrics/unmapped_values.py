"""Which raw values does no dictionary map yet?"""

from dataclasses import dataclass
from typing import NamedTuple

from metrics.statements import Row, Store, answer
from metrics.values import Scope


class Example(NamedTuple):
    """One observation that holds the value."""

    trace_id: str
    span_id: str


@dataclass(frozen=True, slots=True)
class UnmappedValue:
    """One raw value that was read as unknown."""

    tool_name: str
    contract_version: str | None
    fact_type: str
    raw: str | None
    """As the tool gave it; None where it was not kept."""
    n: int
    """Facts."""
    n_traces: int
    n_facts: int
    """All facts of this tool, contract version and type, known or not."""
    share: float
    """Of them: n / n_facts."""
    first_time_ns: int
    last_time_ns: int
    examples: tuple[Example, ...]
    """Newest first; at most five."""


def unmapped_values(database: Store, scope: Scope, limit: int = 50) -> tuple[UnmappedValue, ...]:
    """Values that were read as UNKNOWN from clean outputs, most traces first; empty without any.

    Counted as recorded: a value that the dictionary in force maps by now is listed as long as it
    was recorded in the scope.

    Source: S0 §5.1, a mapping that lacks new values.
    """
    rows = answer(database, "unmapped_values", scope, limit=limit)
    return tuple(_value(row) for row in rows)


def _value(row: Row) -> UnmappedValue:
    examples = tuple(Example(**item) for item in row["examples"])
    counts = {name: int(row[name]) for name in ("n", "n_traces", "n_facts")}
    return UnmappedValue(
        **(row | counts | {"examples": examples}), share=counts["n"] / counts["n_facts"]
    )
