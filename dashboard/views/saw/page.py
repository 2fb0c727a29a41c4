"""What the model saw: one recorded observation whole, or the list to pick one from."""

import re
from typing import Final

import streamlit as st

from dashboard import links, queries
from dashboard.i18n import t
from dashboard.views.loading import still_loading
from dashboard.views.saw import queries as saw_queries
from dashboard.views.saw.detail import detail
from dashboard.views.saw.empty import no_observation_in_trace, no_observations
from dashboard.views.saw.listing import observation_list
from replay_store.records import Observation
from replay_store.saw import ObservationFilter

MAX_IN_TRACE: Final = 500
_SPAN_ID: Final = re.compile(r"[0-9a-f]{16}")


def render() -> None:
    """Draw the observation named in the address, or the list."""
    st.header(t("page_saw"), anchor=False)
    if still_loading():
        return
    wanted = st.query_params.get("trace_id", "").strip()
    if wanted:
        _of_trace(wanted)
    elif saw_queries.count(ObservationFilter()) == 0:
        no_observations()
    else:
        observation_list()


def _of_trace(wanted: str) -> None:
    found = queries.resolve_trace_id(wanted)
    if len(found) != 1:
        _no_such_trace(wanted, found)
        return
    trace_id = found[0]
    seen = saw_queries.find(ObservationFilter(trace_id=trace_id), MAX_IN_TRACE)
    if not seen:
        no_observation_in_trace(trace_id)
        return
    seen.reverse()
    chosen = _chosen(seen)
    recorded = saw_queries.recorded(trace_id, chosen.span_id)
    if recorded is None:
        no_observation_in_trace(trace_id)
        return
    detail(recorded, seen)


def _no_such_trace(wanted: str, found: list[str]) -> None:
    if found:
        st.info(t("trace_ambiguous_title", n=len(found)), icon=":material/alt_route:")
        for trace_id in found:
            links.page_link("saw", trace_id, icon=":material/visibility:", trace_id=trace_id)
        return
    st.warning(t("trace_unknown_title"), icon=":material/search_off:")
    st.code(wanted[:200], language=None)
    st.markdown(t("trace_unknown_body"))
    links.page_link("saw", t("saw_all"), icon=":material/list:")


def _chosen(seen: list[Observation]) -> Observation:
    """The observation that the address names; the first one, with a word, when it is none."""
    wanted = st.query_params.get("span", "").strip()
    for observation in seen:
        if observation.span_id == wanted:
            return observation
    if wanted:
        st.warning(t("saw_span_unknown"), icon=":material/help:")
        if not _SPAN_ID.fullmatch(wanted):
            st.code(wanted[:200], language=None)
    return seen[0]
