"""Says which figure's traces a list shows, and leads out of it."""

from typing import Final

import streamlit as st

from dashboard import links
from dashboard.figures import Figure
from dashboard.filters import Span, zone
from dashboard.formats import minute_text, zone_text
from dashboard.i18n import t
from dashboard.metric_text import metric_name
from metrics import Part, Scope

_WORDS: Final = {
    Part.NUMERATOR: "figure_numerator",
    Part.DENOMINATOR: "figure_denominator",
    Part.WORST: "figure_worst",
}


def figure_chip(figure: Figure | None, stretch: Span | None = None) -> None:
    """Draw the chip; nothing when the list is neither behind a figure nor of a named stretch."""
    time = stretch if figure is None else figure.scope
    if time is None:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="figure_chip", border=True
    ):
        words = "figure_stretch" if figure is None else _WORDS[figure.part]
        st.badge(t(words), icon=":material/filter_alt:", color="blue")
        if figure is not None:
            st.markdown(f"**{metric_name(figure.metric)}**", width="content")
        st.caption(_period(time), width="content")
        st.button(
            t("figure_leave"),
            icon=":material/close:",
            key="figure_leave",
            type="tertiary",
            on_click=_leave,
        )


def _period(time: Scope | Span) -> str:
    start, end = time.start_time_ns, time.end_time_ns
    in_zone = zone()
    return t(
        "period",
        start=minute_text(start, in_zone),
        end=minute_text(end, in_zone),
        zone=zone_text(in_zone, end),
    )


def _leave() -> None:
    for name in ("metric", "part", "from", "to", "page"):
        links.set_parameter(name, None)
