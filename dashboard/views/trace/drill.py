"""The spans of a trace in time, the one that is open, and the tables: parts that run again by themselves.

A browser's one thread is what a large trace waits for. So the open span and the tables come once the bars
are drawn, and a click draws the span alone.
"""

import re
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import links, queries, runtime
from dashboard.components.painted import painted
from dashboard.components.waterfall import MAX_SPANS, WaterfallRows, waterfall
from dashboard.formats import count_text, duration_text
from dashboard.i18n import t
from dashboard.views.trace import queries as trace_queries
from dashboard.views.trace.diagnosis import diagnosis_card
from dashboard.views.trace.similar import similar_traces
from dashboard.views.trace.span_panel import span_panel
from dashboard.views.trace.story import story_table
from dashboard.views.traces.tables import trace_tables
from metrics.incident import Diagnosis
from replay_store.records import Trace

__all__ = ["drill"]

_SPAN_ID: Final = re.compile(r"[0-9a-f]{16}")
_KEY: Final = "waterfall"
_SPANS, _STORY, _TABLES = "spans", "story", "tables"
"""Parts of the page, by which a click says what runs again."""
_DRAWN: Final = "trace_drawn"
"""Whether this session has seen bars: then a browser has the library of the tables."""
_PANEL_PX, _TABLES_PX = 680, 460
"""Of the places that are kept for them until then."""


def drill(trace: Trace, shown_in: ZoneInfo, named_span: str | None) -> None:
    """Draw what went wrong, the waterfall with the open span beside it, and the tables.

    Args:
        trace: Which.
        shown_in: The zone of times.
        named_span: What to open while the address names no span.
    """
    diagnosis = trace_queries.diagnosis(trace)
    diagnosis_card(trace, diagnosis, _open_span)
    rows = queries.trace_rows(trace.trace_id)
    first = _first(rows, named_span or _hinted(diagnosis))
    if trace.n_spans > MAX_SPANS:
        st.caption(t("trace_too_large", shown=count_text(MAX_SPANS), n=count_text(trace.n_spans)))
    with st.container(key="drill"):
        drawing, panel = st.columns([11, 9], gap="small")
    # Sent before the table that stands above it: of a large trace a browser draws the bars first.
    above, below = drawing.container(), drawing.container()
    _spans(trace, shown_in, first, below, panel)
    with above:
        _story(trace, diagnosis)
    _tables(trace, shown_in, diagnosis)


@st.fragment(key=_SPANS)
def _spans(
    trace: Trace, shown_in: ZoneInfo, first: int, drawing: DeltaGenerator, panel: DeltaGenerator
) -> None:
    """The waterfall, whose rows are sent in the first run only, and the open span."""
    rows, key = queries.trace_rows(trace.trace_id), f"{_KEY}_{trace.trace_id}"
    with drawing:
        _skew_note(rows)
        waterfall(
            queries.packed_rows(trace.trace_id),
            first,
            key=key,
            version=f"{trace.trace_id}-{trace.last_received_time_ns}-{trace.n_spans}",
            on_selected=lambda: _name_span(st.session_state[key].selected),
        )
    if not _are_bars_drawn():
        panel.container(height=_PANEL_PX)
        return
    with panel.container(border=True, key="span_panel"):
        span_panel(trace.trace_id, _wanted_span(rows, first), shown_in)


@st.fragment(key=_STORY)
def _story(trace: Trace, diagnosis: Diagnosis) -> None:
    marked = diagnosis.hints[0].step if diagnosis.hints else None
    steps = trace_queries.steps(trace.trace_id)
    story_table(steps, marked, _open_span, is_ready=_are_bars_drawn())


@st.fragment(key=_TABLES)
def _tables(trace: Trace, shown_in: ZoneInfo, diagnosis: Diagnosis) -> None:
    links.follow()
    if _are_bars_drawn():
        trace_tables(trace.trace_id, shown_in, _open_span, lambda: similar_traces(trace, diagnosis))
        return
    st.container(height=_TABLES_PX, border=False)
    painted(key="bars_painted", on_painted=_draw_rest)


def _are_bars_drawn() -> bool:
    """Whether this session has seen them; without a server there is no browser to wait for."""
    return runtime.current().addresses is None or bool(st.session_state.get(_DRAWN))


def _draw_rest() -> None:
    st.session_state[_DRAWN] = True
    st.rerun([_SPANS, _STORY, _TABLES])


def _skew_note(rows: WaterfallRows) -> None:
    """Say so when spans begin before their parents; nothing of spans that only end after them."""
    early = [before for _, before, _ in rows["outside"] if before]
    if early:
        most = duration_text(max(early) * 1000)
        st.caption(t("skew_note", n=count_text(len(early)), most=most))


def _first(rows: WaterfallRows, span_id: str | None) -> int:
    """The row to open first: that of a span, or what the rows say when they do not hold it."""
    if span_id is None or span_id not in rows["ids"]:
        return rows["first"]
    return rows["ids"].index(span_id)


def _hinted(diagnosis: Diagnosis) -> str | None:
    """The span of the best hint that was not recovered from."""
    best = next((hint for hint in diagnosis.hints if not hint.is_recovered), None)
    return None if best is None else best.span_id


def _wanted_span(rows: WaterfallRows, first: int) -> str | None:
    """The span that the address names, or that of the first row to open."""
    wanted = st.query_params.get("span", "")
    if _SPAN_ID.fullmatch(wanted):
        return wanted
    return rows["ids"][first] if rows["ids"] else None


def _name_span(span_id: object) -> None:
    """Put a span into the address; anything that is no span id is ignored."""
    if isinstance(span_id, str) and _SPAN_ID.fullmatch(span_id):
        st.query_params["span"] = span_id


def _open_span(span_id: object) -> None:
    """Open a span that was chosen elsewhere than in the waterfall."""
    _name_span(span_id)
    st.rerun(_SPANS)
