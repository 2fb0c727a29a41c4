"""What stands out: one line for each finding, most severe first, each with a way to its traces."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dashboard import links
from dashboard.filters import zone
from dashboard.formats import count_text, minute_text
from dashboard.i18n import t
from dashboard.metric_text import metric_name, value_text
from dashboard.views.overview.metric_card import is_page, state_badge
from metrics import Note, Report, Standout, State, SubjectKind, standouts

MOST: Final = 8
"""Lines shown; what is less severe is on the cards."""
_JUDGED: Final = (State.OK, State.BAD)


def standout_list(report: Report) -> None:
    """Draw the list; nothing out of limits is one quiet line."""
    found = standouts(report)
    if not found:
        st.caption(_quiet(report))
        return
    st.subheader(t("standouts_title"), anchor=False)
    with st.container(border=True, gap="xsmall", key="standouts"):
        for place, standout in enumerate(found[:MOST]):
            _line(standout, place)
        if len(found) > MOST:
            st.caption(t("standouts_more", n=count_text(len(found) - MOST)))
        links.page_link("alerts", t("standouts_alerts"))


def _quiet(report: Report) -> str:
    is_judged = any(metric.state in _JUDGED for metric in report.metrics().values())
    return t("standouts_none") if is_judged else t("standouts_unjudged")


def _line(standout: Standout, place: int) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"standout_{place}"
    ):
        state_badge(standout.state)
        st.markdown(f"**{metric_name(standout.metric)}**", width="content")
        if standout.subject is not None:
            st.text(_subject(standout), width="content")
        st.caption(" · ".join(_sentence(standout)), width="content")
        _link(standout)


def _subject(standout: Standout) -> str:
    """Text from traces: only ever drawn as plain text."""
    subject = standout.subject
    if subject is None:
        return ""
    if subject.kind is SubjectKind.VALUE:
        return " · ".join(
            part for part in (subject.tool_name, subject.fact_type, subject.name) if part
        )
    return subject.name


def _sentence(standout: Standout) -> Sequence[str]:
    said = [_guard(standout) if standout.metric == "guard_hits" else _level(standout)]
    if standout.metric != "guard_hits" and standout.baseline is not None:
        said.append(t("standout_before", value=value_text(standout.baseline.value, standout.unit)))
    if standout.since_ns is not None:
        said.append(t("standout_since", time=minute_text(standout.since_ns, zone())))
    return said


def _level(standout: Standout) -> str:
    if standout.limit is None:
        return t(
            "standout_shown",
            value=value_text(standout.value, standout.unit),
            n=count_text(standout.n),
        )
    return t(
        "standout_at_least" if standout.is_below else "standout_at_most",
        value=value_text(standout.value, standout.unit),
        n=count_text(standout.n),
        limit=value_text(standout.limit, standout.unit),
    )


def _guard(standout: Standout) -> str:
    before = standout.baseline
    n_before = count_text(before.n) if before else "0"
    if standout.subject is None:
        return t("standout_no_evaluation", n_before=n_before)
    if standout.note is Note.EVALUATIONS_STOPPED:
        return t("standout_stopped", n=count_text(standout.n), n_before=n_before)
    return t(
        "standout_silent",
        n=count_text(standout.n),
        hits=count_text(before.value if before else 0),
        n_before=n_before,
    )


def _link(standout: Standout) -> None:
    subject = standout.subject
    tool = subject.tool_name if subject else None
    if subject is not None and subject.kind is SubjectKind.VALUE and is_page("saw"):
        links.page_link(
            "saw",
            t("standout_saw"),
            has="unknown",
            tool=tool,
            fact_type=subject.fact_type,
            raw=subject.name,
        )
    elif standout.part is None:
        links.page_link("traces", t("standout_traces"), tool=tool)
    else:
        links.page_link(
            "traces",
            t("standout_traces"),
            metric=standout.metric,
            part=standout.part,
            tool=tool,
        )
