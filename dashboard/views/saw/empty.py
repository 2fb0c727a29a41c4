"""What the page shows while there is no observation: what makes one, and what there is instead."""

from typing import Final

import streamlit as st

from dashboard import links, queries
from dashboard.i18n import t
from dashboard.views.empty import empty_store
from dashboard.views.saw import queries as saw_queries

_EXAMPLE: Final = """\
from pipeline.observation import ToolOutput, observe

observation = observe([ToolOutput("order_api", "1.0", received_at, body)], context)
prompt = observation.to_prompt("concise", "zh").text\
"""


def no_observations() -> None:
    """The store holds no observation at all."""
    if queries.is_empty():
        empty_store()
        return
    st.info(t("saw_none"), icon=":material/visibility_off:")
    st.markdown(t("saw_none_body"))
    st.code(_EXAMPLE, language="python")
    trace_id = saw_queries.trace_with_raw_results()
    if trace_id is not None:
        st.markdown(t("saw_none_raw"))
        links.page_link(
            "trace", t("saw_open_trace"), icon=":material/account_tree:", trace_id=trace_id
        )


def no_observation_in_trace(trace_id: str) -> None:
    """One trace holds none; the others may."""
    st.info(t("saw_none_in_trace"), icon=":material/visibility_off:")
    st.code(trace_id, language=None)
    st.markdown(t("saw_none_body"))
    with st.container(horizontal=True):
        links.page_link(
            "trace", t("saw_open_trace"), icon=":material/account_tree:", trace_id=trace_id
        )
        links.page_link("saw", t("saw_all"), icon=":material/list:")
