"""The tables of one tool. A table without rows says so in a line."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pandas as pd
import streamlit as st

from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, minute_text, rate_text
from dashboard.i18n import t
from dashboard.metric_text import headline, note_text
from dashboard.views.quota_text import caller_text, quota_verdict
from metrics import (
    AccuracyOf,
    AfterError,
    ConfusablePair,
    ErrorClass,
    Interval,
    Metric,
    QuotaUse,
    RetryKinds,
)
from metrics.alerts import Deploy

_PREFIX: Final = "tools_column_"
Columns = Mapping[str, Callable[[Any], Any]]
"""Key of a heading, and what a cell shows of a row."""


def version_table(versions: Sequence[AccuracyOf], deploys: Sequence[Deploy]) -> None:
    """Versions of the contract: when they were seen, and how accurately they were chosen."""
    judged = {item.subject.name: item.metric for item in versions}
    in_zone = zone()
    _table(
        "versions",
        deploys,
        {
            "tools_column_version": lambda row: row.version,
            "tools_column_first": lambda row: minute_text(row.first_time_ns, in_zone),
            "tools_column_last": lambda row: minute_text(row.last_time_ns, in_zone),
            "tools_column_calls": lambda row: row.n,
            "tools_column_accuracy": lambda row: (
                headline(judged[row.version]) if row.version in judged else NO_VALUE
            ),
            "tools_column_interval": lambda row: _metric_interval(judged.get(row.version)),
            "tools_column_judged": lambda row: (
                judged[row.version].n if row.version in judged else 0
            ),
            "tools_column_verdict": lambda row: (
                note_text(judged[row.version]) if row.version in judged else NO_VALUE
            ),
        },
    )


def pair_table(pairs: Sequence[ConfusablePair]) -> None:
    """Tools that it is taken for: their contracts need a sentence on when not to use them."""
    _table(
        "pairs",
        pairs,
        {
            "tools_column_one": lambda row: row.one,
            "tools_column_other": lambda row: row.other,
            "tools_column_mixed": lambda row: row.n,
            "tools_column_needed": lambda row: row.n_needed,
            "tools_column_rate": lambda row: rate_text(row.rate),
            "tools_column_interval": lambda row: _interval(row.interval),
        },
    )


def error_table(errors: Sequence[ErrorClass], n_calls: int) -> None:
    """How it fails."""
    _table(
        "errors",
        errors,
        {
            "tools_column_class": lambda row: row.error_type or "?",
            "tools_column_calls": lambda row: row.n_calls,
            "tools_column_rate": lambda row: rate_text(row.n_calls / n_calls if n_calls else None),
            "tools_column_traces": lambda row: row.n_traces,
        },
    )


def after_table(found: Sequence[AfterError]) -> None:
    """What the model did after an error."""
    _table(
        "after",
        found,
        {
            "tools_column_class": lambda row: row.error_type or "?",
            "tools_column_failed": lambda row: row.n,
            "tools_column_followed": lambda row: rate_text(row.follow_rate),
            "tools_column_interval": lambda row: (
                NO_VALUE if row.followed is None else _interval(row.followed)
            ),
            "tools_column_repeated": lambda row: row.n_repeated,
            "tools_column_corrected": lambda row: row.n_corrected,
            "tools_column_mended": lambda row: row.n_corrected_ok,
            "tools_column_other_tool": lambda row: row.n_other_tool,
            "tools_column_answered": lambda row: row.n_none,
        },
    )


def retry_table(found: Sequence[RetryKinds]) -> None:
    """What kind of retries they were."""
    _table(
        "retries",
        found,
        {
            "tools_column_class": lambda row: row.error_type or "?",
            "tools_column_retried": lambda row: row.n_chains,
            "tools_column_tries": lambda row: row.n_retries,
            "tools_column_success": lambda row: rate_text(row.success_rate),
            "tools_column_futile": lambda row: row.n_futile,
            "tools_column_over_budget": lambda row: row.n_over_budget,
            "tools_column_explicit": lambda row: row.n_explicit,
            "tools_column_inferred": lambda row: row.n_inferred,
        },
    )


def caller_table(found: Sequence[QuotaUse]) -> None:
    """Who calls it, how often on one day, and what that is of its daily quota."""
    in_zone = zone()
    _table(
        "callers",
        found,
        {
            "tools_column_caller": caller_text,
            "tools_column_days": lambda row: row.n_days,
            "tools_column_busiest": lambda row: row.n_busiest,
            "tools_column_day": lambda row: minute_text(row.busiest_day_ns, in_zone)[:10],
            "tools_column_newest": lambda row: row.n_newest,
            "tools_column_quota": lambda row: count_text(row.daily_quota),
            "tools_column_share": lambda row: rate_text(row.share),
            "tools_column_projected": lambda row: (
                NO_VALUE if row.n_projected is None else count_text(round(row.n_projected))
            ),
            "tools_column_quota_state": quota_verdict,
        },
    )


_TITLES: Final = {
    "versions": ("tools_versions", "tools_versions_none"),
    "pairs": ("tools_pairs", "tools_pairs_none"),
    "errors": ("tools_errors", "tools_errors_none"),
    "after": ("tools_after", "tools_after_none"),
    "retries": ("tools_retries", "tools_retries_none"),
    "callers": ("tools_callers", "tools_callers_none"),
}


def _table(name: str, rows: Sequence[Any], columns: Columns) -> None:
    title, none = _TITLES[name]
    st.subheader(t(title), anchor=False)
    if not rows:
        st.caption(t(none))
        return
    names = {heading: heading.removeprefix(_PREFIX) for heading in columns}
    frame = pd.DataFrame(
        {names[heading]: [cell(row) for row in rows] for heading, cell in columns.items()}
    )
    st.dataframe(
        frame,
        key=f"tools_{name}",
        hide_index=True,
        height="content",
        column_config={
            short: _config(t(heading), frame[short]) for heading, short in names.items()
        },
    )


def _config(heading: str, column: "pd.Series[Any]") -> Any:
    if pd.api.types.is_integer_dtype(column):
        return st.column_config.NumberColumn(heading, format="localized")
    return st.column_config.TextColumn(heading)


def _metric_interval(metric: Metric | None) -> str:
    return NO_VALUE if metric is None or metric.interval is None else _interval(metric.interval)


def _interval(found: Interval) -> str:
    return f"{rate_text(found.low)} – {rate_text(found.high)}"
