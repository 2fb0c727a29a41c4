"""The values that no dictionary knows, most traces first; a row opens its form."""

from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.filters import zone
from dashboard.formats import count_text, minute_text, rate_text, zone_text
from dashboard.i18n import language, t
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries.lookup import suggestion
from dashboard.views.dictionaries.queries import Unmapped
from metrics import Scope
from pipeline.observation import RuleSet
from replay_store.rule_store import StoredRules

_TABLE: Final = "dictionaries_unmapped"
N_SHOWN: Final = 50


def unmapped_section(stored: StoredRules, period: Scope) -> None:
    """Draw the open values, and say how many are settled by now."""
    st.subheader(t("dictionaries_unmapped"), anchor=False)
    found = dictionaries_queries.unmapped(period, stored.rule_set)
    values = [item for item in found if item.value.raw is not None]
    open_values = [item for item in values if not item.is_settled]
    if open_values:
        st.caption(t("dictionaries_unmapped_hint", n=count_text(len(open_values))))
        _table(open_values[:N_SHOWN], stored.rule_set, zone())
    else:
        st.success(t("dictionaries_unmapped_none"), icon=":material/check:")
    _notes(len(values) - len(open_values), sum(i.value.n for i in found if i.value.raw is None))


def _notes(n_settled: int, n_missing: int) -> None:
    if n_settled:
        st.caption(t("dictionaries_settled", n=count_text(n_settled)))
    if n_missing:
        st.caption(t("dictionaries_missing", n=count_text(n_missing)))


def _table(found: Sequence[Unmapped], rules: RuleSet, in_zone: ZoneInfo) -> None:
    def chosen() -> None:
        cells = st.session_state[_TABLE].selection.cells
        if cells and cells[0][0] < len(found):
            item = found[cells[0][0]]
            links.set_parameter("field", None)
            links.set_parameter("tool", item.value.tool_name)
            links.set_parameter("fact", item.value.fact_type)
            links.set_parameter("value", item.text or item.value.raw)

    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    newest = max(item.value.last_time_ns for item in found)
    st.dataframe(
        _frame(found, rules, in_zone),
        key=_TABLE,
        hide_index=True,
        height="content",
        row_height=32,
        on_select=chosen,
        selection_mode="single-cell",
        column_config={
            "raw": text(t("dictionaries_column_raw"), width=150),
            "field": text(t("dictionaries_column_field"), width=110),
            "tool": text(t("column_tool"), width=160),
            "n": number(t("dictionaries_column_n"), width=80),
            "traces": number(t("dictionaries_column_traces"), width=70),
            "share": text(t("dictionaries_column_share"), width=70),
            "first": text(
                t("dictionaries_column_first", zone=zone_text(in_zone, newest)), width=140
            ),
            "last": text(t("dictionaries_column_last"), width=140),
            "shown": text(t("dictionaries_column_shown"), width=120),
            "hint": text(t("dictionaries_column_hint"), width=110),
        },
    )


def _frame(found: Sequence[Unmapped], rules: RuleSet, in_zone: ZoneInfo) -> pd.DataFrame:
    lang = language()
    values = [item.value for item in found]
    return pd.DataFrame(
        {
            "raw": [item.text or item.value.raw for item in found],
            "field": [rules.label(value.fact_type, lang) for value in values],
            "tool": [_tool(value.tool_name, value.contract_version) for value in values],
            "n": [value.n for value in values],
            "traces": [value.n_traces for value in values],
            "share": [rate_text(value.share) for value in values],
            "first": [minute_text(value.first_time_ns, in_zone) for value in values],
            "last": [minute_text(value.last_time_ns, in_zone) for value in values],
            "shown": [t("dictionaries_shown_unknown") for _ in values],
            "hint": [_hint(item, rules) for item in found],
        }
    )


def _hint(item: Unmapped, rules: RuleSet) -> str:
    """A code that the value is written like; empty without one."""
    if item.text is None or item.dictionary is None:
        return ""
    return suggestion(rules, item.dictionary, item.text).code or ""


def _tool(name: str, version: str | None) -> str:
    return name if version is None else f"{name} {version}"
