"""Replay cases whose right choice rests on a changed fact: what only a model can answer."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dashboard import links
from dashboard.formats import count_text
from dashboard.i18n import language, t
from dashboard.tuning.citing import Citing
from pipeline.observation import RuleSet

N_LISTED: Final = 20
_COMMANDS: Final = """\
toolsight rules export in-force --out base-rules
toolsight rules export {draft} --out draft-rules
toolsight replay run --stored --base-rules base-rules --rules draft-rules --chooser openai:MODEL@URL"""


def citing_section(found: Sequence[Citing], rules: RuleSet, draft_id: str) -> None:
    """Draw the cases, each with a link and the facts that it cites; nothing without any.

    Args:
        found: The cases.
        rules: The draft's; they name the facts.
        draft_id: Under which it is kept.
    """
    if not found:
        return
    with st.expander(
        t("dictionaries_citing", n=count_text(len(found))),
        icon=":material/psychology_alt:",
        key="dictionaries_citing",
    ):
        st.caption(t("dictionaries_citing_why"))
        st.code(_COMMANDS.format(draft=draft_id), language=None)
        for item in found[:N_LISTED]:
            _row(item, rules)
        if len(found) > N_LISTED:
            st.caption(t("dictionaries_citing_cut", n=count_text(len(found) - N_LISTED)))


def _row(item: Citing, rules: RuleSet) -> None:
    case_id = item.case.case_id
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"citing_{case_id}"
    ):
        links.page_link(
            "replay",
            case_id.replace("_", r"\_"),  # an id is letters, digits and `._-`
            icon=":material/replay:",
            view="cases",
            case=case_id,
        )
        names = ", ".join(rules.label(name, language()) for name in item.fact_types)
        st.text(" · ".join(part for part in (names, item.case.title) if part), width="content")
