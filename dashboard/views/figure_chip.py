"""Says which figure's traces a list shows, and leads out of it."""

from typing import Final

import streamlit as st

from dashboard import links
from dashboard.figures import Figure
from dashboard.filters import zone
from dashboard.formats import minute_text, zone_text
from dashboard.i18n import t
from dashboard.metric_text import metric_name
from metrics import Part

_WORDS: Final = {
    Part.NUMERATOR: "figure_numerator",
    Part.DENOMINATOR: "figure_denominator",
    Part.WORST: "figure_worst",
}


def figure_chip(figure: Figure | None) -> None:
    """Draw the chip; nothing when the list is not behind a figure."""
    if figure is None:
        return
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="figure_chip", border=True
    ):
        st.badge(
            t(_WORDS[figure.part]),
            icon=":material/filter_alt:",
            color="blue",
        )
        st.markdown(f"**{metric_name(figure.metric)}**", width="content")
        st.caption(_period(figure), width="content")
        st.button(
            t("figure_leave"),
            icon=":material/close:",
            key="figure_leave",
            type="tertiary",
            on_click=_leave,
        )


def _period(figure: Figure) -> str:
    start, end = figure.scope.start_time_ns, figure.scope.end_time_ns
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
