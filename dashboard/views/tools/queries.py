"""What the Tools page asks, all of one tool."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

import metrics
from dashboard import queries, runtime
from dashboard.promises import day_offset_ns
from dashboard.queries import StoreKey
from metrics import (
    AccuracyOf,
    AfterError,
    ConfusablePair,
    Degradation,
    ErrorClass,
    KeyHonesty,
    Metric,
    Point,
    QuotaUse,
    RetryKinds,
    Scope,
    Thresholds,
    ToolRow,
)
from metrics.alerts import Deploy, deploys
from metrics.statements import Store
from pipeline.contracts import Finding, lint_contracts
from replay_store.offered import offered_contracts

_THREADS: Final = 4
"""Questions asked at a time: planning each takes longer than reading rollups."""
_DRAWN: Final = (
    "selection_accuracy",
    "latency_p95_call",
    "latency_p95_attempt",
    "retry_rate",
    "retry_success_rate",
    "guard_hits",
)
"""The metrics of the cards, by key: only these are asked over time."""


@dataclass(frozen=True, slots=True)
class ToolReport:
    """One tool in one period."""

    scope: Scope
    accuracy: Metric
    call: Metric
    attempt: Metric
    retry: Metric
    success: Metric
    guard: Metric
    trends: dict[str, tuple[Point, ...]]
    """By metric key."""
    versions: tuple[AccuracyOf, ...]
    pairs: tuple[ConfusablePair, ...]
    """Tools that it is taken for, or the other way round."""
    errors: tuple[ErrorClass, ...]
    after: tuple[AfterError, ...]
    retries: tuple[RetryKinds, ...]
    callers: tuple[QuotaUse, ...]
    degradation: Degradation | None
    keys: KeyHonesty | None
    deploys: tuple[Deploy, ...]
    """Versions of its contract, by first sight."""


def tools(scope: Scope) -> tuple[ToolRow, ...]:
    """Every tool of a period, most calls first."""
    return _tools(queries.store_key(), scope)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _tools(store: StoreKey, scope: Scope) -> tuple[ToolRow, ...]:
    return metrics.tool_table(_answers(store, scope), scope)


@st.cache_resource(ttl=600, max_entries=4, show_spinner=False)
def _answers(store: StoreKey, scope: Scope) -> Store:
    """What was asked of all tools, or of one, is not asked again for another."""
    return metrics.best_of(queries.database(), scope)


def findings(tool_name: str) -> tuple[Finding, ...]:
    """What is wrong with a tool's contract as a model was last offered it; empty for none seen."""
    return tuple(found for found in _findings(queries.store_key()) if found.tool == tool_name)


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _findings(store: StoreKey) -> tuple[Finding, ...]:
    return lint_contracts(offered_contracts(queries.database()), seen_only=True)


def tool_report(scope: Scope, tool_name: str) -> ToolReport:
    """Everything about one tool in a period."""
    settings = runtime.current().settings
    offset = day_offset_ns(ZoneInfo(settings.time_zone), scope.end_time_ns)
    narrow = replace(scope, tool_name=tool_name)
    return _tool_report(queries.store_key(), narrow, settings.thresholds, offset)


@st.cache_data(ttl=600, max_entries=64, show_spinner=False)
def _tool_report(
    store: StoreKey, scope: Scope, thresholds: Thresholds, day_offset: int
) -> ToolReport:
    database, source = _answers(store, replace(scope, tool_name=None)), metrics.LabelSource.AUDIT
    with ThreadPoolExecutor(_THREADS) as pool:
        ask = pool.submit
        call = ask(metrics.latency_p95_call, database, scope, thresholds)
        attempt = ask(metrics.latency_p95_attempt, database, scope, thresholds)
        retries = ask(metrics.retry_rate, database, scope, thresholds)
        guard = ask(metrics.guard_hits, database, scope, thresholds)
        accuracy = ask(metrics.selection_accuracy, database, scope, source, thresholds)
        versions = ask(metrics.accuracy_by, database, scope, source, thresholds)
        confusion = ask(metrics.confusion, database, scope)
        errors = ask(metrics.error_classes, database, scope)
        after = ask(metrics.after_error, database, scope)
        kinds = ask(metrics.retry_kinds, database, scope)
        promises = thresholds.promises
        callers = ask(metrics.quota_used, database, scope, promises, day_offset_ns=day_offset)
        degradation = ask(metrics.degradation_share, database, scope)
        keys = ask(metrics.idempotency_honesty, database, scope)
        seen = ask(deploys, database, scope)
        trends = {key: ask(metrics.trend, database, key, scope) for key in _DRAWN}
    return ToolReport(
        scope=scope,
        accuracy=accuracy.result().selection,
        call=call.result(),
        attempt=attempt.result(),
        retry=retries.result().rate,
        success=retries.result().success,
        guard=guard.result().hits,
        trends={key: trend.result() for key, trend in trends.items()},
        versions=tuple(
            item for item in versions.result() if item.subject.tool_name == scope.tool_name
        ),
        pairs=confusion.result().pairs,
        errors=errors.result(),
        after=after.result(),
        retries=kinds.result(),
        callers=callers.result(),
        degradation=next(iter(degradation.result()), None),
        keys=next(iter(keys.result()), None),
        deploys=tuple(
            item
            for item in seen.result()
            if item.kind == "contract" and item.name == scope.tool_name
        ),
    )
