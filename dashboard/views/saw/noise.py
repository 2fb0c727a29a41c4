"""What controlled noise changed in one observation."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import pandas as pd
import streamlit as st

from dashboard import queries
from dashboard.formats import NO_VALUE, count_text, number_text
from dashboard.i18n import t
from dashboard.views.facts import Fact, facts
from dashboard.views.saw.reading import Reading
from pipeline.observation import NoiseRecord
from replay_store.records import NoiseLog
from replay_store.saw import RecordedObservation

NoiseChange: TypeAlias = NoiseRecord | NoiseLog
"""A disturbance as the pipeline records it, or as a noise log holds it."""


def noise_tab(recorded: RecordedObservation, reading: Reading) -> None:
    """How the noise was made, and a row a fact that it changed."""
    seen = recorded.observation
    facts(
        (
            Fact(t("noise_profile"), seen.noise_profile or NO_VALUE),
            Fact(t("noise_seed"), NO_VALUE if seen.noise_seed is None else str(seen.noise_seed)),
            Fact(t("saw_intensity"), number_text(seen.noise_intensity)),
            Fact(t("saw_eligible"), count_text(seen.n_noise_eligible)),
            Fact(t("saw_hit"), count_text(seen.n_noise_hit)),
        ),
        key="saw_noise",
    )
    changed = _changes(recorded)
    if not changed:
        st.caption(t("saw_noise_nothing") if not seen.n_noise_hit else t("saw_noise_unrecorded"))
        return
    change_table(changed, reading, "saw_noise_table")
    st.caption(t("saw_noise_hint"))


def change_table(changed: Sequence[NoiseChange], reading: Reading, key: str) -> None:
    """A row a fact that noise changed: from what to what, and why it could."""
    labels = {cell.type: reading.wording().label(cell) for cell in reading.cells}
    text = st.column_config.TextColumn
    number = st.column_config.NumberColumn
    st.dataframe(
        _frame(changed, labels),
        key=key,
        hide_index=True,
        column_config={
            "label": text(t("noise_fact"), width=110),
            "kind": text(t("noise_kind"), width=130),
            "original": text(t("noise_original"), width="medium"),
            "injected": text(t("noise_injected"), width="medium"),
            "before": number(t("saw_confidence_before"), format="%.2f", width=110),
            "after": number(t("saw_confidence_after"), format="%.2f", width=110),
            "reason": text(t("noise_reason"), width="medium"),
            "entity": text(t("noise_entity"), width=130),
            "type": text(t("saw_column_type"), width=120),
        },
    )


def _changes(recorded: RecordedObservation) -> Sequence[NoiseChange]:
    """As the observation tells; else as a noise log tells of the same clean evidence."""
    if recorded.noise:
        return recorded.noise
    seen = recorded.observation
    return [
        row
        for row in queries.noise(seen.trace_id)
        if row.snapshot_hash_before == seen.snapshot_hash or row.span_id == seen.span_id
    ]


def _frame(changed: Sequence[NoiseChange], labels: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "label": [labels.get(row.fact_type or "", row.fact_type or "") for row in changed],
            "kind": [str(row.kind) for row in changed],
            "original": [row.original_value or "" for row in changed],
            "injected": [row.injected_value or "" for row in changed],
            "before": [row.confidence_before for row in changed],
            "after": [row.confidence_after for row in changed],
            "reason": [row.reason or "" for row in changed],
            "entity": [row.entity_ref or "" for row in changed],
            "type": [row.fact_type or "" for row in changed],
        }
    )
