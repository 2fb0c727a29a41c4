"""One observation: its head, the prompts side by side, its facts, and what lies behind them."""

from collections.abc import Sequence
from typing import Final, Literal

import streamlit as st

from dashboard import links, runtime
from dashboard.components.prompt_diff import prompt_diff
from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, duration_text, number_text, time_text
from dashboard.i18n import t
from dashboard.roles import caller
from dashboard.views.facts import Fact, facts
from dashboard.views.saw import queries as saw_queries
from dashboard.views.saw.choices import Choices, choices, variant_word
from dashboard.views.saw.facts import fact_table
from dashboard.views.saw.grid import change_rows, columns, rows
from dashboard.views.saw.plain import plain_panes
from dashboard.views.saw.reading import CLEAN, NOISY, Reading, read
from dashboard.views.saw.tabs import tabs
from dashboard.views.saw.template_folder import folder_of, saved_templates
from dashboard.views.saw.text import trouble_counts, trouble_word
from replay_store.records import Observation
from replay_store.saw import RecordedObservation

_COLORS: Final[dict[str, Literal["red", "orange", "gray", "violet"]]] = {
    "unknown": "orange",
    "conflict": "red",
    "unparsed": "orange",
    "failed": "red",
    "empty": "gray",
    "degraded": "orange",
    "noise": "violet",
}


def detail(recorded: RecordedObservation, seen: Sequence[Observation]) -> None:
    """Draw one observation.

    Args:
        recorded: The observation.
        seen: All observations of its trace, by time.
    """
    _head(recorded, seen)
    chosen = choices(recorded)
    rules = saw_queries.rules_of(recorded.observation)
    saved = saved_templates(folder_of(runtime.current().settings))
    who = caller()
    shown_variant = NOISY if chosen.variant != CLEAN else CLEAN
    language, owned = chosen.language, saved.templates
    own = st.query_params.get("template", "")

    def reading_of(variant: str) -> Reading:
        return read(recorded, rules, language, variant, caller=who, owned=owned, chosen=own)

    reading = reading_of(shown_variant)
    clean = reading if shown_variant == CLEAN else reading_of(CLEAN)
    _notes(reading, saved.problem)
    _prompts(reading, clean, chosen)
    fact_table(reading)
    tabs(reading, clean, owned)


def _head(recorded: RecordedObservation, seen: Sequence[Observation]) -> None:
    observation = recorded.observation
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="saw_title"):
        st.text(", ".join(observation.tool_names) or t("saw_no_tool"))
        for name, count in trouble_counts(observation).items():
            if count:
                st.badge(f"{trouble_word(name)} {count_text(count)}", color=_COLORS[name])
        _links(observation)
    _choose_other(observation, seen)
    facts(_facts(observation), key="saw")


def _links(observation: Observation) -> None:
    links.page_link(
        "trace",
        t("saw_open_trace"),
        icon=":material/account_tree:",
        trace_id=observation.trace_id,
        span=observation.span_id,
    )
    st.button(
        t("saw_all"),
        icon=":material/list:",
        key="saw_all",
        type="tertiary",
        on_click=links.go_to,
        args=("saw",),
    )


def _facts(observation: Observation) -> tuple[Fact, ...]:
    zone_shown = zone()
    spent = [
        ms
        for ms in (
            observation.parse_ms,
            observation.align_ms,
            observation.inject_ms,
            observation.render_ms,
        )
        if ms is not None
    ]
    return (
        Fact(t("saw_asked"), time_text(observation.query_time_ns, zone_shown)),
        Fact(t("saw_intent"), observation.intent or NO_VALUE),
        Fact(t("saw_about"), observation.primary_entity or NO_VALUE),
        Fact(t("saw_outputs"), count_text(observation.n_outputs)),
        Fact(t("saw_facts"), count_text(observation.n_cells)),
        Fact(t("saw_mean_confidence"), number_text(observation.mean_confidence)),
        Fact(t("saw_rules"), observation.rule_version or NO_VALUE),
        Fact(t("saw_spent"), duration_text(sum(spent) * 1e6) if spent else NO_VALUE),
        Fact(t("saw_signals"), ", ".join(observation.signals) or None),
        Fact(t("fact_trace_id"), observation.trace_id),
    )


def _choose_other(observation: Observation, seen: Sequence[Observation]) -> None:
    if len(seen) < 2:
        return
    key = "saw_span"
    by_id = {other.span_id: (number, other) for number, other in enumerate(seen, start=1)}

    def changed() -> None:
        links.set_parameter("span", st.session_state[key])

    def shown(span_id: str) -> str:
        number, other = by_id[span_id]
        return f"{number}/{len(seen)} · {', '.join(other.tool_names)}"

    st.session_state[key] = observation.span_id
    st.selectbox(
        t("saw_in_trace", n=len(seen)),
        tuple(by_id),
        key=key,
        format_func=shown,
        on_change=changed,
        width=420,
    )


def _notes(reading: Reading, problem: str | None) -> None:
    """What a reader must know before trusting a text on this page."""
    if not reading.caller.sees_raw:
        st.info(t("saw_raw_withheld"), icon=":material/lock:")
    if problem is not None:
        st.warning(t("saw_templates_unusable"), icon=":material/error:")
        st.code(problem, language=None, wrap_lines=True)
    if reading.resolved is None:
        st.warning(t("saw_no_snapshot"), icon=":material/warning:")
    if not reading.rules.is_own:
        st.warning(t("saw_rules_lost"), icon=":material/history:")
        st.code(reading.recorded.observation.rule_version or NO_VALUE, language=None)
    for pane in reading.panes:
        if pane.problem is not None:
            st.warning(t("saw_template_broken"), icon=":material/error:")
            st.code(pane.problem, language=None, wrap_lines=True)


def _prompts(reading: Reading, clean: Reading, chosen: Choices) -> None:
    if not any(pane.text for pane in reading.panes):
        st.info(t("saw_no_prompt"), icon=":material/visibility_off:")
        return
    st.caption(_caption(reading, chosen))
    if not chosen.is_diff:
        for each in (clean, reading) if chosen.is_both else (reading,):
            if chosen.is_both:
                st.text(variant_word(each.variant))
            plain_panes(each)
    elif chosen.is_both:
        prompt_diff(
            columns(reading, "", is_raw_shown=False),
            change_rows(clean, reading),
            fact=t("saw_fact"),
            key="saw_grid_both",
        )
    else:
        prompt_diff(
            columns(reading, chosen.base),
            rows(reading, chosen.base),
            fact=t("saw_fact"),
            key=f"saw_grid_{reading.variant}",
        )


def _caption(reading: Reading, chosen: Choices) -> str:
    words = [t("saw_counted", counter=reading.counter.name)]
    if chosen.is_diff and chosen.is_both:
        words.insert(0, t("saw_hint_both"))
    elif chosen.is_diff:
        words.insert(0, t("saw_hint_diff"))
    return " ".join(words)
