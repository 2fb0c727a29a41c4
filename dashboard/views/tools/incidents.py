"""The incidents in which a tool takes part."""

import streamlit as st

from dashboard import links
from dashboard.alert_text import incident_title
from dashboard.i18n import language, t
from dashboard.views.alerts import queries as alert_queries


def tool_incidents(tool_name: str) -> None:
    """Draw a line for each that goes on; nothing without any."""
    firing = [
        told
        for told in alert_queries.newest_look().value.firing
        if any(alert.key.tool_name == tool_name for alert in told.incident.alerts)
    ]
    for told in firing:
        with st.container(
            border=True,
            horizontal=True,
            vertical_alignment="center",
            gap="small",
            key=f"incident_{told.incident.severity}_{told.incident_id}",
        ):
            st.text(incident_title(told.incident, language()), width="content")
            links.page_link("alerts", t("tools_incident"), incident=told.incident_id)
