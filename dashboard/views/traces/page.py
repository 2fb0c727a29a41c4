"""Traces: find one by id, or list those that a search or a figure names."""

from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from dashboard import links, queries
from dashboard.filters import range_key, zone
from dashboard.formats import count_text, duration_text, time_text, zone_text
from dashboard.i18n import t
from dashboard.search_language import SearchError
from dashboard.views.empty import empty_store
from dashboard.views.figure_chip import figure_chip
from dashboard.views.live import live_header
from dashboard.views.loading import still_loading
from dashboard.views.removed import removed_note
from dashboard.views.status import status_cell
from dashboard.views.traces.chips import count_chips
from dashboard.views.traces.export import MAX_ROWS, traces_csv
from dashboard.views.traces.filters import form, parameter
from dashboard.views.traces.search import Search, page_of, search
from dashboard.views.traces.text import text_results
from metrics import RangeKey
from replay_store.errors import EngineTooMuchError
from replay_store.reader import TraceFilter
from replay_store.records import Trace

PAGE_SIZE: Final = 50
_TABLE: Final = "traces_table"


def render() -> None:
    """Draw the form and the page of traces that the address asks for; one that names a trace opens it."""
    if st.query_params.get("trace_id"):
        st.switch_page(links.page("trace"), query_params=st.query_params.to_dict())
    live_header(t("page_traces"))
    if still_loading():
        return
    if queries.is_empty():
        empty_store()
        return
    form()
    chosen = range_key()
    is_bounded = chosen is not RangeKey.ALL
    try:
        wanted = search(parameter, queries.scope(chosen), is_bounded=is_bounded)
    except SearchError as error:
        st.error(t("filter_unreadable"), icon=":material/filter_alt_off:")
        st.code(str(error), language=None, wrap_lines=True)
        return
    figure_chip(wanted.figure, wanted.stretch)
    if wanted.words:
        text_results(wanted.words, wanted.trace_filter, _page)
    elif queries.count_traces(wanted.trace_filter):
        _page(wanted.trace_filter)
        _outside_range(wanted, queries.count_traces(wanted.trace_filter))
    else:
        _nothing(wanted)


def _page(trace_filter: TraceFilter) -> None:
    """One page of what passes a filter; nothing when nothing does."""
    n = queries.count_traces(trace_filter)
    if not n:
        st.info(t("traces_nothing"), icon=":material/filter_alt:")
        return
    page = page_of(parameter("page"), n, PAGE_SIZE)
    found = queries.find_traces(trace_filter, PAGE_SIZE, page.offset)
    chips = st.container(key="traces_chips")
    _bar(page.number, page.n_pages, page.first, page.last, n, trace_filter)
    _table(found, zone())
    with chips:  # counted last: in a large store the list is there before its counts are
        count_chips(trace_filter)


def _nothing(wanted: Search) -> None:
    if wanted.text is not None:
        st.warning(t("search_nothing"), icon=":material/search_off:")
        st.code(wanted.text, language=None)
        removed = queries.removed_trace(wanted.text)
        if removed is None:
            st.markdown(t("trace_unknown_body"))
        else:
            removed_note(removed)
        return
    st.info(t("traces_nothing"), icon=":material/filter_alt:")
    _outside_range(wanted, 0)


def _outside_range(wanted: Search, n: int) -> None:
    """Say so when a time range hides traces that pass everything else."""
    if wanted.unbounded is None:
        return
    try:
        n_all = queries.count_traces(wanted.unbounded)
    except EngineTooMuchError:  # a cluster of which only periods are read
        return
    if n_all > n:
        st.caption(t("traces_outside", n=count_text(n_all), shown=count_text(n)))


def _bar(
    number: int, n_pages: int, first: int, last: int, n: int, trace_filter: TraceFilter
) -> None:
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.caption(
            t("traces_page", first=count_text(first), last=count_text(last), n=count_text(n)),
            width="content",
        )
        with st.container(
            horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"
        ):
            _turn("previous", ":material/chevron_left:", number - 1, is_off=number <= 1)
            _turn("next", ":material/chevron_right:", number + 1, is_off=number >= n_pages)
            _export(trace_filter, n)


def _turn(which: str, icon: str, to: int, *, is_off: bool) -> None:
    st.button(
        t("page_previous") if which == "previous" else t("page_next"),
        icon=icon,
        key=f"page_{which}",
        disabled=is_off,
        on_click=links.set_parameter,
        args=("page", str(to)),
    )


def _export(trace_filter: TraceFilter, n: int) -> None:
    in_zone = zone()
    st.download_button(
        t("export_csv"),
        data=lambda: traces_csv(queries.find_traces(trace_filter, MAX_ROWS, 0), in_zone),
        file_name="traces.csv",
        mime="text/csv",
        icon=":material/download:",
        key="export_csv",
        on_click="ignore",
        help=t("export_help", n=count_text(min(n, MAX_ROWS)), total=count_text(n)),
    )


def _table(found: Sequence[Trace], in_zone: ZoneInfo) -> None:
    def chosen() -> None:
        cells = st.session_state[_TABLE].selection.cells
        if cells and cells[0][0] < len(found):
            links.go_to("trace", trace_id=found[cells[0][0]].trace_id)

    newest = next((x.start_time_ns for x in found if x.start_time_ns is not None), None)
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        _frame(found, in_zone),
        key=_TABLE,
        hide_index=True,
        height="content",
        row_height=32,
        on_select=chosen,
        selection_mode="single-cell",
        column_config={
            "start": text(t("column_start", zone=zone_text(in_zone, newest)), width=172),
            "status": text(t("column_status"), width=82),
            "name": text(t("column_trace_name"), width=180),
            "agent": text(t("fact_agent"), width=120),
            "id": text(t("fact_trace_id"), width=112),
            "duration": text(t("fact_duration"), width=80),
            "steps": text(t("fact_steps"), width=58),
            "calls": number(t("column_calls"), width=58),
            "errors": number(t("column_errors"), width=62),
            "retries": number(t("fact_retries"), width=66),
            "tokens": text(t("column_tokens"), width=100),
        },
    )


def _frame(found: Sequence[Trace], in_zone: ZoneInfo) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "start": [time_text(trace.start_time_ns, in_zone) for trace in found],
            "status": [status_cell(trace.status) for trace in found],
            "name": [trace.name or "" for trace in found],
            "agent": [trace.agent_name or trace.service_name or "" for trace in found],
            "id": [trace.trace_id[:12] for trace in found],
            "duration": [duration_text(trace.duration_ns) for trace in found],
            "steps": [count_text(trace.n_steps) for trace in found],
            "calls": _counts([trace.n_tool_calls for trace in found]),
            "errors": _counts([trace.n_tool_errors for trace in found]),
            "retries": _counts([trace.n_retries for trace in found]),
            "tokens": [_tokens(trace) for trace in found],
        }
    )


def _counts(counts: Sequence[int | None]) -> pd.Series:
    """Whole numbers, empty where the spans do not show one."""
    return pd.Series(counts, dtype="Int64")


def _tokens(trace: Trace) -> str:
    if trace.input_tokens is None and trace.output_tokens is None:
        return t("not_visible")
    return f"{count_text(trace.input_tokens)} → {count_text(trace.output_tokens)}"
