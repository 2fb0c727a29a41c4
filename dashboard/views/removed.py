"""What is said in the place of a trace that retention removed."""

import streamlit as st

from dashboard.filters import zone
from dashboard.formats import minute_text, zone_text
from dashboard.i18n import t
from replay_store.records import RemovedTrace

__all__ = ["removed_note"]


def removed_note(removed: RemovedTrace) -> None:
    """Say when it went and why; the id itself is drawn by the page."""
    in_zone = zone()
    st.info(
        t(
            "trace_removed_body",
            removed=minute_text(removed.removed_time_ns, in_zone),
            newest=minute_text(removed.newest_time_ns, in_zone),
            zone=zone_text(in_zone, removed.removed_time_ns),
        ),
        icon=":material/auto_delete:",
    )
