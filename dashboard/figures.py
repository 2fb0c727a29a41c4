"""The figure that an address names: which metric, which part of it, in which period."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from dashboard.filters import Span, bucket
from metrics import DEFINITIONS, Part, Scope

_KEYS: Final = tuple(known.key for known in DEFINITIONS)
_PARTS: Final = tuple(part.value for part in Part)


@dataclass(frozen=True, slots=True)
class Figure:
    """One part of one metric in one period."""

    metric: str
    part: Part
    scope: Scope
    bucket: Span | None
    """The stretch of a trend that was chosen; None for the whole range."""


def figure(parameter: Callable[[str], str | None], scope: Scope | None) -> Figure | None:
    """The figure that the address spells; None when it names none that exists.

    Args:
        parameter: Reads one part of the address.
        scope: The period of the page; None while the store holds no time.
    """
    metric, part = parameter("metric"), parameter("part") or Part.DENOMINATOR.value
    if scope is None or metric not in _KEYS or part not in _PARTS:
        return None
    chosen = bucket()
    period = replace(scope, tool_name=parameter("tool"), agent_name=parameter("agent"))
    if chosen is not None:
        period = replace(
            period,
            start_time_ns=max(scope.start_time_ns, chosen.start_time_ns),
            end_time_ns=min(scope.end_time_ns, chosen.end_time_ns),
        )
    return Figure(metric, Part(part), period, chosen)
