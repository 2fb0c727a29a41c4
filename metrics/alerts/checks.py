"""Checks that need no baseline: a canary that was not stopped, noise where none may be, and so on."""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Final

from metrics.alerts.alert import Alert, AlertKey, Cause, Severity
from metrics.alerts.canary import CanaryState
from metrics.buckets import HOUR_NS
from metrics.detect import HOURS_A_WEEK, IN_A_ROW, arrival_silence, runs
from metrics.standouts import Subject, SubjectKind
from metrics.statements import Row, Store, answer
from metrics.values import Scope, Unit

__all__ = ["Whitelist", "canaries", "degradations", "ingest_silence", "whitelisted_noise"]

Whitelist = Callable[[str | None], frozenset[str]]
"""From a user's intent to the types of facts that noise must leave alone."""

_MAX_SILENCE: Final = 1e-4
_LAST_SILENT_HOURS: Final = 48
"""Hours of silence that are looked at, at most: more say nothing more."""
_LONG_AGO: Final = 24
"""A run of degradations goes on until so many calls of the tool came without one."""


def canaries(states: Iterable[CanaryState]) -> Iterator[Alert]:
    """Rules whose newest canary got through: they run and do not bite.

    Source: S3 §7.1, a hard stop that is tested is the only one that is known to hold.
    """
    for state in states:
        if state.is_stopped:
            continue
        yield _certain(
            AlertKey("guard_canary", Subject(SubjectKind.RULE, state.rule, None)),
            Cause.CANARY_NOT_BLOCKED,
            Severity.PAGE,
            since_ns=state.time_ns,
            last_ns=state.time_ns,
            n=state.n,
            trace_id=state.trace_id,
        )


def whitelisted_noise(database: Store, scope: Scope, whitelist: Whitelist) -> Iterator[Alert]:
    """Types of facts that noise disturbed although they are critical for the intent.

    Source: S0 §3.3, the whitelist is law.
    """
    found: dict[str, list[Row]] = {}
    for row in answer(database, "series/disturbed_types", scope):
        if row["is_whitelisted"] or row["fact_type"] in whitelist(row["intent"]):
            found.setdefault(row["fact_type"], []).append(row)
    for fact_type, rows in sorted(found.items()):
        newest = max(rows, key=lambda row: row["last_time_ns"])
        yield _certain(
            AlertKey(
                "noise_on_whitelist",
                Subject(SubjectKind.VALUE, fact_type, None, fact_type),
            ),
            Cause.WHITELISTED_NOISE,
            Severity.PAGE,
            since_ns=min(int(row["first_time_ns"]) for row in rows),
            last_ns=int(newest["last_time_ns"]),
            n=sum(int(row["n"]) for row in rows),
            trace_id=newest["trace_id"],
        )


def degradations(database: Store, scope: Scope) -> Iterator[Alert]:
    """Tools of which three calls in a row were answered by a default value (L1).

    Source: S4 §3.2, three in a row are a task for operations.
    """
    rows = answer(database, "series/degradations", scope)
    for tool, group in groupby(rows, key=lambda row: row["tool_name"]):
        calls = list(group)
        for run in runs([row["degradation"] for row in calls], "L1", IN_A_ROW):
            first, last = calls[run.first], calls[run.last]
            calm = run.last + _LONG_AGO
            yield _certain(
                AlertKey("degradation", Subject(SubjectKind.TOOL, tool, tool)),
                Cause.DEGRADED_IN_A_ROW,
                Severity.TICKET,
                since_ns=int(first["start_time_ns"]),
                last_ns=int(last["start_time_ns"]),
                n=run.n,
                trace_id=last["trace_id"],
                cleared_ns=int(calls[calm]["start_time_ns"]) if calm < len(calls) else None,
            )


def ingest_silence(database: Store, scope: Scope, now_ns: int) -> Alert | None:
    """Nothing has arrived until now, in hours in which something always did.

    Args:
        database: The store.
        scope: The history that tells what is usual; it ends with the newest data.
        now_ns: The present time.
    """
    arrived = {
        int(row["hour"]): int(row["n"]) for row in answer(database, "series/arrivals", scope)
    }
    if not arrived:
        return None
    newest, first = max(arrived), min(arrived)
    silent = range(newest + 1, now_ns // HOUR_NS)[:_LAST_SILENT_HOURS]
    p_value = arrival_silence(_like(arrived, first, hour, newest) for hour in silent)
    if not silent or p_value >= _MAX_SILENCE:
        return None
    return Alert(
        key=AlertKey("ingest", None),
        cause=Cause.NOTHING_ARRIVES,
        severity=Severity.PAGE,
        since_ns=(newest + 1) * HOUR_NS,
        fired_ns=now_ns,
        last_ns=now_ns,
        cleared_ns=None,
        n=len(silent),
        value=0.0,
        unit=Unit.HITS,
        baseline=None,
        n_baseline=len(arrived),
        limit=None,
        p_value=p_value,
    )


def _like(arrived: dict[int, int], first: int, hour: int, newest: int) -> list[int]:
    """What arrived in the same hour of earlier weeks; of earlier days while those are too few."""
    weeks = _earlier(arrived, first, hour, newest, HOURS_A_WEEK)
    return weeks if len(weeks) >= 4 else _earlier(arrived, first, hour, newest, 24)


def _earlier(arrived: dict[int, int], first: int, hour: int, newest: int, step: int) -> list[int]:
    places = [place for place in range(hour - 8 * step, hour, step) if first <= place <= newest]
    return [arrived.get(place, 0) for place in places]


def _certain(
    key: AlertKey,
    cause: Cause,
    severity: Severity,
    *,
    since_ns: int,
    last_ns: int,
    n: int,
    trace_id: str | None,
    cleared_ns: int | None = None,
) -> Alert:
    return Alert(
        key=key,
        cause=cause,
        severity=severity,
        since_ns=since_ns,
        fired_ns=since_ns if cleared_ns is None else last_ns,
        last_ns=last_ns,
        cleared_ns=cleared_ns,
        n=n,
        value=None,
        unit=Unit.HITS,
        baseline=None,
        n_baseline=0,
        limit=None,
        p_value=0.0,
        trace_id=trace_id,
    )
