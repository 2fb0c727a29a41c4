"""Overview: what stands out, the five metrics, observation health, how they moved, where the time goes, and each tool on a line."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dashboard import links, queries, runtime
from dashboard.components.painted import painted
from dashboard.filters import range_key, zone
from dashboard.formats import minute_text, zone_text
from dashboard.i18n import t
from dashboard.metric_text import headline, metric_name, value_text
from dashboard.views.empty import empty_store
from dashboard.views.live import live_header
from dashboard.views.loading import still_loading
from dashboard.views.overview.bottleneck import bottleneck_line
from dashboard.views.overview.catch_up import catch_up
from dashboard.views.overview.health_cards import health_cards
from dashboard.views.overview.metric_card import Beside, metric_card
from dashboard.views.overview.quotas import quota_table
from dashboard.views.overview.standouts import standout_list
from dashboard.views.overview.tool_table import tool_table
from dashboard.views.overview.trend_chart import trend_chart
from dashboard.views.sla_text import sla_counts
from metrics import Metric, Report, Scope, bucket_width_ns

_DRAWN: Final = "overview_drawn"


def render() -> None:
    """Draw the page, or the progress of a first load, or what to do with an empty store."""
    live_header(t("page_overview"))
    if still_loading():
        return
    answer = queries.report(range_key())
    if answer is None:
        empty_store()
        return
    report = answer.value
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="period"):
        _period(report.scope)
        catch_up(answer)
    standout_list(report)
    bottleneck_line(report.bottleneck)
    _cards(report)
    health_cards(report)
    _charts(report)
    st.subheader(t("overview_tools"), anchor=False)
    tool_table(report.tools, report.promised, is_approximate=report.latency.call.is_approximate)
    quota_table(queries.quotas(report.scope))


def _period(scope: Scope) -> None:
    in_zone = zone()
    st.caption(
        t(
            "period_note",
            start=minute_text(scope.start_time_ns, in_zone),
            end=minute_text(scope.end_time_ns, in_zone),
            zone=zone_text(in_zone, scope.end_time_ns),
        ),
        width="content",
    )


def _headlines(report: Report) -> tuple[tuple[Metric, Sequence[Beside]], ...]:
    """The five metrics, each with what belongs beside it."""
    return (
        (report.accuracy.selection, (_beside(report.accuracy.call),)),
        (report.latency.call, _latencies(report)),
        (report.retries.rate, (_beside(report.retries.success),)),
        (report.steps.mean, (Beside(t("overview_p90_steps"), _steps(report)),)),
        (report.guard.hits, (_beside(report.guard.rate),)),
    )


def _latencies(report: Report) -> Sequence[Beside]:
    found = [_beside(report.latency.attempt), _beside(report.latency.model)]
    if report.promised:
        found.append(Beside(t("sla_tools"), sla_counts(report.promised)))
    return found


def _beside(metric: Metric) -> Beside:
    return Beside(metric_name(metric.key), f"{headline(metric)} (n = {metric.n:,})")


def _steps(report: Report) -> str:
    return value_text(report.steps.p90, report.steps.mean.unit)


def _cards(report: Report) -> None:
    with st.container(horizontal=True, gap="small", key="cards"):
        for metric, beside in _headlines(report):
            metric_card(metric, report.trends[metric.key], beside)


@st.fragment
def _charts(report: Report) -> None:
    """The charts, once the numbers are drawn: their library alone keeps a browser busy for a second."""
    links.follow()
    is_ready = _are_numbers_drawn()
    bucket_ns = bucket_width_ns(report.scope)
    st.caption(t("chart_hint"))
    with st.container(horizontal=True, gap="small", key="charts"):
        shown = [metric for metric, _ in _headlines(report)]
        for metric in (*shown, report.latency.model):
            trend_chart(metric, report.trends[metric.key], bucket_ns, is_ready=is_ready)


def _are_numbers_drawn() -> bool:
    """Whether this session has seen them; without a server there is no browser to wait for."""
    if runtime.current().addresses is None:
        return True
    if not st.session_state.get(_DRAWN):
        st.session_state[_DRAWN] = painted(key="painted")
    return bool(st.session_state[_DRAWN])
