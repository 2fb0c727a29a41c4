"""What lies behind an observation, in tabs: raw outputs, noise, templates, another reading."""

from collections.abc import Callable
from typing import Final

import streamlit as st

from dashboard import links
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.saw.noise import noise_tab
from dashboard.views.saw.noise_try import noise_try
from dashboard.views.saw.raw import raw_tab
from dashboard.views.saw.reading import NOISY, Reading, Renderer, variants
from dashboard.views.saw.reread import reread_tab
from dashboard.views.saw.template_tab import template_tab
from pipeline.observation import OwnerTemplates

_KEY: Final = "saw_tabs"


def tabs(reading: Reading, clean: Reading, owned: OwnerTemplates) -> None:
    """Draw the tabs; the address says which one is open.

    Args:
        reading: The variant that is looked at.
        clean: The same without noise.
        owned: Templates of owners.
    """
    renderer = Renderer(clean.recorded, clean.rules, clean.critical, clean.caller, owned)
    drawn: dict[str, Callable[[], None]] = {
        "raw": lambda: _raw(reading),
        "noise": lambda: _noise(reading, clean, renderer),
        "template": lambda: template_tab(reading, renderer),
        "reread": lambda: reread_tab(reading.recorded, reading),
    }
    labels = {_label(name, reading): name for name in drawn}

    def changed() -> None:
        links.set_parameter("tab", labels.get(st.session_state[_KEY]))

    wanted = st.query_params.get("tab", "")
    by_name = {name: label for label, name in labels.items()}
    st.session_state[_KEY] = by_name.get(wanted, by_name["raw"])
    shown = st.tabs(list(labels), key=_KEY, on_change=changed)
    for tab, name in zip(shown, drawn, strict=True):
        if tab.open:
            with tab:
                drawn[name]()


def _label(name: str, reading: Reading) -> str:
    recorded = reading.recorded
    match name:
        case "raw":
            return t("saw_tab_raw", n=len(recorded.raw))
        case "noise" if NOISY in variants(recorded):
            return t("saw_tab_noise", n=count_text(recorded.observation.n_noise_hit))
        case "noise":
            return t("saw_tab_noise_none")
        case "template":
            return t("saw_tab_template")
        case _:
            return t("saw_tab_reread")


def _raw(reading: Reading) -> None:
    if reading.caller.sees_raw:
        raw_tab(reading.recorded)
    else:
        st.info(t("saw_raw_withheld"), icon=":material/lock:")


def _noise(reading: Reading, clean: Reading, renderer: Renderer) -> None:
    if NOISY in variants(reading.recorded):
        noise_tab(reading.recorded, reading)
    noise_try(reading.recorded, clean, renderer)
