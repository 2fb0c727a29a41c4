"""How the daily quotas of the contracts stand today: a slow burn is seen before it is over."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.formats import NO_VALUE, count_text, rate_text
from dashboard.i18n import t
from dashboard.views.quota_text import caller_text, quota_verdict
from metrics import QuotaUse

_TABLE: Final = "quota_table"
_MOST: Final = 12


def quota_table(uses: Sequence[QuotaUse]) -> None:
    """Draw the quotas, the most used first; nothing where no contract has one."""
    if not uses:
        return
    shown = uses[:_MOST]

    def chosen() -> None:
        cells = st.session_state[_TABLE].selection.cells
        if cells and cells[0][0] < len(shown):
            links.go_to("tools", tool=shown[cells[0][0]].tool_name)

    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.subheader(t("quota_title"), anchor=False)
    st.caption(t("quota_hint"))
    st.dataframe(
        _frame(shown),
        key=_TABLE,
        hide_index=True,
        height="content",
        row_height=32,
        on_select=chosen,
        selection_mode="single-cell",
        column_config={
            "tool": text(t("column_tool"), width="medium"),
            "caller": text(t("tools_column_caller"), width="small"),
            "quota": number(t("tools_column_quota"), width="small", format="localized"),
            "newest": number(t("tools_column_newest"), width="small", format="localized"),
            "share": text(t("tools_column_newest_share"), width="small"),
            "projected": text(t("tools_column_projected"), width="small"),
            "state": text(t("tools_column_quota_state"), width="medium"),
        },
    )


def _frame(uses: Sequence[QuotaUse]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "tool": [use.tool_name for use in uses],
            "caller": [caller_text(use) for use in uses],
            "quota": [use.daily_quota for use in uses],
            "newest": [use.n_newest for use in uses],
            "share": [rate_text(use.newest_share) for use in uses],
            "projected": [
                NO_VALUE if use.n_projected is None else count_text(round(use.n_projected))
                for use in uses
            ],
            "state": [quota_verdict(use) for use in uses],
        }
    )
