"""The facts of an observation as a table: what is known, how surely, and which template tells it."""

import pandas as pd
import streamlit as st

from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.saw.reading import Reading
from dashboard.views.saw.text import age_words, coverage_word, entity_words, kind_word
from pipeline.observation import Alternative, Cell
from pipeline.observation.display import Wording


def fact_table(reading: Reading) -> None:
    """Draw the table, a row a fact; nothing without recorded evidence."""
    if reading.resolved is None:
        return
    st.subheader(t("saw_facts_title", n=count_text(len(reading.cells))), anchor=False)
    if not reading.cells:
        st.caption(t("saw_facts_none"))
        return
    text = st.column_config.TextColumn
    st.dataframe(
        _frame(reading),
        key="saw_facts",
        hide_index=True,
        height="content" if len(reading.cells) <= 16 else 560,
        column_config={
            "entity": text(t("noise_entity"), width=120),
            "label": text(t("noise_fact"), width=110),
            "value": text(t("column_value"), width="medium"),
            "kind": text(t("noise_kind"), width=90),
            "confidence": st.column_config.NumberColumn(
                t("saw_column_confidence"), format="%.2f", width=80
            ),
            "age": text(t("saw_column_age"), width=84),
            "source": text(t("saw_column_source"), width="medium"),
            "alternatives": text(t("saw_column_alternatives"), width="medium"),
            "type": text(t("saw_column_type"), width=120),
            **{pane.template: text(pane.template, width=92) for pane in reading.panes},
        },
    )


def _frame(reading: Reading) -> pd.DataFrame:
    wording = reading.wording()
    rows = [_row(reading, wording, cell) for cell in reading.cells]
    return pd.DataFrame(rows)


def _row(reading: Reading, wording: Wording, cell: Cell) -> dict[str, object]:
    told = {
        pane.template: coverage_word(coverage) if (coverage := pane.coverage.get(cell.key)) else ""
        for pane in reading.panes
    }
    return {
        "entity": entity_words(cell, wording),
        "label": wording.label(cell),
        "value": wording.text(cell, is_critical=True),
        "kind": kind_word(cell.kind),
        "confidence": cell.confidence,
        "age": age_words(cell, reading.language) or "",
        **told,
        "source": ", ".join(cell.sources),
        "alternatives": _alternatives(cell, reading.language),
        "type": cell.type,
    }


def _alternatives(cell: Cell, language: str) -> str:
    """The values that disagree, each with its confidence and who says so; empty without conflict."""
    if len(cell.alternatives) < 2:
        return ""
    return " | ".join(_alternative(a, language) for a in cell.alternatives)


def _alternative(alternative: Alternative, language: str) -> str:
    words = dict(alternative.words)
    value = words.get(language, words.get("", str(alternative.value)))
    return f"{value} ({alternative.confidence:.2f}: {', '.join(alternative.sources)})"
