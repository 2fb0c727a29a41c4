"""What was told before: every alert, newest first, also those that are over."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard.alert_text import figure_text, usual_text
from dashboard.filters import zone
from dashboard.formats import NO_VALUE, minute_text
from dashboard.i18n import t
from dashboard.metric_text import in_language
from dashboard.views.alerts.columns import TIME_WIDTH, subject_text
from metrics.alerts import AlertKey, figure_name
from metrics.standouts import Subject, SubjectKind
from replay_store.records import Alert

_STATES: Final = {
    "firing": "alerts_state_firing",
    "cleared": "alerts_state_cleared",
    "suppressed": "alerts_state_suppressed",
    "withdrawn": "alerts_state_withdrawn",
}
_MOST: Final = 500
_SHORT: Final = 15
_HEIGHT: Final = 420


def history(told: Sequence[Alert]) -> None:
    """Draw the table; nothing was ever told says so."""
    st.subheader(t("alerts_history"), anchor=False)
    if not told:
        st.caption(t("alerts_history_none"))
        return
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    shown = told[:_MOST]
    st.dataframe(
        _frame(shown),
        key="alerts_history",
        hide_index=True,
        height="content" if len(shown) <= _SHORT else _HEIGHT,
        column_config={
            "since": text(t("alerts_column_since"), width=TIME_WIDTH),
            "until": text(t("alerts_column_until"), width=TIME_WIDTH),
            "state": text(t("alerts_column_state"), width="small"),
            "figure": text(t("alerts_column_figure"), width=160),
            "part": text(t("alerts_column_part"), width=240),
            "value": text(t("alerts_column_value"), width="small"),
            "usual": text(t("alerts_column_usual"), width="small"),
            "n": number(t("alerts_column_n"), width="small", format="localized"),
            "incident": text(t("alerts_column_incident"), width=140),
        },
    )


def _frame(told: Sequence[Alert]) -> pd.DataFrame:
    in_zone = zone()
    return pd.DataFrame(
        {
            "since": [minute_text(row.since_time_ns, in_zone) for row in told],
            "until": [
                NO_VALUE
                if row.cleared_time_ns is None
                else minute_text(row.cleared_time_ns, in_zone)
                for row in told
            ],
            "state": [t(_STATES[row.state]) for row in told],
            "figure": [in_language(figure_name(_key(row))) for row in told],
            "part": [subject_text(_key(row)) for row in told],
            "value": [figure_text(row.value, row.unit) for row in told],
            "usual": [usual_text(row.metric, row.baseline, row.unit) for row in told],
            "n": [row.n for row in told],
            "incident": [row.incident_id for row in told],
        }
    )


def _key(row: Alert) -> AlertKey:
    if row.subject_kind is None:
        return AlertKey(row.metric, None)
    return AlertKey(
        row.metric, Subject(SubjectKind(row.subject_kind), row.subject_name or "", row.tool_name)
    )
