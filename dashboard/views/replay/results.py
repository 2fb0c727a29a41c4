"""The cases of one run: which changed, how, and the trace behind each."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import streamlit as st

from dashboard import links
from dashboard.filters import zone
from dashboard.formats import count_text, minute_text
from dashboard.i18n import t
from dashboard.views.replay import queries as replay_queries
from dashboard.views.replay.columns import listed
from dashboard.views.replay.words import (
    CHANGE_KEYS,
    change_text,
    kind_text,
    setup_text,
    tools_text,
)
from pipeline.replay.outcome import Change
from replay_store.records import ReplayResult
from replay_store.replay import PlayedRun

_ALL: Final = "all"
_RIGHT_KEYS: Final = {True: "replay_is_right", False: "replay_is_wrong", None: "replay_not_judged"}


def results(played: PlayedRun, other: PlayedRun | None) -> None:
    """Draw the results of a run, beside those of another one where there is one."""
    others = {} if other is None else {item.case_id: item for item in other.results}
    shown = _filtered(played, others, is_compared=other is not None)
    if not shown:
        st.caption(t("replay_no_result"))
        return
    _table(shown, others if other is not None else None)
    _detail(_case_box(shown), others)


def _filtered(
    played: PlayedRun, others: dict[str, ReplayResult], *, is_compared: bool
) -> list[ReplayResult]:
    ranks = {change.value: rank for rank, change in enumerate(CHANGE_KEYS)}
    ordered = sorted(played.results, key=lambda item: (ranks[item.change], item.position))
    counts = Counter(item.change for item in ordered)
    wanted = _change_box(counts)
    if is_compared and st.toggle(t("replay_only_different"), key="replay_only_different"):
        ordered = [item for item in ordered if _differs(item, others.get(item.case_id))]
    return [item for item in ordered if wanted in (_ALL, item.change)]


def _differs(item: ReplayResult, other: ReplayResult | None) -> bool:
    return other is None or other.is_right_after != item.is_right_after


def _change_box(counts: Counter[str]) -> str:
    key = "replay_change"

    def changed() -> None:
        wanted = st.session_state[key]
        links.set_parameter("change", None if wanted == _ALL else wanted)

    options = [_ALL, *(change.value for change in CHANGE_KEYS if counts[change.value])]
    wanted = st.query_params.get("change", _ALL)
    st.session_state[key] = wanted if wanted in options else _ALL
    st.segmented_control(
        t("replay_which"),
        options,
        key=key,
        format_func=lambda name: _option_text(name, counts),
        on_change=changed,
        required=True,
    )
    return str(st.session_state[key])


def _option_text(name: str, counts: Counter[str]) -> str:
    if name == _ALL:
        return t("replay_all", n=count_text(counts.total()))
    return f"{change_text(name)} {count_text(counts[name])}"


def _table(shown: Sequence[ReplayResult], others: dict[str, ReplayResult] | None) -> None:
    columns = {
        "replay_column_change": [change_text(item.change) for item in shown],
        "replay_column_case": [item.case_id for item in shown],
        "replay_column_kind": [kind_text(item.case_kind) for item in shown],
        "replay_column_tools": [tools_text(item.tool_names) for item in shown],
        "replay_column_before": [_right(item.is_right_before) for item in shown],
        "replay_column_after": [_right(item.is_right_after) for item in shown],
    }
    if others is not None:
        columns["replay_column_other"] = [_beside(others.get(item.case_id)) for item in shown]
    listed("replay_results", columns)


def _beside(other: ReplayResult | None) -> str:
    return t("replay_not_played") if other is None else _right(other.is_right_after)


def _right(is_right: bool | None) -> str:
    return t(_RIGHT_KEYS[is_right])


def _case_box(shown: Sequence[ReplayResult]) -> ReplayResult:
    key = "replay_case"

    def changed() -> None:
        links.set_parameter("case", st.session_state[key])

    by_id = {item.case_id: item for item in shown}
    wanted = st.query_params.get("case", "")
    st.session_state[key] = wanted if wanted in by_id else shown[0].case_id
    st.selectbox(
        t("replay_case"),
        list(by_id),
        key=key,
        format_func=lambda case_id: f"{change_text(by_id[case_id].change)} · {case_id}",
        on_change=changed,
    )
    return by_id[str(st.session_state[key])]


def _detail(item: ReplayResult, others: dict[str, ReplayResult]) -> None:
    with st.container(border=True, key="replay_detail"):
        st.text(item.case_id)
        for reason in _reasons(item):
            st.text(reason)
        if item.diff:
            st.code("\n".join(item.diff), language="diff", wrap_lines=True)
        elif item.change != Change.SKIPPED:
            st.caption(t("replay_no_diff"))
        if (other := others.get(item.case_id)) is not None and other.diff:
            st.caption(t("replay_other_diff"))
            st.code("\n".join(other.diff), language="diff", wrap_lines=True)
        if item.trace_id is not None:
            links.page_link(
                "trace",
                t("replay_open_trace"),
                icon=":material/account_tree:",
                trace_id=item.trace_id,
            )
        _past(item.case_id)


def _reasons(item: ReplayResult) -> list[str]:
    """Why the case is wrong or was skipped, each once; texts of cases and traces, so never markup."""
    skipped = [side["skipped"] for side in (item.before, item.after) if "skipped" in side]
    problems = item.after.get("problems")
    told = [*skipped, *(problems if isinstance(problems, list) else ())]
    return list(dict.fromkeys(map(str, told)))


def _past(case_id: str) -> None:
    past = replay_queries.history(case_id)
    if len(past) < 2:
        return
    st.caption(t("replay_past"))
    in_zone = zone()
    columns = {
        "replay_column_time": [minute_text(item.started_time_ns, in_zone) for item in past],
        "replay_column_candidate": [setup_text(item.candidate) for item in past],
        "replay_column_change": [change_text(item.change) for item in past],
    }
    listed("replay_past", columns)
