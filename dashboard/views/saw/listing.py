"""The list of recorded observations: narrowed by the address, a click opens one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from dashboard import links, queries
from dashboard.filters import range_key, zone
from dashboard.formats import count_text, number_text, time_text, zone_text
from dashboard.i18n import t
from dashboard.views.saw import queries as saw_queries
from dashboard.views.saw.text import trouble_counts, trouble_word
from dashboard.views.traces.filters import parameter
from dashboard.views.traces.search import page_of
from metrics import RangeKey
from replay_store.records import Observation
from replay_store.saw import TROUBLES, ObservationFilter

PAGE_SIZE: Final = 50
_TABLE: Final = "saw_table"
_NAMES: Final = ("tool", "intent", "has", "fact_type", "raw")


def observation_list() -> None:
    """Draw the form and the page of observations that the address asks for."""
    unbounded = _filter()
    wanted = _within_range(unbounded)
    _form(wanted)
    _fact_chip(wanted)
    n = saw_queries.count(wanted)
    if n == 0:
        st.info(t("saw_nothing"), icon=":material/filter_alt:")
    else:
        page = page_of(parameter("page"), n, PAGE_SIZE)
        found = saw_queries.find(wanted, PAGE_SIZE, page.offset)
        _bar(page.number, page.n_pages, (page.first, page.last, n))
        _table(found, zone())
    n_all = n if wanted == unbounded else saw_queries.count(unbounded)
    if n_all > n:
        st.caption(t("saw_outside", n=count_text(n_all), shown=count_text(n)))


def _filter() -> ObservationFilter:
    has = parameter("has")
    return ObservationFilter(
        tool_name=parameter("tool"),
        intent=parameter("intent"),
        has=has if has in TROUBLES else None,
        fact_type=parameter("fact_type"),
        raw_value=parameter("raw"),
    )


def _within_range(wanted: ObservationFilter) -> ObservationFilter:
    chosen = range_key()
    scope = queries.scope(chosen)
    if scope is None or chosen is RangeKey.ALL:
        return wanted
    return replace(wanted, start_time_ns=scope.start_time_ns, end_time_ns=scope.end_time_ns)


def _form(wanted: ObservationFilter) -> None:
    choices = saw_queries.choices()
    counts = saw_queries.troubles(wanted)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="saw_filters"):
        _choice("tool", t("filter_tool"), choices.tool_names, wanted.tool_name)
        _choice("intent", t("saw_intent"), choices.intents, wanted.intent)
        _has(counts, wanted.has)
        if any(parameter(name) for name in _NAMES):
            st.button(
                t("filter_clear"),
                icon=":material/filter_alt_off:",
                key="saw_clear",
                type="tertiary",
                on_click=_clear,
            )


def _choice(name: str, label: str, options: Sequence[str], chosen: str | None) -> None:
    key = f"saw_{name}"
    known = options if chosen is None or chosen in options else (*options, chosen)

    def changed() -> None:
        links.set_parameter("page", None)
        links.set_parameter(name, st.session_state[key])

    st.session_state[key] = chosen or ""
    st.selectbox(
        label,
        ("", *known),
        key=key,
        format_func=lambda option: option or t("filter_any"),
        on_change=changed,
        width=190,
    )


def _has(counts: dict[str, int], chosen: str | None) -> None:
    """Troubles with how many observations show them: a click narrows, another one lets go."""
    key = "saw_has"

    def changed() -> None:
        links.set_parameter("page", None)
        links.set_parameter("has", st.session_state[key])

    st.session_state[key] = chosen
    st.pills(
        t("saw_has"),
        TROUBLES,
        key=key,
        format_func=lambda name: f"{trouble_word(name)} {count_text(counts[name])}",
        on_change=changed,
    )


def _fact_chip(wanted: ObservationFilter) -> None:
    """Which fact the list is narrowed to; only links from other pages do that."""
    if wanted.fact_type is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", border=True):
        st.badge(t("saw_with_fact"), icon=":material/filter_alt:", color="blue")
        st.text(wanted.fact_type)
        if wanted.raw_value is not None:
            st.caption(t("saw_read_from"), width="content")
            st.code(wanted.raw_value, language=None)


def _bar(number: int, n_pages: int, shown: tuple[int, int, int]) -> None:
    first, last, n = shown
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.caption(
            t("saw_page", first=count_text(first), last=count_text(last), n=count_text(n)),
            width="content",
        )
        with st.container(horizontal=True, horizontal_alignment="right", gap="small"):
            _turn("previous", ":material/chevron_left:", number - 1, is_off=number <= 1)
            _turn("next", ":material/chevron_right:", number + 1, is_off=number >= n_pages)


def _turn(which: str, icon: str, to: int, *, is_off: bool) -> None:
    st.button(
        t("page_previous") if which == "previous" else t("page_next"),
        icon=icon,
        key=f"saw_page_{which}",
        disabled=is_off,
        on_click=links.set_parameter,
        args=("page", str(to)),
    )


def _table(found: Sequence[Observation], in_zone: ZoneInfo) -> None:
    def chosen() -> None:
        cells = st.session_state[_TABLE].selection.cells
        if cells and cells[0][0] < len(found):
            seen = found[cells[0][0]]
            links.go_to("saw", trace_id=seen.trace_id, span=seen.span_id)

    newest = found[0].time_ns or 0
    text = st.column_config.TextColumn
    st.dataframe(
        _frame(found, in_zone),
        key=_TABLE,
        hide_index=True,
        on_select=chosen,
        selection_mode="single-cell",
        height="content" if len(found) <= 12 else 560,
        column_config={
            "time": text(t("column_start", zone=zone_text(in_zone, newest)), width=176),
            "tools": text(t("saw_tools"), width=240),
            "intent": text(t("saw_intent"), width=150),
            "entity": text(t("saw_about"), width=190),
            "facts": st.column_config.NumberColumn(t("saw_facts"), width=60),
            "confidence": text(t("saw_mean_confidence"), width=124),
            "has": text(t("saw_has"), width="medium"),
            "rules": text(t("saw_rules"), width=100),
            "trace": text(t("fact_trace_id"), width=112),
        },
    )


def _frame(found: Sequence[Observation], in_zone: ZoneInfo) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "time": [time_text(seen.time_ns, in_zone) for seen in found],
            "tools": [", ".join(seen.tool_names) for seen in found],
            "intent": [seen.intent or "" for seen in found],
            "entity": [seen.primary_entity or "" for seen in found],
            "facts": [seen.n_cells for seen in found],
            "confidence": [number_text(seen.mean_confidence) for seen in found],
            "has": [_troubles(seen) for seen in found],
            "rules": [seen.rule_version or "" for seen in found],
            "trace": [seen.trace_id[:12] for seen in found],
        }
    )


def _troubles(seen: Observation) -> str:
    """What an observation has, in words with counts; empty when nothing."""
    counts = trouble_counts(seen)
    return " · ".join(f"{trouble_word(name)} {count_text(n)}" for name, n in counts.items() if n)


def _clear() -> None:
    for name in (*_NAMES, "page"):
        links.set_parameter(name, None)
