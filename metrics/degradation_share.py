"""How often was a call answered in a degraded way?"""

from dataclasses import dataclass

from metrics.statements import Store, answer
from metrics.values import Scope


@dataclass(frozen=True, slots=True)
class Degradation:
    """One tool's calls by level of degradation."""

    tool_name: str
    n_calls: int
    """Executed calls."""
    n_l1: int
    """Answered by a default value: nobody is told."""
    n_l2: int
    """Answered from a cache or by a simpler tool."""
    n_l3: int
    """Handed to a person."""
    n_other: int
    """Of a level that these names do not know."""

    @property
    def share(self) -> float:
        """Degraded calls over all."""
        return (self.n_l1 + self.n_l2 + self.n_l3 + self.n_other) / self.n_calls


def degradation_share(database: Store, scope: Scope) -> tuple[Degradation, ...]:
    """Every tool that was called, most calls first; empty without calls.

    Source: S4 §3.2, three levels of degradation.
    """
    return tuple(
        Degradation(
            row["tool_name"],
            **{key: int(value) for key, value in row.items() if key.startswith("n_")},
        )
        for row in answer(database, "degradation_share", scope)
    )
