"""What contracts promise and what became of it, on the command line: SLAs, and quotas of today."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from dashboard.cli.report_text import amount
from dashboard.cli.tables import table
from metrics import OfTool, QuotaState, QuotaUse, State, Unit

__all__ = ["promises_text", "quota_json"]

_VERDICTS = {
    State.OK: "kept",
    State.BAD: "broken",
    State.UNSURE: "not enough evidence",
    State.NO_DATA: "not enough data",
}
_QUOTAS = {
    QuotaState.OVER: "used up",
    QuotaState.BURNING: "used up at {}",
    QuotaState.WITHIN: "lasts the day",
}
_SLA_HEADERS = ("tool", "SLA", "P95", "n", "interval", "verdict")
_QUOTA_HEADERS = ("tool", "caller", "quota", "today", "used", "by the end", "at this pace")


def promises_text(
    promised: Sequence[OfTool], uses: Sequence[QuotaUse], zone: ZoneInfo
) -> Iterable[str]:
    """The table of SLAs and the table of quotas; none of those that no contract gives rise to."""
    if promised:
        yield table(_SLA_HEADERS, [_sla(item) for item in promised])
    if uses:
        yield table(_QUOTA_HEADERS, [_quota(use, zone) for use in uses])


def quota_json(use: QuotaUse) -> dict[str, Any]:
    """One quota with what is derived of it."""
    return {
        **asdict(use),
        "share": use.share,
        "newest_share": use.newest_share,
        "n_projected": use.n_projected,
        "used_up_ns": use.used_up_ns,
        "state": use.state.value,
    }


def _sla(item: OfTool) -> Sequence[object]:
    metric = item.metric
    interval = metric.interval
    return (
        item.tool_name,
        amount(metric.threshold.limit, Unit.MS) if metric.threshold else None,
        None if metric.value is None else amount(metric.value, Unit.MS),
        metric.n,
        f"{amount(interval.low, Unit.MS)} to {amount(interval.high, Unit.MS)}"
        if interval
        else None,
        _VERDICTS[metric.state],
    )


def _quota(use: QuotaUse, zone: ZoneInfo) -> Sequence[object]:
    return (
        use.tool_name,
        "(all)" if use.is_all else use.caller or "?",
        use.daily_quota,
        use.n_newest,
        None if use.newest_share is None else amount(use.newest_share, Unit.RATE),
        None if use.n_projected is None else round(use.n_projected),
        _QUOTAS[use.state].format("" if use.used_up_ns is None else _hour(use.used_up_ns, zone)),
    )


def _hour(time_ns: int, zone: ZoneInfo) -> str:
    return datetime.fromtimestamp(time_ns // 10**9, zone).strftime("%H:%M")
