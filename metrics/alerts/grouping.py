"""Alerts that belong together are told as one incident."""

from collections.abc import Sequence
from typing import Final

from metrics.alerts.alert import Alert, Deploy, Incident, Severity

__all__ = ["incidents"]

_APART_NS: Final = 24 * 3_600 * 10**9
"""Alerts of one tool that start further apart, and do not overlap, are two incidents."""
_AGAIN_NS: Final = 3 * _APART_NS
"""The same figure that is odd again so soon has not recovered."""


def incidents(alerts: Sequence[Alert]) -> tuple[Incident, ...]:
    """The alerts grouped: those that share a tool or a deploy, and their time, are one incident.

    Firing ones first, pages before tickets, newest first. Every alert is in exactly one.
    """
    groups: list[list[Alert]] = []
    for alert in sorted(alerts, key=lambda item: (item.since_ns, item.key.text)):
        akin = [group for group in groups if any(_is_akin(alert, other) for other in group)]
        merged = [alert, *(other for group in akin for other in group)]
        groups = [group for group in groups if group not in akin] + [merged]
    found = [Incident(tuple(sorted(group, key=_order))) for group in _explained(groups)]
    found.sort(key=lambda item: (not item.is_firing, item.severity, -item.since_ns))
    return tuple(found)


def _explained(groups: list[list[Alert]]) -> list[list[Alert]]:
    """A figure of everything, or of a model, joins the first tool that shows the same figure."""
    owned = [group for group in groups if any(alert.key.tool_name for alert in group)]
    left = []
    for group in groups:
        if group in owned:
            continue
        home = next((other for other in owned if _explains(other, group)), None)
        (left.append(group) if home is None else home.extend(group))
    return [*owned, *left]


def _explains(tools: list[Alert], group: list[Alert]) -> bool:
    return all(
        any(
            part.key.metric == alert.key.metric and part.key.tool_name and _is_close(part, alert)
            for part in tools
        )
        for alert in group
    )


def _is_akin(one: Alert, other: Alert) -> bool:
    shares_tool = one.key.tool_name is not None and one.key.tool_name == other.key.tool_name
    shares_deploy = bool(_releases(one) & _releases(other))
    is_close = (shares_tool or shares_deploy) and _is_close(one, other)
    return is_close or (one.key == other.key and _is_soon(one, other))


def _releases(alert: Alert) -> set[Deploy]:
    return set(alert.deploys)


def _is_close(one: Alert, other: Alert) -> bool:
    ends = [alert.cleared_ns or alert.last_ns for alert in (one, other)]
    overlaps = one.since_ns <= ends[1] and other.since_ns <= ends[0]
    return overlaps or abs(one.since_ns - other.since_ns) <= _APART_NS


def _is_soon(one: Alert, other: Alert) -> bool:
    first, second = sorted((one, other), key=lambda alert: alert.since_ns)
    return second.since_ns - (first.cleared_ns or second.since_ns) <= _AGAIN_NS


def _order(alert: Alert) -> tuple[bool, bool, int, str]:
    is_ticket = alert.severity is not Severity.PAGE
    return (not alert.is_firing, is_ticket, alert.since_ns, alert.key.text)
