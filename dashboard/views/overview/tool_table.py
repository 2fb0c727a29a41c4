"""Each tool on one line; a row opens the traces that called it."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.formats import NO_VALUE, rate_text
from dashboard.i18n import t
from dashboard.metric_text import ms_text
from dashboard.views.sla_text import sla_text
from metrics import OfTool, ToolRow

_TABLE: Final = "tool_table"
_SLA_PX: Final = 150
_CLASSES_PX: Final = 150
"""Narrower beside an SLA, so that the table fits its page."""
_ERROR_COLUMNS: Final = ("errors", "error_rate", "classes")


def tool_table(
    tools: Sequence[ToolRow], promised: Sequence[OfTool] = (), *, is_approximate: bool = False
) -> None:
    """Draw the table; nothing called says so, and so does a P95 that is approximate.

    Args:
        tools: One row each.
        promised: The P95 of tools with an SLA; without any there is no column for it.
        is_approximate: Whether P95s are read from rollups.
    """
    if not tools:
        st.caption(t("tools_none"))
        return

    def chosen() -> None:
        cells = st.session_state[_TABLE].selection.cells
        if cells and cells[0][0] < len(tools):
            row, column = cells[0]
            error = "any" if column in _ERROR_COLUMNS else None
            links.go_to("traces", tool=tools[row].tool_name, error=error)

    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    hint = t("tools_hint")
    st.caption(f"{hint} {t('tools_approximate')}" if is_approximate else hint)
    st.dataframe(
        _frame(tools, promised),
        key=_TABLE,
        hide_index=True,
        height="content",
        row_height=32,
        on_select=chosen,
        selection_mode="single-cell",
        column_config={
            "tool": text(t("column_tool"), width="medium"),
            "calls": number(t("column_calls"), width="small", format="localized"),
            "errors": number(t("column_errors"), width="small", format="localized"),
            "error_rate": text(t("column_error_rate"), width="small"),
            "classes": text(t("column_error_classes"), width=_CLASSES_PX if promised else "medium"),
            "p95": text(t("column_p95"), width="small"),
            "sla": text(t("column_sla"), width=_SLA_PX),
            "timed": number(t("column_timed"), width="small", format="localized"),
            "retry_rate": text(t("column_retry_rate"), width="small"),
            "heads": number(t("column_heads"), width="small", format="localized"),
            "blocked": number(t("column_blocked"), width="small", format="localized"),
        },
    )


def _frame(tools: Sequence[ToolRow], promised: Sequence[OfTool]) -> pd.DataFrame:
    slas = {item.tool_name: sla_text(item.metric) for item in promised}
    frame = pd.DataFrame(
        {
            "tool": [tool.tool_name for tool in tools],
            "calls": [tool.n_calls for tool in tools],
            "errors": [tool.n_errors for tool in tools],
            "error_rate": [rate_text(tool.error_rate) for tool in tools],
            "classes": [_classes(tool) for tool in tools],
            "p95": [ms_text(tool.p95_ms) for tool in tools],
            "timed": [tool.n_timed for tool in tools],
            "retry_rate": [rate_text(tool.retry_rate) for tool in tools],
            "heads": [tool.n_heads for tool in tools],
            "blocked": [tool.n_blocked for tool in tools],
        }
    )
    if slas:
        place = list(frame.columns).index("timed")
        frame.insert(place, "sla", [slas.get(tool.tool_name, NO_VALUE) for tool in tools])
    return frame


def _classes(tool: ToolRow) -> str:
    return ", ".join(f"{item.error_type or '?'} {item.n_calls}" for item in tool.errors)
