"""What went wrong first: the verdict, ranked hints with their evidence, and what is known of it."""

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard.i18n import language, t
from dashboard.incident_text import (
    evidence_text,
    hint_text,
    layer_text,
    next_action,
    verdict_text,
)
from dashboard.metric_text import in_language
from metrics.incident import ADVICE, Diagnosis, Hint
from replay_store.records import Trace

__all__ = ["diagnosis_card"]


def diagnosis_card(trace: Trace, diagnosis: Diagnosis, open_span: Callable[[object], None]) -> None:
    """Draw the card. What comes from the trace is drawn as text, never in a label.

    Args:
        trace: Which.
        diagnosis: Its hints, best first.
        open_span: Called with the span id of the step that a hint names.
    """
    is_bad = bool(trace.is_run_failed)
    with st.container(border=True, gap="xsmall", key=f"diagnosis_{'bad' if is_bad else 'calm'}"):
        st.markdown(f"**{verdict_text(trace, diagnosis, language())}**")
        for number, hint in enumerate(diagnosis.hints):
            _hint(number, hint, diagnosis, open_span)
        _advice(diagnosis.hints)


def _hint(
    number: int, hint: Hint, diagnosis: Diagnosis, open_span: Callable[[object], None]
) -> None:
    lang = language()
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"hint_{number}"
    ):
        st.badge(layer_text(hint.layer, lang), color="gray" if hint.is_recovered else "orange")
        st.text(hint_text(hint, lang), width="content")
        if hint.span_id is not None:
            label = t("hint_open") if hint.step is None else t("hint_step", n=hint.step + 1)
            st.button(
                label,
                key=f"hint_open_{number}",
                type="tertiary",
                icon=":material/arrow_downward:",
                on_click=open_span,
                args=(hint.span_id,),
            )
    st.caption(evidence_text(hint, diagnosis.base, lang))
    advised = next_action(hint.error_type, lang)
    if advised is not None:
        st.caption(t("hint_next", action=advised))


def _advice(hints: Sequence[Hint]) -> None:
    """The rows of the tables of known problems for these signs, each once."""
    rows = list(dict.fromkeys(row for hint in hints for row in ADVICE[hint.sign]))
    if not rows:
        return
    with st.expander(t("advice_title", n=len(rows)), icon=":material/menu_book:"):
        for row in rows:
            st.markdown(
                "\n".join(
                    (
                        f"- **{t('advice_cause')}** {in_language(row.cause)}",
                        f"- **{t('advice_check')}** {in_language(row.check)}",
                        f"- **{t('advice_cure')}** {in_language(row.cure)}",
                    )
                )
            )
            st.caption(t("advice_source", source=row.source))
