"""Alerts: what goes on and nobody has taken over, what somebody has, and what was before."""

from collections.abc import Sequence

import streamlit as st

from dashboard import links
from dashboard.alerting import Look, Told
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.alerts import queries as alert_queries
from dashboard.views.alerts.history import history
from dashboard.views.alerts.incident import incident_card
from dashboard.views.alerts.messages import messages
from dashboard.views.empty import empty_store
from dashboard.views.loading import still_loading
from replay_store.alerts import acknowledged
from replay_store.records import AlertAck


def render() -> None:
    """Draw the page, or the progress of a first load, or what to do with an empty store."""
    st.header(t("page_alerts"), anchor=False)
    if still_loading():
        return
    found = alert_queries.newest_look().value
    if found.evaluation.scope is None:
        empty_store()
        return
    acks = alert_queries.acks()
    if (one := _asked_for(found.firing)) is not None:
        links.page_link("alerts", t("alerts_all", n=count_text(len(found.firing))))
        incident_card(one, acknowledged(acks).get(one.incident_id), acks, is_first=True)
        return
    _summary(found)
    _incidents(found.firing, acks)
    history(alert_queries.told())


def _asked_for(firing: Sequence[Told]) -> Told | None:
    """The incident that the address names; None for none, or one that goes on no more."""
    wanted = st.query_params.get("incident", "")
    return next((told for told in firing if told.incident_id == wanted), None)


def _summary(found: Look) -> None:
    st.caption(
        t(
            "alerts_summary",
            n=count_text(found.evaluation.n_series),
            incidents=count_text(len(found.firing)),
        )
    )
    with st.expander(t("alerts_how"), icon=":material/help:"):
        st.markdown(t("alerts_how_body"))
    messages()


def _incidents(firing: Sequence[Told], acks: Sequence[AlertAck]) -> None:
    held = acknowledged(acks)
    is_open = [told for told in firing if told.incident_id not in held]
    is_taken = [told for told in firing if told.incident_id in held]
    if not firing:
        st.success(t("alerts_none"), icon=":material/check_circle:")
    for place, told in enumerate(is_open):
        incident_card(told, None, acks, is_first=place == 0)
    if is_taken:
        st.subheader(t("alerts_taken"), anchor=False)
    for told in is_taken:
        incident_card(told, held[told.incident_id], acks, is_first=False)
