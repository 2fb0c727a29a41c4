"""Traces with the same fault, by day and version; the last good one; two side by side."""

from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from dashboard import links, queries
from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, duration_text, moment, time_text, zone_text
from dashboard.i18n import language, t
from dashboard.incident_text import hint_text
from dashboard.views.status import status_cell
from dashboard.views.trace import queries as trace_queries
from metrics import DAY_NS
from metrics.incident import Diagnosis, Similar
from replay_store.records import Trace

__all__ = ["similar_traces"]

_ROW_HEIGHT: Final = 32


def similar_traces(trace: Trace, diagnosis: Diagnosis) -> None:
    """Draw what is like a trace, and what did the same well."""
    _last_good(trace)
    hint = diagnosis.signature
    if hint is None:
        st.caption(t("similar_no_sign"))
        return
    found = trace_queries.similar(trace, hint)
    with st.container(horizontal=True, gap="small", key="similar_head"):
        st.caption(t("similar_head", n=count_text(found.n)), width="content")
        st.text(hint_text(hint, language()), width="content")
    if found.days:
        _days(found)
    _newest(found, zone())


def _last_good(trace: Trace) -> None:
    good = trace_queries.last_good(trace)
    if good is None:
        st.caption(t("similar_no_good"))
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="similar_good"
    ):
        st.caption(t("similar_good"), width="content")
        links.page_link("trace", good, icon=":material/check_circle:", trace_id=good)
        _beside_link(trace.trace_id, good)


def _beside_link(trace_id: str, other: str) -> None:
    links.page_link(
        "trace",
        t("beside_open"),
        icon=":material/compare_arrows:",
        trace_id=trace_id,
        **{"with": other},
    )


def _days(found: Similar) -> None:
    in_zone = ZoneInfo("UTC")
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(
            {
                "day": [moment(day.day * DAY_NS, in_zone).date().isoformat() for day in found.days],
                "version": [day.version or NO_VALUE for day in found.days],
                "n": [day.n for day in found.days],
                "failed": [day.n_failed for day in found.days],
            }
        ),
        key="similar_days",
        hide_index=True,
        height="content" if len(found.days) <= 8 else 300,
        width=520,
        column_config={
            "day": text(t("similar_day"), width=110),
            "version": text(t("similar_version"), width=150),
            "n": number(t("similar_n"), width=90),
            "failed": number(t("similar_failed"), width=90),
        },
    )


def _newest(found: Similar, in_zone: ZoneInfo) -> None:
    if not found.trace_ids:
        return
    traces = queries.traces(found.trace_ids)

    def chosen() -> None:
        cells = st.session_state["similar_newest"].selection.cells
        if cells and cells[0][0] < len(traces):
            links.go_to("trace", trace_id=traces[cells[0][0]].trace_id)

    newest = next((each.start_time_ns for each in traces), None)
    text = st.column_config.TextColumn
    st.caption(t("similar_newest"))
    st.dataframe(
        pd.DataFrame(
            {
                "start": [time_text(each.start_time_ns, in_zone) for each in traces],
                "status": [status_cell(each.status) for each in traces],
                "name": [each.name or "" for each in traces],
                "duration": [duration_text(each.duration_ns) for each in traces],
                "id": [each.trace_id for each in traces],
            }
        ),
        key="similar_newest",
        hide_index=True,
        height="content",
        row_height=_ROW_HEIGHT,
        on_select=chosen,
        selection_mode="single-cell",
        column_config={
            "start": text(t("column_start", zone=zone_text(in_zone, newest)), width=172),
            "status": text(t("column_status"), width=90),
            "name": text(t("column_trace_name"), width=200),
            "duration": text(t("fact_duration"), width=90),
            "id": text(t("fact_trace_id"), width=260),
        },
    )
