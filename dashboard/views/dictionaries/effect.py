"""What a draft would have changed: one sentence, the classes of change, and a prompt of each."""

from typing import Final

import pandas as pd
import streamlit as st

from dashboard.formats import count_text, rate_text
from dashboard.i18n import language, t
from dashboard.views.dictionaries.effect_examples import examples
from dashboard.views.dictionaries.gates import Judged, acknowledge
from dashboard.views.dictionaries.text import said_texts
from pipeline.observation import RuleSet
from replay_store.backtest_impact import ChangeClass, Impact
from replay_store.rule_reviews import is_same_person

_TABLE: Final = "dictionaries_classes"
N_CLASSES: Final = 50


def effect(judged: Judged, rules: RuleSet, who: str) -> None:
    """Draw the sentence, the frame it stands on, and the classes with examples.

    Args:
        judged: The draft and what was found.
        rules: The draft's; they name the facts.
        who: Who looks.
    """
    impact = judged.trial.impact
    with st.container(border=True, key="dictionaries_impact"):
        if impact.is_nothing:
            st.info(t("dictionaries_effect_nothing"), icon=":material/equal:")
        else:
            st.markdown(impact_sentence(impact))
        st.caption(frame_text(impact))
        if impact.classes:
            _classes(judged, rules, who)


def impact_sentence(impact: Impact) -> str:
    """What would change, in one sentence of markdown."""
    counts = {
        "facts": impact.n_facts_changed,
        "traces": impact.n_traces_changed,
        "prompts": impact.n_prompts_changed,
        "unknown_removed": impact.n_unknown_removed,
        "unknown_added": impact.n_unknown_added,
        "conflicts_made": impact.n_conflicts_made,
        "conflicts_cleared": impact.n_conflicts_cleared,
    }
    delta = f"{impact.token_delta:+,}"
    return t("dictionaries_effect_sentence", delta=delta, **_texts(counts))


def _texts(counts: dict[str, int]) -> dict[str, str]:
    return {name: count_text(count) for name, count in counts.items()}


def frame_text(impact: Impact) -> str:
    """What it was tried on, and what could not be."""
    text = t(
        "dictionaries_frame",
        n=count_text(impact.n_observations),
        distinct=count_text(impact.n_distinct),
        traces=count_text(impact.n_traces),
    )
    lost = (impact.n_without_raw, impact.n_partly_raw, impact.n_redacted, impact.n_traces_removed)
    if any(lost):
        text += " " + t(
            "dictionaries_frame_lost",
            without=count_text(impact.n_without_raw),
            partly=count_text(impact.n_partly_raw),
            redacted=count_text(impact.n_redacted),
            removed=count_text(impact.n_traces_removed),
            share=rate_text(_lost_share(impact)),
        )
    return text


def _lost_share(impact: Impact) -> float | None:
    """Of the observations, those that cannot be read again whole."""
    lost = impact.n_without_raw + impact.n_partly_raw
    return lost / impact.n_observations if impact.n_observations else None


def _classes(judged: Judged, rules: RuleSet, who: str) -> None:
    classes = judged.trial.impact.classes
    shown = classes[:N_CLASSES]
    if len(classes) > len(shown):
        st.caption(t("dictionaries_classes_cut", n=count_text(len(classes) - len(shown))))
    said = [said_texts(item.change) for item in shown]
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    selected = st.dataframe(
        pd.DataFrame(
            {
                "type": [rules.label(item.change.fact_type, language()) for item in shown],
                "before": [before for before, _ in said],
                "after": [after for _, after in said],
                "facts": [item.n_facts for item in shown],
                "traces": [item.n_traces for item in shown],
                "meant": [judged.said.acknowledged.get(item.change.key, "") for item in shown],
            }
        ),
        key=_TABLE,
        hide_index=True,
        height="content",
        row_height=32,
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "type": text(t("dictionaries_column_fact"), width=150),
            "before": text(t("dictionaries_column_before"), width="medium"),
            "after": text(t("dictionaries_column_after"), width="medium"),
            "facts": number(t("dictionaries_column_facts"), width=80),
            "traces": number(t("dictionaries_column_traces"), width=80),
            "meant": text(t("dictionaries_column_meant"), width=110),
        },
    )
    cells = selected.selection.cells
    index = cells[0][0] if cells and cells[0][0] < len(shown) else 0
    _meant(shown[index], judged, who)
    examples(shown[index], judged.draft)


def _meant(item: ChangeClass, judged: Judged, who: str) -> None:
    """The button that says that the chosen change is meant, or is not after all."""
    key = item.change.key
    by = judged.said.acknowledged.get(key)
    if by is not None and not is_same_person(by, who):
        return
    label = t("dictionaries_not_meant") if by is not None else t("dictionaries_acknowledge")
    if st.button(label, icon=":material/check:", key=f"dictionaries_acknowledge_{key}"):
        acknowledge(judged, [key], who, is_withdrawn=by is not None)
