"""How the shape of tools' answers changed: paths that are new, gone, or of another type."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.filters import zone
from dashboard.formats import count_text, minute_text, rate_text, zone_text
from dashboard.i18n import t
from dashboard.views.dictionaries import queries as dictionaries_queries
from pipeline.observation import RuleSet
from replay_store.rule_store import StoredRules
from replay_store.schema_drift import Drift, DriftKind

_TABLE: Final = "dictionaries_drift"
_KINDS: Final = {
    DriftKind.NEW: "dictionaries_drift_new",
    DriftKind.MISSING: "dictionaries_drift_missing",
    DriftKind.RETYPED: "dictionaries_drift_retyped",
}


def schema_section(stored: StoredRules) -> None:
    """Draw what changed, the latest first; a row leads to an answer that shows it."""
    st.subheader(t("dictionaries_drift"), anchor=False)
    found = dictionaries_queries.drift()
    tools = count_text(found.n_tools)
    if not found.n_answers:
        st.info(t("dictionaries_drift_no_data"), icon=":material/inbox:")
        return
    st.caption(t("dictionaries_drift_hint", n=count_text(found.n_answers), tools=tools))
    if not found.changes:
        st.success(t("dictionaries_drift_none"), icon=":material/check:")
        return
    _table(found.changes, stored.rule_set)


def _table(changes: Sequence[Drift], rules: RuleSet) -> None:
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    newest = changes[0].since_time_ns
    selected = st.dataframe(
        pd.DataFrame(
            {
                "tool": [item.tool_name for item in changes],
                "path": [item.path for item in changes],
                "what": [t(_KINDS[item.kind]) for item in changes],
                "before": [item.before or "" for item in changes],
                "after": [item.after or "" for item in changes],
                "since": [minute_text(item.since_time_ns, zone()) for item in changes],
                "share": [rate_text(item.share) for item in changes],
                "n": [item.n_before for item in changes],
                "n_after": [item.n_after for item in changes],
                "read": [
                    t("dictionaries_drift_read")
                    if dictionaries_queries.is_read(rules, item.tool_name, item.path)
                    else ""
                    for item in changes
                ],
                "version": [", ".join(item.contract_versions) for item in changes],
            }
        ),
        key=_TABLE,
        hide_index=True,
        height="content",
        row_height=32,
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "tool": text(t("column_tool"), width=150),
            "path": text(t("dictionaries_column_path"), width=180),
            "what": text(t("dictionaries_what"), width=90),
            "before": text(t("dictionaries_column_before"), width=80),
            "after": text(t("dictionaries_column_after"), width=80),
            "since": text(t("dictionaries_drift_since", zone=zone_text(zone(), newest)), width=140),
            "share": text(t("dictionaries_column_share"), width=70),
            "n": number(t("dictionaries_drift_n_before"), width=80),
            "n_after": number(t("dictionaries_drift_n_after"), width=80),
            "read": text(t("dictionaries_drift_rules"), width=110),
            "version": text(t("dictionaries_drift_version"), width=90),
        },
    )
    cells = selected.selection.cells
    chosen = changes[cells[0][0] if cells and cells[0][0] < len(changes) else 0]
    links.page_link(
        "trace",
        t("dictionaries_drift_example"),
        icon=":material/account_tree:",
        trace_id=chosen.trace_id,
        span=chosen.span_id,
    )
