"""The search form of the Traces page, and the filter that its address spells."""

from collections.abc import Sequence

import streamlit as st

from dashboard import links, queries
from dashboard.i18n import t
from dashboard.views.status import KNOWN_STATUSES, status_word

_MAX_CHARS = 300
"""Longer values in an address are cut: no name in a store is that long."""
NAMES = ("tool", "error", "status", "agent")
"""The form's parts, as the address names them."""


def parameter(name: str) -> str | None:
    """One part of the address, trimmed; None when it is absent or empty."""
    value = st.query_params.get(name, "").strip()[:_MAX_CHARS]
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
        if any(parameter(name) for name in (*NAMES, "q")):
            st.button(
                t("filter_clear"),
                icon=":material/filter_alt_off:",
                key="filter_clear",
                type="tertiary",
                on_click=_clear,
            )


def _search() -> None:
    key = "filter_q"

    def changed() -> None:
        text = str(st.session_state[key]).strip()[:_MAX_CHARS]
        links.set_parameter("page", None)
        found = queries.resolve_trace_id(text) if text else []
        if len(found) == 1:
            links.go_to("trace", trace_id=found[0])
        else:
            links.set_parameter("q", text)

    st.session_state[key] = parameter("q") or ""
    st.text_input(
        t("filter_search"),
        key=key,
        placeholder=t("filter_search_placeholder"),
        icon=":material/search:",
        on_change=changed,
        width=264,
    )


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
    st.selectbox(label, ("", *known), key=key, format_func=shown, on_change=changed, width=158)


def _clear() -> None:
    for name in (*NAMES, "q", "page"):
        links.set_parameter(name, None)
