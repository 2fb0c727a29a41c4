"""The raw outputs of an observation, as they were recorded."""

from typing import Final

import streamlit as st

from dashboard.formats import json_text, size_text
from dashboard.i18n import t
from dashboard.views.facts import Fact, facts
from dashboard.views.passages import passage
from dashboard.views.trace.span_sections import Passage
from replay_store.rereading import CUT
from replay_store.saw import RawRecord, RecordedObservation

_INLINE: Final = 4_000
"""Characters; a longer body comes as a preview with the whole on demand."""


def raw_tab(recorded: RecordedObservation) -> None:
    """Each output under its tool: size, times, errors, body."""
    n_missing = recorded.observation.n_outputs - len(recorded.raw)
    if n_missing > 0:
        st.warning(t("saw_raw_missing", n=n_missing), icon=":material/warning:")
    if not recorded.raw:
        st.caption(t("saw_raw_none"))
    for record in recorded.raw:
        _output(record)


def _output(record: RawRecord) -> None:
    occurrence, output = record.occurrence, record.output
    key = f"saw_raw_{occurrence.position}"
    with st.container(border=True, key=key):
        facts(
            (
                Fact(t("call_tool"), output.tool_name),
                Fact(t("saw_contract"), output.contract_version),
                Fact(t("saw_size"), size_text(output.n_bytes)),
                Fact(t("saw_answered"), occurrence.received_time_text),
                Fact(t("fact_error_type"), occurrence.error_class),
                Fact(t("call_degradation"), occurrence.degradation),
            ),
            key=key,
        )
        if output.body.endswith(CUT):
            st.caption(t("saw_raw_cut"))
        text = json_text(output.body)
        if len(text) > _INLINE:
            passage(Passage(t("saw_body"), text), key)
        else:
            st.code(text, language=None, wrap_lines=True)
