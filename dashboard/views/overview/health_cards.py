"""The second row of cards: how well tool outputs were read before the model saw them."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.metric_text import headline, value_text
from dashboard.views.overview.metric_card import Beside, CardLink, metric_card
from metrics import Metric, ObservationHealth, Report

_VERSION_SHOWN: Final = 8


def health_cards(report: Report) -> None:
    """Draw the five cards; without any observation nothing, as nothing was there to read."""
    health = report.observation
    if not health.n_observations:
        return
    st.subheader(t("health_title"), anchor=False)
    st.caption(_hint(health))
    with st.container(horizontal=True, gap="small", key="health_cards"):
        for metric, recorded, links in _cards(health):
            beside = (*_recorded(health, recorded), *_before(metric))
            metric_card(metric, report.trends[metric.key], beside, links)


def _hint(health: ObservationHealth) -> str:
    if not health.n_reread or health.rule_version is None:
        return t("health_hint")
    return t(
        "health_reread",
        version=f"`{_plain(health.rule_version)}`",
        n=count_text(health.n_reread),
        total=count_text(health.n_observations),
    )


def _plain(version: str) -> str:
    """The first letters and digits of a version: nothing that a text could read as markup."""
    return "".join(letter for letter in version if letter.isalnum())[:_VERSION_SHOWN]


def _cards(
    health: ObservationHealth,
) -> tuple[tuple[Metric, Metric | None, Sequence[CardLink]], ...]:
    """Each figure, the recorded one that belongs beside it, and where its card leads."""
    recorded = health.recorded
    return (
        (health.conflict, recorded.conflict, (_saw("conflict"),)),
        (
            health.unknown,
            recorded.unknown,
            (_saw("unknown"), CardLink("dictionaries", "health_link_dictionaries")),
        ),
        (health.confidence, recorded.confidence, (_saw(None),)),
        (health.parse, None, (_saw(None),)),
        (health.noise, None, (_saw("noise"),)),
    )


def _saw(has: str | None) -> CardLink:
    return CardLink("saw", "health_link_saw", {"has": has})


def _before(metric: Metric) -> Sequence[Beside]:
    """What has no limit is read against the period before."""
    if metric.threshold is not None or metric.baseline is None:
        return ()
    value = value_text(metric.baseline.value, metric.unit)
    return (Beside(t("health_before"), f"{value} (n = {count_text(metric.baseline.n)})"),)


def _recorded(health: ObservationHealth, recorded: Metric | None) -> Sequence[Beside]:
    if recorded is None or not health.n_reread:
        return ()
    return (Beside(t("health_recorded"), headline(recorded)),)
