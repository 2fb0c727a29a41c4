"""Does the model do what an error advises? And does it mend its arguments?"""

from dataclasses import dataclass
from typing import Final

from metrics.intervals import wilson
from metrics.statements import Row, Store, answer
from metrics.values import Interval, Scope

_FOLLOWS: Final = {
    "INVALID_ARGUMENT": ("n_corrected",),
    "NOT_FOUND": ("n_other_tool",),
    "PERMISSION": ("n_none", "n_other_tool"),
    "AUTH": ("n_none", "n_other_tool"),
    "TOO_LARGE": ("n_corrected",),
}
"""What each class advises: mend the argument; search first; stop and say so; narrow it down. A
timeout leaves it open."""


@dataclass(frozen=True, slots=True)
class AfterError:
    """What came after the failed calls of one tool with one error class."""

    tool_name: str
    error_type: str | None
    """None when nothing names it."""
    n: int
    """Failed calls with a turn after them."""
    n_none: int
    """No call: the model answered."""
    n_repeated: int
    """The same call with the same arguments."""
    n_corrected: int
    """The same tool with other arguments."""
    n_corrected_ok: int
    """Of these, those that then ended ok: the model mended its arguments."""
    n_other_tool: int
    n_followed: int | None
    """Those that did what the class advises; None where it advises nothing."""
    followed: Interval | None
    """Where the share that follows lies (Wilson); None where nothing is advised."""

    @property
    def follow_rate(self) -> float | None:
        """n_followed over n; None where the class advises nothing."""
        return None if self.n_followed is None else self.n_followed / self.n


def after_error(database: Store, scope: Scope) -> tuple[AfterError, ...]:
    """By error class and tool; empty without failed calls that were followed by a turn.

    Source: S3 §3.3, each class with the step it expects of the model.
    """
    return tuple(_after(row) for row in answer(database, "after_error", scope))


def _after(row: Row) -> AfterError:
    counts = {key: int(value) for key, value in row.items() if key.startswith("n")}
    advised = _FOLLOWS.get(row["error_type"])
    n_followed = None if advised is None else sum(counts[key] for key in advised)
    n = counts["n"]
    return AfterError(
        tool_name=row["tool_name"],
        error_type=row["error_type"] or None,
        n_followed=n_followed,
        followed=None if n_followed is None else wilson(n_followed / n, n),
        **counts,
    )
