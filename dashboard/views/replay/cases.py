"""The cases themselves: what each guards, and its file as it would lie in git."""

from collections.abc import Mapping, Sequence
from typing import Final

import orjson
import streamlit as st

from dashboard import links
from dashboard.i18n import t
from dashboard.views.replay import queries as replay_queries
from dashboard.views.replay.columns import listed
from dashboard.views.replay.make import make_form
from dashboard.views.replay.words import kind_text, tool_text, tools_text
from pipeline.replay import Case, CaseKind, case_to_json

_ALL: Final = "all"


def cases_view() -> None:
    """Draw the list of cases and the one that is chosen."""
    make_form()
    known = [item.case for item in replay_queries.cases()]
    shown = _filtered(known)
    if not shown:
        st.caption(t("replay_no_case"))
        return
    _table(shown)
    _detail(_case_box(shown))


def _filtered(known: Sequence[Case]) -> list[Case]:
    kinds = [kind for kind in CaseKind if any(case.kind is kind for case in known)]
    tools = sorted({tool for case in known for tool in case.tools})
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kind = _box("kind", t("replay_column_kind"), {kind: kind_text(kind) for kind in kinds})
        tool = _box("tool", t("replay_column_tool"), {tool: tool_text(tool) for tool in tools})
    return [
        case for case in known if kind in (_ALL, case.kind) and (tool == _ALL or tool in case.tools)
    ]


def _box(name: str, label: str, texts: Mapping[str, str]) -> str:
    key = f"replay_filter_{name}"

    def changed() -> None:
        wanted = st.session_state[key]
        links.set_parameter(name, None if wanted == _ALL else wanted)

    shown = {_ALL: t("replay_any")} | dict(texts)
    wanted = st.query_params.get(name, _ALL)
    st.session_state[key] = wanted if wanted in shown else _ALL
    st.selectbox(label, list(shown), key=key, format_func=shown.__getitem__, on_change=changed)
    return str(st.session_state[key])


def _table(shown: Sequence[Case]) -> None:
    columns = {
        "replay_column_case": [case.case_id for case in shown],
        "replay_column_kind": [kind_text(case.kind) for case in shown],
        "replay_column_tools": [tools_text(case.tools) for case in shown],
        "replay_column_title": [case.title or "" for case in shown],
    }
    listed("replay_cases", columns)


def _case_box(shown: Sequence[Case]) -> Case:
    key = "replay_one_case"

    def changed() -> None:
        links.set_parameter("case", st.session_state[key])

    by_id = {case.case_id: case for case in shown}
    wanted = st.query_params.get("case", "")
    st.session_state[key] = wanted if wanted in by_id else shown[0].case_id
    st.selectbox(t("replay_case"), list(by_id), key=key, on_change=changed)
    return by_id[str(st.session_state[key])]


def _detail(case: Case) -> None:
    text = orjson.dumps(case_to_json(case), option=orjson.OPT_INDENT_2).decode()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if case.origin is not None:
            links.page_link(
                "trace",
                t("replay_open_trace"),
                icon=":material/account_tree:",
                trace_id=case.origin.trace_id,
            )
        st.download_button(
            t("replay_file"),
            f"{text}\n",
            file_name=f"{case.case_id}.json",
            mime="application/json",
            key="replay_file",
            on_click="ignore",
        )
    st.code(text, language="json", height=420)
