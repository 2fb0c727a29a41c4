"""Every figure on both sides, with its interval, n, and whether the difference may be chance."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard.alert_text import chance_text, figure_text
from dashboard.formats import NO_VALUE, number_text
from dashboard.i18n import t
from dashboard.metric_text import in_language
from metrics import LAYERS, SIGNALS, Change, Comparison, Figure, Unit

_WORDS: Final = {
    Change.BETTER: "compare_is_better",
    Change.WORSE: "compare_is_worse",
    Change.OTHER: "compare_is_other",
    Change.UNSURE: "compare_is_chance",
    Change.NO_DATA: "compare_is_no_data",
}
_MARKS: Final = {
    Change.BETTER: "▼",
    Change.WORSE: "▲",
    Change.OTHER: "◆",
    Change.UNSURE: "·",
    Change.NO_DATA: "–",
}


def comparison_table(found: Sequence[Comparison]) -> None:
    """Draw the table; those that differ for certain first."""
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        _frame(found),
        key="compare_table",
        hide_index=True,
        height="content",
        column_config={
            "layer": text(t("compare_column_layer"), width=90),
            "figure": text(t("compare_column_figure"), width=165),
            "left": text(t("compare_left"), width=162),
            "n_left": number(t("compare_column_n_left"), width=64, format="localized"),
            "right": text(t("compare_right"), width=162),
            "n_right": number(t("compare_column_n_right"), width=64, format="localized"),
            "change": text(t("compare_column_change"), width=112),
            "effect": text(t("compare_column_effect"), width=60),
            "chance": text(t("compare_column_chance"), width=76),
            "tool": text(t("compare_column_tool"), width=136),
        },
    )


def _frame(found: Sequence[Comparison]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "layer": [in_language(LAYERS[SIGNALS[item.key][0]]) for item in found],
            "figure": [in_language(SIGNALS[item.key][1]) for item in found],
            "left": [_side(item.left, item.unit) for item in found],
            "n_left": [item.left.n for item in found],
            "right": [_side(item.right, item.unit) for item in found],
            "n_right": [item.right.n for item in found],
            "change": [f"{_MARKS[item.change]} {t(_WORDS[item.change])}" for item in found],
            "effect": [
                NO_VALUE if item.p_value is None else number_text(item.effect) for item in found
            ],
            "chance": [chance_text(item.p_value) for item in found],
            "tool": [item.tool_name or "" for item in found],
        }
    )


def _side(figure: Figure, unit: Unit) -> str:
    value = figure_text(figure.value, unit)
    interval = figure.interval
    if interval is None:
        return value
    return f"{value} ({figure_text(interval.low, unit)} – {figure_text(interval.high, unit)})"
