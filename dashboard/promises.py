"""What contract files promise, for the figures that are judged by it, and how far quotas are used."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from metrics import DAY_NS, Promise, QuotaUse, Scope, Thresholds, quota_used
from metrics.statements import Store

__all__ = ["day_offset_ns", "promises_in", "quotas_today"]

_NS: Final = 10**9


def promises_in(folder: Path) -> tuple[Promise, ...]:
    """The SLA and the daily quotas of each contract in a folder, by name; contracts without are left out.

    Raises:
        ContractError: The folder holds no contracts, or one that cannot be read; names the file.
    """
    from pipeline.contracts import read_contracts

    found = (
        Promise(
            contract.name,
            contract.sla_p95_ms,
            contract.quotas.per_day,
            contract.quotas.caller_per_day,
        )
        for contract in read_contracts(folder).values()
    )
    return tuple(item for item in found if item.has_quota or item.p95_ms is not None)


def day_offset_ns(zone: ZoneInfo, at_ns: int) -> int:
    """How far a zone is ahead of UTC at a moment: where the days of quotas begin."""
    offset = datetime.fromtimestamp(at_ns // _NS, zone).utcoffset()
    return 0 if offset is None else round(offset.total_seconds()) * _NS


def quotas_today(
    database: Store, scope: Scope, thresholds: Thresholds, zone: ZoneInfo
) -> tuple[QuotaUse, ...]:
    """How the daily quotas stand on the newest day of a scope, the most used first; empty without any."""
    promises = [item for item in thresholds.promises if item.has_quota]
    if not promises:
        return ()
    offset = day_offset_ns(zone, scope.end_time_ns)
    last = scope.end_time_ns - 1
    start = max(scope.start_time_ns, last - (last + offset) % DAY_NS)
    found = quota_used(
        database, replace(scope, start_time_ns=start), promises, day_offset_ns=offset
    )
    return tuple(use for use in found if use.daily_quota is not None)
