"""What the contract of a tool leaves open, in sentences: a cell of a table would cut them."""

from collections.abc import Sequence
from typing import Final, Literal

import streamlit as st

from dashboard.i18n import language, t
from pipeline.contracts import Finding, Severity

_BADGES: Final[dict[Severity, tuple[str, Literal["red", "orange", "gray"]]]] = {
    Severity.ERROR: ("tools_severity_error", "red"),
    Severity.WARNING: ("tools_severity_warning", "orange"),
    Severity.HINT: ("tools_severity_hint", "gray"),
}


def contract_findings(found: Sequence[Finding]) -> None:
    """Draw each finding: where, why it matters, what to write. Without any, say so."""
    st.subheader(t("tools_findings"), anchor=False)
    if not found:
        st.caption(t("tools_findings_none"))
        return
    for at, finding in enumerate(found):
        with st.container(border=True, gap="xsmall", key=f"finding_{at}"):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                label, colour = _BADGES[finding.severity]
                st.badge(t(label), color=colour)
                st.text(finding.field, width="content")
                st.caption(finding.source, width="content")
            st.text(finding.reason(language()))
            st.text(f"→ {finding.suggestion(language())}")
