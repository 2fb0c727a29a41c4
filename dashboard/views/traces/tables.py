"""The tables beneath a waterfall: tool calls, noise log, log records."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from dashboard import queries
from dashboard.formats import count_text, duration_text, line_text, time_text
from dashboard.i18n import t
from dashboard.views.status import status_cell
from dashboard.views.trace import queries as trace_queries
from dashboard.views.trace.queries import Calls
from dashboard.views.trace.span_panel import noise_table
from replay_store.records import SpanLog, ToolCall

OpenSpan = Callable[[object], None]


def trace_tables(
    trace_id: str, zone: ZoneInfo, open_span: OpenSpan, similar: Callable[[], None]
) -> None:
    """Draw the tables as tabs; a chosen row opens its span. What is similar is asked when looked at.

    Noise comes first where there was any. Source: S0 §3.3: a wrong answer is looked up there first.
    """
    calls = trace_queries.calls(trace_id)
    noise = queries.noise(trace_id)
    logs = queries.logs(trace_id)
    labels = {
        "calls": t("tab_calls", n=calls.n),
        "noise": t("tab_noise", n=len(noise)),
        "logs": t("tab_logs", n=len(logs)),
        "similar": t("tab_similar"),
    }
    first = ("noise", "calls") if noise else ("calls", "noise")
    order = (*first, "similar", "logs")
    drawn = st.tabs([labels[name] for name in order], key="trace_tables", on_change="rerun")
    tabs = dict(zip(order, drawn, strict=True))
    if tabs["similar"].open:
        with tabs["similar"]:
            similar()
    with tabs["calls"]:
        _calls(trace_id, calls, open_span)
    with tabs["noise"]:
        if noise:
            noise_table(noise, key=f"noise_{trace_id}")
        else:
            st.caption(t("noise_none"))
    with tabs["logs"]:
        _logs(trace_id, logs, zone)


def _calls(trace_id: str, found: Calls, open_span: OpenSpan) -> None:
    calls = found.first
    if not calls:
        st.caption(t("calls_none"))
        return
    key = f"calls_{trace_id}"

    def chosen() -> None:
        cells = st.session_state[key].selection.cells
        if cells and cells[0][0] < len(calls):
            call = calls[cells[0][0]]
            open_span(call.span_id or call.llm_span_id)

    text = st.column_config.TextColumn
    if found.n > len(calls):
        st.caption(t("calls_cut", n=count_text(len(calls)), total=count_text(found.n)))
    else:
        st.caption(t("calls_hint"))
    st.dataframe(
        _calls_frame(calls),
        key=key,
        hide_index=True,
        on_select=chosen,
        selection_mode="single-cell",
        height="content" if len(calls) <= 12 else 460,
        column_config={
            "number": st.column_config.NumberColumn("#", width=40),
            "tool": text(t("call_tool")),
            "status": text(t("column_status")),
            "duration": text(t("fact_duration")),
            "attempts": st.column_config.NumberColumn(t("call_attempts"), width="small"),
            "retry": text(t("call_retry")),
            "error": text(t("call_error")),
            "arguments": text(t("span_arguments"), width="medium"),
            "result": text(t("span_result"), width="medium"),
        },
    )


def _calls_frame(calls: list[ToolCall]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "number": [call.call_index + 1 for call in calls],
            "tool": [call.tool_name for call in calls],
            "status": [status_cell(call.status) for call in calls],
            "duration": [duration_text(call.duration_ns) for call in calls],
            "attempts": [call.n_attempts for call in calls],
            "retry": [_retry(call) for call in calls],
            "error": [_error(call) for call in calls],
            "arguments": [call.arguments_preview or "" for call in calls],
            "result": [call.result_preview or "" for call in calls],
        }
    )


def _retry(call: ToolCall) -> str:
    if call.retry_of is None:
        return ""
    return t("call_retry_of", number=call.retry_of + 1)


def _error(call: ToolCall) -> str:
    parts = [part for part in (call.error_type, call.error_message) if part]
    return ": ".join(parts)


def _logs(trace_id: str, logs: list[SpanLog], zone: ZoneInfo) -> None:
    if not logs:
        st.caption(t("logs_none"))
        return
    text = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame(
            {
                "time": [time_text(log.time_ns or log.observed_time_ns, zone) for log in logs],
                "severity": [log.severity_text or "" for log in logs],
                "event": [log.event_name or "" for log in logs],
                "body": [line_text(log.body) for log in logs],
                "attributes": [line_text(log.attributes) for log in logs],
                "span": [log.span_id or "" for log in logs],
            }
        ),
        key=f"logs_{trace_id}",
        hide_index=True,
        column_config={
            "time": text(t("column_time")),
            "severity": text(t("column_severity")),
            "event": text(t("column_event")),
            "body": text(t("column_body"), width="large"),
            "attributes": text(t("column_attributes")),
            "span": text(t("fact_span_id")),
        },
    )
