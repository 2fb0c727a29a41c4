"""Which traces show the same fault, since when and with which version; and which one went well?"""

from dataclasses import dataclass

from metrics.incident.hints import Hint
from metrics.statements import Store, answer
from metrics.values import Scope

__all__ = ["Similar", "SimilarDay", "last_good", "similar"]


@dataclass(frozen=True, slots=True)
class SimilarDay:
    """Traces of one day that show it, with one version of the tool's contract."""

    day: int
    """Days since the epoch, UTC."""
    version: str
    """Empty where the traces tell none."""
    n: int
    n_failed: int


@dataclass(frozen=True, slots=True)
class Similar:
    """The traces that show the sign of a hint, at its tool and with its class of error."""

    days: tuple[SimilarDay, ...]
    """By day, oldest first; days without any are left out."""
    trace_ids: tuple[str, ...]
    """The newest, without the trace itself."""

    @property
    def n(self) -> int:
        """How many there are in the period, the trace itself counted in."""
        return sum(day.n for day in self.days)


def similar(
    database: Store, hint: Hint, trace_id: str, scope: Scope, *, limit: int = 10
) -> Similar:
    """The traces of a period with the failure signature of a hint: layer, tool, class, sign."""
    asked = {
        "sign": hint.sign,
        "tool_name": hint.tool_name,
        "error_type": hint.error_type,
        "trace_id": trace_id,
        "limit": limit,
    }
    days = answer(database, "incident/similar_days", scope, **asked)
    newest = answer(database, "incident/similar_traces", scope, **asked)
    return Similar(
        tuple(SimilarDay(**row) for row in days), tuple(row["trace_id"] for row in newest)
    )


def last_good(database: Store, trace_id: str, scope: Scope) -> str | None:
    """The newest trace of a period that did the same kind of task well; None without one.

    The same kind: the same agent, the same name, the same first tool.
    """
    rows = answer(database, "incident/last_good", scope, trace_id=trace_id)
    return rows[0]["trace_id"] if rows else None
