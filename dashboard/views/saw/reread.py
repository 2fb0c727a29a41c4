"""The same raw outputs read again by the dictionary in force."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import pandas as pd
import streamlit as st

from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.saw import queries as saw_queries
from dashboard.views.saw.reading import Reading
from pipeline.errors import ToolsightError
from pipeline.observation import EntityRef
from pipeline.observation.fragment import Value, Words, words_in
from replay_store.rereading import CLEAN, Rereading, Statement, reread
from replay_store.saw import RecordedObservation


def reread_tab(recorded: RecordedObservation, reading: Reading) -> None:
    """Say what would be read today, and which statements would change."""
    try:
        in_force = saw_queries.rules_in_force()
    except ToolsightError as error:
        st.warning(t("saw_reread_broken"), icon=":material/error:")
        st.code(str(error), language=None, wrap_lines=True)
        return
    again = reread(recorded, in_force.rule_set)
    st.caption(t("saw_reread_version", version=in_force.version))
    if not again.is_complete:
        st.warning(t("saw_reread_part", n=again.n_unreadable), icon=":material/warning:")
    if not again.n_facts_changed:
        st.success(t("saw_reread_same"), icon=":material/check_circle:")
        return
    st.info(t("saw_reread_changed", n=again.n_facts_changed), icon=":material/difference:")
    _health(recorded, again)
    _table(recorded, again, reading.language)


def _health(recorded: RecordedObservation, again: Rereading) -> None:
    seen, now = recorded.observation, again.health
    rows: list[tuple[str, int, int]] = [
        (t("saw_facts"), seen.n_cells, now.n_cells),
        (t("saw_has_unknown"), seen.n_unknown, now.n_unknown),
        (t("saw_has_conflict"), seen.n_conflicts, now.n_conflicts),
        (t("saw_has_unparsed"), seen.n_unparsed, now.n_unparsed),
    ]
    words = [f"{name}: {count_text(old)} → {count_text(new)}" for name, old, new in rows]
    st.text(" · ".join(words))


def _table(recorded: RecordedObservation, again: Rereading, language: str) -> None:
    before, after = _recorded_values(recorded), _values(again, language)
    changed = sorted(again.changed)
    frame = pd.DataFrame(
        {
            "fact": [statement.fact_type for statement in changed],
            "recorded": [before.get(statement, t("saw_absent")) for statement in changed],
            "now": [after.get(statement, t("saw_absent")) for statement in changed],
            "entity": [str(statement.entity) for statement in changed],
            "source": [statement.source for statement in changed],
        }
    )
    text = st.column_config.TextColumn
    st.dataframe(
        frame,
        key="saw_reread_table",
        hide_index=True,
        column_config={
            "fact": text(t("noise_fact"), width=130),
            "recorded": text(t("saw_reread_before"), width="medium"),
            "now": text(t("saw_reread_after"), width="medium"),
            "entity": text(t("noise_entity"), width=140),
            "source": text(t("saw_column_source"), width="medium"),
        },
    )


def _recorded_values(recorded: RecordedObservation) -> Mapping[Statement, str]:
    return _joined(
        (
            Statement(EntityRef(f.entity_type, f.entity_id), f.fact_type, f.source),
            f"{f.kind} {f.value if f.value is not None else f.raw or ''}".strip(),
        )
        for f in recorded.facts
        if f.variant == CLEAN
    )


def _values(again: Rereading, language: str) -> Mapping[Statement, str]:
    return _joined(
        (
            Statement(f.entity, f.type, f.source),
            f"{f.kind} {_value(f.value, f.words, f.raw, language)}".strip(),
        )
        for f in again.fragments
    )


def _value(value: Value, words: Words, raw: str | None, language: str) -> str:
    if value is None:
        return raw or ""
    shown = words_in(words, language)
    return str(value) if shown is None else f"{value} ({shown})"


def _joined(pairs: Iterable[tuple[Statement, str]]) -> Mapping[Statement, str]:
    found: dict[Statement, list[str]] = defaultdict(list)
    for statement, text in pairs:
        found[statement].append(text)
    return {statement: " | ".join(texts) for statement, texts in found.items()}
