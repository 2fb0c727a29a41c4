"""The filters that have no list of their own, as a form that writes the filter language."""

from typing import Final

import streamlit as st

from dashboard import links
from dashboard.i18n import t
from dashboard.metric_text import in_language
from dashboard.search_language import HAS, quoted
from metrics import LAYERS

__all__ = ["composed", "more_filters"]

_PREFIX: Final = "more_"
_TEXTS: Final = {
    "guard": "more_guard",
    "model": "more_model",
    "version": "more_version",
    "session": "more_session",
    "text": "more_text",
}
_NUMBERS: Final = {"duration": "more_duration", "steps": "more_steps", "retries": "more_retries"}


def more_filters(written: str) -> None:
    """Draw the menu; what is chosen is added to the filter that is written already."""
    with (
        st.popover(t("more_filters"), icon=":material/tune:", key="more_filters"),
        st.form("more_form", border=False, clear_on_submit=True),
    ):
        layers = ("", *LAYERS)
        layer = st.selectbox(
            t("more_layer"),
            layers,
            format_func=lambda name: in_language(LAYERS[name]) if name else t("filter_any"),
        )
        has = st.selectbox(
            t("more_has"), ("", *HAS), format_func=lambda name: name or t("filter_any")
        )
        texts = {name: st.text_input(t(label)) for name, label in _TEXTS.items()}
        numbers = {
            name: st.number_input(t(label), min_value=0, value=None, step=1)
            for name, label in _NUMBERS.items()
        }
        is_sent = st.form_submit_button(t("more_add"), type="primary")
    if is_sent:
        given = {"layer": str(layer), "has": has, **texts}
        links.set_parameter("page", None)
        links.set_parameter("filter", composed(written, given, numbers))
        st.rerun()


def composed(written: str, texts: "dict[str, str]", at_least: "dict[str, int | None]") -> str:
    """The filter with more conditions at its end.

    Args:
        written: What is there already.
        texts: By name; `text` is looked for in the text of spans. Empty ones are left out.
        at_least: By name; a duration in seconds. None is no bound.
    """
    parts = [written.strip()]
    for name, value in texts.items():
        if value.strip():
            spelled = quoted(value.strip())
            parts.append(spelled if name == "text" else f"{name}:{spelled}")
    for name, number in at_least.items():
        if number is not None:
            parts.append(f"{name}>={number}{'s' if name == 'duration' else ''}")
    return " ".join(part for part in parts if part)
