"""What the Tools page asks, all of one tool."""

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
from pipeline.contracts import Finding, lint_contracts
from replay_store.offered import offered_contracts

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
    return metrics.tool_table(metrics.best_of(queries.database(), scope), scope)


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
    database, source = metrics.best_of(queries.database(), scope), metrics.LabelSource.AUDIT
    retries = metrics.retry_rate(database, scope, thresholds)
    seen = deploys(database, scope)
    return ToolReport(
        scope=scope,
        accuracy=metrics.selection_accuracy(database, scope, source, thresholds).selection,
        call=metrics.latency_p95_call(database, scope, thresholds),
        attempt=metrics.latency_p95_attempt(database, scope, thresholds),
        retry=retries.rate,
        success=retries.success,
        guard=metrics.guard_hits(database, scope, thresholds).hits,
        trends={key: metrics.trend(database, key, scope) for key in _DRAWN},
        versions=tuple(
            item
            for item in metrics.accuracy_by(database, scope, source, thresholds)
            if item.subject.tool_name == scope.tool_name
        ),
        pairs=metrics.confusion(database, scope).pairs,
        errors=metrics.error_classes(database, scope),
        after=metrics.after_error(database, scope),
        retries=metrics.retry_kinds(database, scope),
        callers=metrics.quota_used(database, scope, thresholds.promises, day_offset_ns=day_offset),
        degradation=next(iter(metrics.degradation_share(database, scope)), None),
        keys=next(iter(metrics.idempotency_honesty(database, scope)), None),
        deploys=tuple(
            item for item in seen if item.kind == "contract" and item.name == scope.tool_name
        ),
    )
