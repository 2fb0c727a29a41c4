"""Tools: what one tool does, how it fails, what it is taken for, and what changed about it."""

from collections.abc import Sequence

import streamlit as st

from dashboard import links, queries
from dashboard.filters import range_key
from dashboard.formats import NO_VALUE, count_text, rate_text
from dashboard.i18n import t
from dashboard.views.empty import empty_store
from dashboard.views.facts import Fact, facts
from dashboard.views.loading import still_loading
from dashboard.views.overview.metric_card import metric_card
from dashboard.views.tools import queries as tool_queries
from dashboard.views.tools.findings import contract_findings
from dashboard.views.tools.incidents import tool_incidents
from dashboard.views.tools.queries import ToolReport
from dashboard.views.tools.tables import (
    after_table,
    caller_table,
    error_table,
    pair_table,
    retry_table,
    version_table,
)
from metrics import ToolRow


def render() -> None:
    """Draw the page, or the progress of a first load, or what to do with an empty store."""
    st.header(t("page_tools"), anchor=False)
    if still_loading():
        return
    scope = queries.scope(range_key())
    if scope is None:
        empty_store()
        return
    tools = tool_queries.tools(scope)
    if not tools:
        st.info(t("tools_page_none"), icon=":material/info:")
        return
    row = _chosen(tools)
    _tool(row, tool_queries.tool_report(scope, row.tool_name))


def _chosen(tools: Sequence[ToolRow]) -> ToolRow:
    """The tool of the address; the one with most calls for anything that is none."""
    key, by_name = "tools_tool", {tool.tool_name: tool for tool in tools}

    def changed() -> None:
        links.set_parameter("tool", st.session_state[key])

    wanted = st.query_params.get("tool", "")
    st.session_state[key] = wanted if wanted in by_name else tools[0].tool_name
    st.selectbox(t("tools_choose"), list(by_name), key=key, on_change=changed, width=360)
    return by_name[str(st.session_state[key])]


def _tool(row: ToolRow, report: ToolReport) -> None:
    _facts(row, report)
    tool_incidents(row.tool_name)
    with st.container(horizontal=True, gap="small", key="tool_cards"):
        for metric in (
            report.accuracy,
            report.call,
            report.attempt,
            report.retry,
            report.success,
            report.guard,
        ):
            metric_card(metric, report.trends[metric.key], tool_name=row.tool_name)
    version_table(report.versions, report.deploys)
    pair_table(report.pairs)
    contract_findings(tool_queries.findings(row.tool_name))
    error_table(report.errors, row.n_calls)
    after_table(report.after)
    retry_table(report.retries)
    caller_table(report.callers)


def _facts(row: ToolRow, report: ToolReport) -> None:
    degraded, keys = report.degradation, report.keys
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="tools_head"):
        facts(
            (
                Fact(t("column_calls"), count_text(row.n_calls)),
                Fact(t("tools_before"), count_text(row.n_calls_before)),
                Fact(t("column_error_rate"), rate_text(row.error_rate)),
                Fact(t("column_blocked"), count_text(row.n_blocked)),
                Fact(t("tools_degraded"), rate_text(degraded.share) if degraded else NO_VALUE),
                Fact(t("tools_keys"), rate_text(keys.deterministic_share) if keys else NO_VALUE),
                Fact(
                    t("tools_several_keys"),
                    count_text(keys.n_steps_with_several) if keys else NO_VALUE,
                ),
            ),
            "tool",
        )
        links.page_link("traces", t("tools_traces"), tool=row.tool_name)
        links.page_link("compare", t("tools_compare"), by="contract", tool=row.tool_name)
