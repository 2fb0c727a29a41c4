"""The facts of an observation as a table: what is known, how surely, and which template tells it."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.saw.dictionary_link import DictionaryLink, dictionary_link
from dashboard.views.saw.reading import Reading
from dashboard.views.saw.text import age_words, coverage_text, entity_words, kind_word
from pipeline.observation import Alternative, Cell
from pipeline.observation.display import Wording

_TABLE: Final = "saw_facts"


def fact_table(reading: Reading) -> None:
    """Draw the table, a row a fact; nothing without recorded evidence."""
    if reading.resolved is None:
        return
    st.subheader(t("saw_facts_title", n=count_text(len(reading.cells))), anchor=False)
    if not reading.cells:
        st.caption(t("saw_facts_none"))
        return
    links_to = [dictionary_link(reading, cell) for cell in reading.cells]
    text = st.column_config.TextColumn

    def chosen() -> None:
        cells = st.session_state[_TABLE].selection.cells
        if not cells or cells[0][0] >= len(links_to):
            return
        row, column = cells[0]
        to = links_to[row]
        if column == "dictionary" and to is not None:
            links.go_to("dictionaries", tool=to.tool, fact=to.fact_type, value=to.raw)

    st.caption(t("saw_facts_hint", counter=reading.counter.name))
    st.dataframe(
        _frame(reading, links_to),
        key=_TABLE,
        hide_index=True,
        on_select=chosen,
        selection_mode="single-cell",
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
            "dictionary": text(t("page_dictionaries"), width=110),
            **{pane.template: text(pane.template, width=92) for pane in reading.panes},
        },
    )


def _frame(reading: Reading, links_to: Sequence[DictionaryLink | None]) -> pd.DataFrame:
    wording = reading.wording()
    opens = f"↗ {t('saw_open_dictionary')}"
    has_dictionary = any(to is not None for to in links_to)
    return pd.DataFrame(
        [
            _row(reading, wording, cell)
            | ({"dictionary": opens if to is not None else ""} if has_dictionary else {})
            | _details(reading, cell)
            for cell, to in zip(reading.cells, links_to, strict=True)
        ]
    )


def _row(reading: Reading, wording: Wording, cell: Cell) -> dict[str, object]:
    told = {
        pane.template: coverage_text(pane, cell.key, coverage)
        if (coverage := pane.coverage.get(cell.key))
        else ""
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
    }


def _details(reading: Reading, cell: Cell) -> dict[str, object]:
    return {
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
