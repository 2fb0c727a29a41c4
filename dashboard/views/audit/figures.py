"""Figures of accuracy: one in a box with all that belongs to it, many in a table."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard.formats import NO_VALUE, count_text
from dashboard.i18n import t
from dashboard.metric_text import (
    STATES,
    counted_text,
    definition_text,
    headline,
    interval_text,
    limit_text,
    metric_name,
    note_text,
    part_text,
    reason_text,
    value_text,
)
from metrics import Interval, Metric, State, Unit
from pipeline.vocabulary import NO_CALL

UNKNOWN: Final = "UNKNOWN"


def figures(selection: Metric, call: Metric, key: str) -> None:
    """The two rates side by side.

    Args:
        selection: Of the tool alone.
        call: Of tool and arguments.
        key: Of the place on the page.
    """
    with st.container(horizontal=True, gap="small", key=f"audit_figures_{key}"):
        for metric in (selection, call):
            _figure(metric, key)


def _figure(metric: Metric, key: str) -> None:
    with st.container(border=True, gap="xsmall", key=f"audit_{metric.key}_{key}", width=380):
        st.metric(metric_name(metric.key), headline(metric), help=definition_text(metric.key))
        st.caption(f"**{t(STATES[metric.state])}** · {note_text(metric)}")
        parts = (counted_text(metric), interval_text(metric), limit_text(metric))
        st.caption(" · ".join(part for part in parts if part is not None))
        if metric.n:
            st.caption(t("audit_weighted", part=part_text(metric)))
        for item in metric.exclusions:
            st.caption(t("audit_left_out", n=count_text(item.n), reason=reason_text(item.reason)))


def accuracy_table(rows: Sequence[Metric], parts: Mapping[str, Sequence[str]], key: str) -> None:
    """One row a figure, each with n, interval and verdict.

    Args:
        rows: The figures.
        parts: What each is of: key of a heading, and one text a row.
        key: Of the table.
    """
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(
            {
                **parts,
                "n": [metric.n for metric in rows],
                "value": [value_text(metric.value, metric.unit) for metric in rows],
                "interval": [bounds(metric.interval) for metric in rows],
                "verdict": [verdict_text(metric) for metric in rows],
            }
        ),
        key=key,
        hide_index=True,
        height="content",
        column_config={
            **{heading: text(t(heading), width="medium") for heading in parts},
            "n": number(t("audit_column_n"), width="small", format="localized"),
            "value": text(metric_name("selection_accuracy"), width=150),
            "interval": text(t("audit_column_interval"), width=130),
            "verdict": text(t("audit_column_verdict"), width="medium"),
        },
    )


def verdict_text(metric: Metric) -> str:
    """Meets, below, or not enough evidence and about how many more would settle it."""
    if metric.state is State.OK:
        return t("audit_verdict_meets")
    if metric.state is State.BAD:
        return t("audit_verdict_below")
    if metric.state is State.UNSURE and metric.n_more is not None:
        return t("audit_verdict_more", n=count_text(metric.n_more))
    return t(STATES[metric.state])


def bounds(interval: Interval | None, unit: Unit = Unit.RATE) -> str:
    """The interval under its heading; nothing without one."""
    if interval is None:
        return NO_VALUE
    return f"{value_text(interval.low, unit)} – {value_text(interval.high, unit)}"


def tool_text(tool: str) -> str:
    """The tool of a row; what no tool is in words."""
    if tool == UNKNOWN:
        return t("audit_expected_unknown")
    return t("audit_no_call") if tool == NO_CALL else tool
