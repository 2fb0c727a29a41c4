"""The gates of a draft: what stands in its way, how to meet it, and the buttons that do."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import streamlit as st

from dashboard import queries
from dashboard.filters import range_key
from dashboard.formats import count_text
from dashboard.i18n import language, t
from dashboard.tuning.cases import guard_changes, update_broken
from dashboard.tuning.gate_text import gate_words
from dashboard.tuning.trial import Trial, cases_of, play_cases
from dashboard.views.dictionaries import state as dictionaries_state
from dashboard.views.dictionaries.draft import Draft
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.who import is_named
from metrics import Scope
from metrics.rule_gates import Gate, GateName, GateState
from pipeline.errors import ToolsightError
from pipeline.observation import RuleSet, load_rules
from replay_store import rule_reviews
from replay_store.rule_reviews import Reviewed
from replay_store.rule_store import MAX_REASON, version_of

_ICONS: Final = {
    GateState.MET: ":material/check_circle:",
    GateState.WAITING: ":material/hourglass_empty:",
    GateState.FAILED: ":material/block:",
    GateState.WARNING: ":material/info:",
}
_LISTED: Final = 8


@dataclass(frozen=True, slots=True)
class Judged:
    """A draft with all that is known about it."""

    draft: Draft
    period: Scope
    trial: Trial
    said: Reviewed
    gates: tuple[Gate, ...]

    @property
    def version(self) -> str:
        """What the draft would be called."""
        return version_of(self.draft.texts)


def gates_section(judged: Judged, who: str) -> None:
    """Draw what is closed with its remedy, then what is open, folded."""
    closed = [gate for gate in judged.gates if not gate.is_open]
    warned = [gate for gate in judged.gates if gate.is_open and gate.state is GateState.WARNING]
    met = [gate for gate in judged.gates if gate.state is GateState.MET]
    with st.container(border=True, key="dictionaries_gates"):
        if closed:
            st.markdown(t("dictionaries_gates_closed", n=count_text(len(closed))))
        else:
            st.markdown(t("dictionaries_gates_open"))
        for gate in (*closed, *warned):
            _gate(gate, judged, who)
        with st.expander(
            t("dictionaries_gates_met", n=count_text(len(met))),
            key="dictionaries_gates_met",
        ):
            for gate in met:
                _gate(gate, judged, who)


def _gate(gate: Gate, judged: Judged, who: str) -> None:
    words = gate_words(gate, t)
    with st.container(gap="xsmall", key=f"dictionaries_gate_{gate.name.value}"):
        st.markdown(f"{_ICONS[gate.state]} **{words.title}**")
        st.caption(words.said if words.remedy is None else f"{words.said} {words.remedy}")
        if gate.name is GateName.APPROVED:
            _approvals(judged, who)
        elif not gate.is_open:
            _what(gate, judged)
            _remedy(gate, judged, who)


def _what(gate: Gate, judged: Judged) -> None:
    """What stands in the way, by name: text of rule files and cases, never markup."""
    items: Sequence[str] = gate.items
    if gate.name is GateName.EXPLAINED:
        return
    if gate.name is GateName.CASES:
        items = [
            f"{item.case.case_id}: {sentence}"
            for item in judged.trial.broken
            for sentence in item.after.problems
        ]
    if gate.name is GateName.COVERED:
        rules = load_rules(judged.draft.texts)
        items = [rules.label(name, language()) for name in gate.items]
    if items:
        more = "" if len(items) <= _LISTED else f"\n… +{len(items) - _LISTED}"
        st.code("\n".join(items[:_LISTED]) + more, language=None, wrap_lines=True)


def _remedy(gate: Gate, judged: Judged, who: str) -> None:
    if gate.name is GateName.EXPLAINED and st.button(
        t("dictionaries_acknowledge_all", n=count_text(len(gate.items))),
        icon=":material/done_all:",
        key="dictionaries_acknowledge_all",
    ):
        acknowledge(judged, gate.items, who)
    if gate.name is GateName.COVERED and st.button(
        t("dictionaries_guard"), icon=":material/add_task:", key="dictionaries_guard"
    ):
        _guard(judged, who)
    if gate.name is GateName.CASES:
        _update_cases(judged, who)


def acknowledge(
    judged: Judged, keys: Sequence[str], who: str, *, is_withdrawn: bool = False
) -> None:
    """Keep that these classes of change are meant, or are not after all; then draw anew."""
    if not is_named(who):
        return
    rule_reviews.acknowledge(
        queries.database(),
        judged.draft.base_version,
        judged.version,
        keys,
        who,
        time.time_ns,
        is_withdrawn=is_withdrawn,
    )
    st.rerun()


def _guard(judged: Judged, who: str) -> None:
    if not is_named(who):
        return
    rules = load_rules(judged.draft.texts)
    note = t("dictionaries_guard_note", version=judged.version[:12])
    try:
        guard_changes(queries.database(), judged.trial, rules, f"{note} ({who})", _now_text())
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "guard")
        return
    _played_again(judged, rules)


def _update_cases(judged: Judged, who: str) -> None:
    why = st.text_input(
        t("dictionaries_cases_why"), max_chars=MAX_REASON, key="dictionaries_cases_why"
    )
    if not st.button(
        t("dictionaries_cases_update", n=count_text(len(judged.trial.broken))),
        icon=":material/update:",
        key="dictionaries_cases_update",
    ):
        return
    if not is_named(who):
        return
    if not why.strip():
        st.error(t("dictionaries_cases_why_first"), icon=":material/edit:")
        return
    rules = load_rules(judged.draft.texts)
    try:
        update_broken(
            queries.database(), judged.trial.broken, rules, f"{why.strip()} ({who})", _now_text()
        )
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "cases")
        return
    _played_again(judged, rules)


def _played_again(judged: Judged, rules: RuleSet) -> None:
    base = load_rules(judged.draft.base)
    played = play_cases(judged.trial, base, rules, cases_of(queries.database()))
    dictionaries_state.keep_seen(judged.draft, range_key(), judged.period, played)
    st.rerun()


def _approvals(judged: Judged, who: str) -> None:
    for said in judged.said.approvals:
        st.text(said.author if said.note is None else f"{said.author}: {said.note}")
    is_mine = any(rule_reviews.is_same_person(said.author, who) for said in judged.said.approvals)
    label = t("dictionaries_unapprove") if is_mine else t("dictionaries_approve")
    note = (
        ""
        if is_mine
        else st.text_input(
            t("dictionaries_approve_note"), max_chars=MAX_REASON, key="dictionaries_approve_note"
        )
    )
    if not st.button(label, icon=":material/thumb_up:", key="dictionaries_approve"):
        return
    if not is_named(who):
        return
    try:
        rule_reviews.approve(
            queries.database(),
            judged.draft.base_version,
            judged.version,
            who,
            note,
            judged.draft.authors,
            time.time_ns,
            is_withdrawn=is_mine,
        )
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "approve")
        return
    st.rerun()


def _now_text() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
