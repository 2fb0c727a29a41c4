"""The audit queue: one decision at a time, labelled with keys, nothing lost on the way."""

from collections.abc import Callable, Mapping

import streamlit as st

from dashboard.components.assets import asset

__all__ = ["acknowledge", "audit_queue"]


_mount_queue = st.components.v2.component(
    "toolsight_audit_queue",
    html='<div class="audit"></div>',
    css=asset(__name__, "audit_queue.css"),
    js="\n".join(asset(__name__, name) for name in ("queue.js", "draw.js", "view.js")),
)
_mount_acknowledgement = st.components.v2.component(
    "toolsight_audit_acknowledgement", js=asset(__name__, "acknowledge.js")
)


def audit_queue(data: Mapping[str, object], *, key: str, on_work: Callable[[], None]) -> None:
    """Draw the queue; what a person did lands in `st.session_state[key].work`.

    Keep `data` the same from run to run: Streamlit then sends a hash instead of every context.

    Args:
        data: From `audit_payload.queue_data`.
        key: Of the component.
        on_work: Called after a label, a wish to see an outcome, or a step beyond what is loaded.
    """
    _mount_queue(key=key, data=dict(data), on_work_change=on_work)


def acknowledge(data: Mapping[str, object], *, key: str) -> None:
    """Tell the queue on this page what the store holds. Draws nothing.

    Args:
        data: From `audit_payload.stored_data`.
        key: Of the component.
    """
    _mount_acknowledgement(key=key, data=dict(data), height=1)
