"""What an audit can draw from: decisions of a period, parted by tool, version and suspicion."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from replay_store.audit_allocation import Allocation, Part, Stratum, quotas
from replay_store.database import Database
from replay_store.statements import statement

if TYPE_CHECKING:
    import duckdb

FRAME_STATEMENT: Final = "sql/audit_frame_fill"


@dataclass(frozen=True, slots=True)
class FrameSize:
    """What there is to draw from."""

    n_decisions: int
    n_traces: int


@dataclass(frozen=True, slots=True)
class FramePart:
    """One part of a frame; what the parts are not told apart by is None."""

    stratum: int
    tool_name: str | None
    contract_version: str | None
    """Empty for decisions that name no version."""
    is_suspicious: bool | None
    n_frame: int
    n_traces: int
    n_most: int
    """The most that a draw with so many of a trace can take."""
    n_judged: int
    """Decisions of it that have a verdict already."""
    n_right: int


def frame_size(
    database: Database, *, start_time_ns: int, end_time_ns: int, tool_name: str | None = None
) -> FrameSize:
    """How many decisions a draw could pick from, and of how many traces."""
    row = database.row(
        statement("sql/audit_frame"),
        {"start_time_ns": start_time_ns, "end_time_ns": end_time_ns, "tool_name": tool_name},
    )
    return FrameSize(**row) if row else FrameSize(0, 0)


def fill_frame(
    cursor: "duckdb.DuckDBPyConnection", frame: Mapping[str, Any], strata: Collection[Stratum]
) -> list[FramePart]:
    """Write the frame to a table of this cursor; its parts in order, none without decisions.

    Args:
        cursor: Inside a transaction.
        frame: start_time_ns, end_time_ns, tool_name, per_trace.
        strata: By what the frame is parted.
    """
    told_apart = {
        "by_tool": Stratum.TOOL in strata,
        "by_version": Stratum.VERSION in strata,
        "by_suspicion": Stratum.SUSPICION in strata,
    }
    cursor.execute(statement(FRAME_STATEMENT), {**frame, **told_apart})
    found = cursor.execute(statement("sql/audit_strata"), {"per_trace": frame["per_trace"]})
    return [FramePart(*row) for row in found.fetchall()]


def set_quotas(
    cursor: "duckdb.DuckDBPyConnection",
    parts: Sequence[FramePart],
    n: int,
    allocation: Allocation,
) -> None:
    """Write how many to draw of each part, beside the frame."""
    sizes = [Part(part.n_frame, part.n_most, part.n_judged, part.n_right) for part in parts]
    cursor.execute(
        statement("sql/audit_quota"),
        {
            "strata": [part.stratum for part in parts],
            "tool_names": [part.tool_name for part in parts],
            "contract_versions": [part.contract_version for part in parts],
            "suspicions": [part.is_suspicious for part in parts],
            "n_frames": [part.n_frame for part in parts],
            "n_traces": [part.n_traces for part in parts],
            "quotas": quotas(n, sizes, allocation),
        },
    )
