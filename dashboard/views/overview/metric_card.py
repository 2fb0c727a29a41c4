"""One figure as a card: value, n, interval, trend, limit, state, what was left out, its traces."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.charts import drawn_limit
from dashboard.components.sparkline import sparkline
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.menu import PAGES
from dashboard.metric_text import (
    STATES,
    counted_text,
    definition_text,
    headline,
    interval_text,
    limit_text,
    limit_value,
    metric_name,
    note_text,
    part_text,
    reason_text,
)
from metrics import Metric, Part, Point, State


class _Look(NamedTuple):
    icon: str
    color: Literal["green", "red", "orange", "gray"]


_LOOKS: Final = {
    State.OK: _Look(":material/check_circle:", "green"),
    State.BAD: _Look(":material/warning:", "red"),
    State.UNSURE: _Look(":material/balance:", "orange"),
    State.NO_DATA: _Look(":material/cloud_off:", "gray"),
    State.NO_BASELINE: _Look(":material/history_toggle_off:", "gray"),
    State.NOT_JUDGED: _Look(":material/visibility:", "gray"),
}


@dataclass(frozen=True, slots=True)
class Beside:
    """A second number on a card."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class CardLink:
    """Another page that a card leads to, if there is that page."""

    page: str
    label: str
    """Key of its text."""
    parameters: Mapping[str, str | None] = field(default_factory=dict)


def is_page(name: str) -> bool:
    """Whether there is a page of that name."""
    return any(entry.key == name for entry in PAGES)


def metric_card(
    metric: Metric,
    trend: Sequence[Point],
    beside: Sequence[Beside] = (),
    more: Sequence[CardLink] = (),
    tool_name: str | None = None,
) -> None:
    """Draw the card of one metric.

    Args:
        metric: The figure.
        trend: Its values over time.
        beside: What else belongs on the card, such as retry success beside the retry rate.
        more: Where else the card leads.
        tool_name: Whose figure it is, when of one tool only.
    """
    key = metric.key
    with st.container(
        border=True, gap="xsmall", key=f"card_{metric.state}_{key}", height="stretch"
    ):
        st.metric(metric_name(key), headline(metric), help=definition_text(key))
        state_badge(metric.state, note_text(metric))
        with st.container(gap=None, key=f"evidence_{key}"):
            st.caption(counted_text(metric))
            if (interval := interval_text(metric)) is not None:
                st.caption(interval)
        sparkline(
            [point.value for point in trend],
            limit=drawn_limit(trend, limit_value(metric)),
            label=t("trend_of", metric=metric_name(key)),
            key=f"spark_{key}",
        )
        with st.container(gap=None, key=f"limit_{key}"):
            st.caption(limit_text(metric) or note_text(metric))
        for item in beside:
            st.caption(f"{item.label}: **{item.value}**")
        with st.container(gap=None, key=f"links_{key}"):
            _links(metric, more, tool_name)
            _left_out(metric)


def state_badge(state: State, help_text: str | None = None) -> None:
    """A state as icon and word."""
    look = _LOOKS[state]
    st.badge(t(STATES[state]), icon=look.icon, color=look.color, help=help_text)


def _links(metric: Metric, more: Sequence[CardLink], tool_name: str | None) -> None:
    if not metric.n:
        return
    with st.container(horizontal=True, gap="small"):
        links.page_link(
            "traces",
            t("link_traces"),
            help_text=t("link_denominator_help", part=part_text(metric)),
            metric=metric.key,
            part=Part.DENOMINATOR,
            tool=tool_name,
        )
        label = _NUMERATOR_LINKS.get(metric.key)
        if metric.numerator and label is not None:
            links.page_link(
                "traces", t(label), metric=metric.key, part=Part.NUMERATOR, tool=tool_name
            )
        for link in more:
            if is_page(link.page):
                links.page_link(link.page, t(link.label), **link.parameters)


_NUMERATOR_LINKS: Final = {
    "selection_accuracy": "link_right",
    "latency_p95_call": "link_slowest",
    "retry_rate": "link_retried",
    "steps_per_task": "link_steps",
    "guard_hits": "link_hits",
    "conflict_share": "health_link_conflict",
    "unknown_share": "health_link_unknown",
    "parse_p95": "link_slowest",
    "noise_exposure": "health_link_noise",
}


def _left_out(metric: Metric) -> None:
    """What was excluded and why, one click away; the sum is on the button."""
    if not metric.exclusions:
        return
    total = sum(item.n for item in metric.exclusions)
    with st.popover(t("left_out", n=count_text(total)), type="tertiary"):
        st.markdown(t("left_out_why"))
        st.dataframe(
            pd.DataFrame(
                {
                    "reason": [reason_text(item.reason) for item in metric.exclusions],
                    "n": [item.n for item in metric.exclusions],
                }
            ),
            key=f"left_out_{metric.key}",
            hide_index=True,
            column_config={
                "reason": st.column_config.TextColumn(t("column_reason"), width="large"),
                "n": st.column_config.NumberColumn("n", width="small"),
            },
        )
