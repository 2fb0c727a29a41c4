"""Tools that are taken for each other: what a model reads of both, side by side, and what lint says."""

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from dashboard.formats import count_text, rate_text
from dashboard.i18n import language, t
from dashboard.views.audit import queries as audit_queries
from dashboard.views.audit.figures import bounds
from metrics import ConfusablePair
from pipeline.contracts import Finding, Rule

_MOST: Final = 5
"""Pairs shown with their contracts; the worst come first."""
_OF_WORDS: Final = frozenset({Rule.WHEN_NOT, Rule.WHEN, Rule.NEAR_DUPLICATE, Rule.BOUNDARY})
"""What lint says of the sentences that tell two tools apart."""


def confusable_pairs(pairs: Sequence[ConfusablePair]) -> None:
    """Draw the worst pairs; nothing when no two tools were confused."""
    if not pairs:
        return
    st.subheader(t("audit_pairs"), anchor=False)
    st.caption(t("audit_pairs_note"))
    descriptions, findings = audit_queries.offered()
    for at, pair in enumerate(pairs[:_MOST]):
        with st.container(border=True, key=f"audit_pair_{at}"):
            _pair(pair, descriptions, findings)
    if len(pairs) > _MOST:
        st.caption(t("audit_pairs_more", n=count_text(len(pairs) - _MOST)))


def _pair(
    pair: ConfusablePair, descriptions: Mapping[str, str], findings: Sequence[Finding]
) -> None:
    st.caption(
        t(
            "audit_pair_rate",
            n=count_text(pair.n),
            needed=count_text(pair.n_needed),
            rate=rate_text(pair.rate),
            interval=bounds(pair.interval),
        )
    )
    for column, name in zip(st.columns(2), (pair.one, pair.other), strict=True):
        with column:
            st.code(name, language=None)
            if name not in descriptions:
                st.caption(t("audit_pair_not_offered"))
                continue
            st.text(descriptions[name] or t("audit_pair_no_description"))
            _say(name, {pair.one, pair.other}, findings)


def _say(name: str, both: set[str], findings: Sequence[Finding]) -> None:
    said = [found for found in findings if found.tool == name and _tells_apart(found, both)]
    for found in said:
        st.text(f"✎ {found.reason(language())} → {found.suggestion(language())}")
    if not said:
        st.caption(t("audit_pair_no_finding"))


def _tells_apart(found: Finding, both: set[str]) -> bool:
    """Whether a finding bears on this pair: of likenesses only that of the two."""
    if found.rule not in _OF_WORDS:
        return False
    return found.rule is not Rule.NEAR_DUPLICATE or found.values.get("other") in both
