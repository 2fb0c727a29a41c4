"""The search form of the Traces page, and the filter that its address spells."""

from collections.abc import Sequence

import streamlit as st

from dashboard import links, queries
from dashboard.find_box import open_found
from dashboard.i18n import t
from dashboard.search_language import SearchError, parsed
from dashboard.views.status import KNOWN_STATUSES, status_word
from dashboard.views.traces.more import more_filters
from dashboard.views.traces.saved import saved_searches

MAX_CHARS = 1_000
"""Longer values in an address are cut: no name in a store, and no filter, is that long."""
NAMES = ("tool", "error", "status", "agent")
"""The form's lists, as the address names them."""
ALL = (*NAMES, "layer", "q", "filter")
"""Everything that a search is made of in the address: what the form writes, and the chips."""


def parameter(name: str) -> str | None:
    """One part of the address, trimmed; None when it is absent or empty."""
    value = st.query_params.get(name, "").strip()[:MAX_CHARS]
    return value or None


def form() -> None:
    """Draw the form; each part writes itself into the address when it changes."""
    choices = queries.filter_choices()
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="filters"):
        _search()
        _choice("tool", t("filter_tool"), choices.tool_names, t("filter_any"))
        _choice("error", t("filter_error"), ("any", *choices.error_types), t("filter_all"))
        _choice("status", t("filter_status"), KNOWN_STATUSES, t("filter_any"))
        _choice("agent", t("filter_agent"), choices.agent_names, t("filter_any"))
        more_filters(parameter("filter") or "")
        saved_searches(ALL)
        if any(parameter(name) for name in ALL):
            st.button(
                t("filter_clear"),
                icon=":material/filter_alt_off:",
                key="filter_clear",
                type="tertiary",
                on_click=_clear,
            )


def _search() -> None:
    """A filter; what names a trace, and has no condition in it, is found instead."""
    key = "filter_text"

    def changed() -> None:
        text = str(st.session_state[key]).strip()[:MAX_CHARS]
        links.set_parameter("page", None)
        links.set_parameter("q", None)
        found = queries.find(text) if text and not _has_conditions(text) else None
        if found is not None and found.n == 1:
            open_found(text)
        elif found is not None and found.n:
            links.set_parameter("filter", None)
            links.set_parameter("q", text)
        else:
            links.set_parameter("filter", text)

    st.session_state[key] = parameter("filter") or parameter("q") or ""
    st.text_input(
        t("filter_text"),
        key=key,
        placeholder=t("filter_text_placeholder"),
        icon=":material/search:",
        help=t("filter_text_help"),
        on_change=changed,
        width=320,
    )


def _has_conditions(text: str) -> bool:
    try:
        return bool(parsed(text).terms)
    except SearchError:
        return False


def _choice(name: str, label: str, options: Sequence[str], nothing: str) -> None:
    key = f"filter_{name}"
    chosen = parameter(name)
    known = options if chosen is None or chosen in options else (*options, chosen)

    def changed() -> None:
        links.set_parameter("page", None)
        links.set_parameter(name, st.session_state[key])

    def shown(option: str) -> str:
        if not option:
            return nothing
        if name == "status":
            return status_word(option)
        return t("filter_any_error") if (name, option) == ("error", "any") else option

    st.session_state[key] = chosen or ""
    st.selectbox(label, ("", *known), key=key, format_func=shown, on_change=changed, width=150)


def _clear() -> None:
    for name in (*ALL, "page"):
        links.set_parameter(name, None)
