"""Thresholds on the numbers that were recorded: move one, and see at once what would be said anew."""

import re
from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.formats import count_text
from dashboard.i18n import language, t
from dashboard.theme import Mode
from dashboard.tuning.thresholds import Banded, Flip, Measured, banded, flips, nice_step
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries import workspace
from dashboard.views.dictionaries.bands_text import Threshold
from dashboard.views.dictionaries.draft import Draft
from dashboard.views.dictionaries.edit import Place, moved_bands
from dashboard.views.dictionaries.keys_text import Block
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.threshold_chart import span_of, threshold_figure
from metrics import Scope
from pipeline.errors import ToolsightError
from pipeline.observation import RuleSet, load_rules
from pipeline.observation.bands import Band
from pipeline.observation.fragment import words_in
from replay_store.rule_store import StoredRules

_ADDRESS: Final = "threshold"
_FACT_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def thresholds_section(stored: StoredRules, period: Scope) -> None:
    """Draw one set of thresholds on its histogram, and the slider that moves one of them."""
    st.subheader(t("dictionaries_thresholds"), anchor=False)
    draft = workspace.draft(stored)
    rules = load_rules(draft.texts)
    known = banded(rules)
    if not known:
        st.info(t("dictionaries_thresholds_none"), icon=":material/info:")
        return
    chosen = _chosen(rules, known)
    numbers = dictionaries_queries.measured_values(period, rules, chosen)
    if not numbers:
        st.info(t("dictionaries_thresholds_no_data"), icon=":material/inbox:")
        return
    before = next((b for b in banded(stored.rule_set) if _name(b) == _name(chosen)), chosen)
    _tried(draft, before, chosen, numbers)


def _chosen(rules: RuleSet, known: Sequence[Banded]) -> Banded:
    by_name = {_name(item): item for item in known}
    wanted = st.query_params.get(_ADDRESS, "")
    key = "dictionaries_threshold_of"
    st.session_state[key] = wanted if wanted in by_name else next(iter(by_name))

    def changed() -> None:
        links.set_parameter(_ADDRESS, st.session_state[key])

    def shown(name: str) -> str:
        item = by_name[name]
        label = rules.label(item.fact_type, language())
        if item.formula is None:
            return f"{label} ({item.name})"
        return f"{label} = {_in_words(item.formula, rules)}"

    st.selectbox(
        t("dictionaries_threshold_of"),
        tuple(by_name),
        key=key,
        format_func=shown,
        on_change=changed,
        width=480,
    )
    return by_name[st.session_state[key]]


def _in_words(formula: str, rules: RuleSet) -> str:
    """A formula with the display names of its facts."""
    return _FACT_NAME.sub(
        lambda found: (
            rules.label(found[0], language()) if found[0] in rules.fact_types else found[0]
        ),
        formula,
    )


@st.fragment
def _tried(draft: Draft, before: Banded, chosen: Banded, numbers: tuple[Measured, ...]) -> None:
    """The slider and what it flips; drawn anew alone, so that it follows the hand."""
    bands = before.bands
    index = _seam(chosen)
    now = float(chosen.seams[index])
    low, high = _reach(chosen, index, numbers)
    step = nice_step(*span_of(numbers, [float(seam) for seam in chosen.seams]))
    value = st.slider(
        t("dictionaries_threshold_value"),
        low,
        high,
        min(max(now, low), high),
        step,
        key=f"dictionaries_slider_{_name(chosen)}_{index}_{now}",
    )
    moved = value if value != now else None
    names = [words_in(band.words, language()) or band.code for band in bands]
    st.plotly_chart(
        threshold_figure(numbers, bands, names, moved if moved is not None else now, _mode()),
        key="dictionaries_histogram",
        config={"displayModeBar": False},
    )
    total = sum(item.n for item in numbers)
    edit = Threshold(index, _text(value))
    try:
        after = moved_bands(chosen.bands, edit)
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "threshold")
        return
    _flips(flips(bands, after, numbers), total)
    if st.button(
        t("dictionaries_add"),
        icon=":material/edit_note:",
        key="dictionaries_add_threshold",
        disabled=moved is None,
    ):
        _add(draft, chosen, edit)


def _seam(chosen: Banded) -> int:
    """Which of several thresholds is moved, by the intervals that meet there."""
    if len(chosen.seams) < 2:
        return 0
    lang = language()
    names = [words_in(band.words, lang) or band.code for band in chosen.bands]
    found = st.segmented_control(
        t("dictionaries_threshold_which"),
        range(len(chosen.seams)),
        default=0,
        key=f"dictionaries_seam_{_name(chosen)}",
        format_func=lambda at: f"{names[at]} | {names[at + 1]}",
        required=True,
    )
    return int(found or 0)


def _reach(chosen: Banded, index: int, numbers: Sequence[Measured]) -> tuple[float, float]:
    """How far a threshold can be moved: not past its neighbours, nor far beyond all numbers."""
    low, high = span_of(numbers, [float(seam) for seam in chosen.seams])
    step = nice_step(low, high)
    low, high = round(low / step) * step, round(high / step) * step
    if index > 0:
        low = float(chosen.seams[index - 1]) + step
    if index + 1 < len(chosen.seams):
        high = float(chosen.seams[index + 1]) - step
    return round(low, 10), round(max(high, low + step), 10)


def _flips(found: Sequence[Flip], total: int) -> None:
    n = sum(flip.n for flip in found)
    st.markdown(
        t("dictionaries_flips", n=count_text(n), total=count_text(total))
        if found
        else t("dictionaries_flips_none", total=count_text(total))
    )
    if not found:
        return
    lang = language()
    st.dataframe(
        pd.DataFrame(
            {
                "before": [_words(flip.before, lang) for flip in found],
                "after": [_words(flip.after, lang) for flip in found],
                "facts": [flip.n for flip in found],
                "traces": [flip.n_traces for flip in found],
            }
        ),
        hide_index=True,
        height="content",
        row_height=32,
        key="dictionaries_flips",
        column_config={
            "before": st.column_config.TextColumn(t("dictionaries_column_before")),
            "after": st.column_config.TextColumn(t("dictionaries_column_after")),
            "facts": st.column_config.NumberColumn(t("dictionaries_column_facts"), width=80),
            "traces": st.column_config.NumberColumn(t("dictionaries_column_traces"), width=80),
        },
    )
    trace_id, span = found[0].example
    links.page_link(
        "saw",
        t("dictionaries_flip_example"),
        icon=":material/visibility:",
        trace_id=trace_id,
        span=span,
    )


def _add(draft: Draft, chosen: Banded, edit: Threshold) -> None:
    block = Block.DERIVED if chosen.is_derived else Block.FIELD
    place = Place(chosen.file or _domain_file(draft, chosen), chosen.name, block)
    try:
        workspace.keep(draft, draft.with_edit(place, edit))
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "threshold")
        return
    st.rerun()


def _domain_file(draft: Draft, chosen: Banded) -> str:
    """The file in which a formula stands: rule sets may have several domain files."""
    return dictionaries_queries.file_of_derived(draft.texts, chosen.fact_type)


def _words(band: Band, lang: str) -> str:
    words = words_in(band.words, lang)
    return band.code if words in (None, band.code) else f"{words} ({band.code})"


def _text(value: float) -> str:
    """The number as it is written into the file: whole where it is whole."""
    rounded = round(value, 10)
    return str(int(rounded)) if rounded == int(rounded) else repr(rounded)


def _name(item: Banded) -> str:
    return f"{item.file or ''}:{item.name}"


def _mode() -> Mode:
    return "dark" if st.context.theme.type == "dark" else "light"
