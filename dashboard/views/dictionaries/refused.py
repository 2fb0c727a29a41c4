"""A refusal on a page: what was refused in the reader's words, why as the pipeline says it."""

import streamlit as st

from dashboard.i18n import t
from dashboard.views.facts import Fact, facts
from pipeline.errors import ToolsightError
from pipeline.observation import RuleFileError


def refused(heading: str, error: ToolsightError, key: str = "refused") -> None:
    """Draw the heading and the error's facts. The error may hold text of anyone: never markup."""
    st.error(heading, icon=":material/block:")
    if isinstance(error, RuleFileError):
        facts(
            (
                Fact(t("dictionaries_error_file"), error.file),
                Fact(t("dictionaries_error_path"), error.path),
                Fact(t("dictionaries_error_problem"), error.problem),
                Fact(t("dictionaries_error_allowed"), ", ".join(error.allowed) or None),
            ),
            key=f"dictionaries_{key}",
        )
    else:
        st.code(str(error), language=None, wrap_lines=True)
