"""How one field is read: places, formats, factors, lists; tried at once on the values that came."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.formats import count_text
from dashboard.i18n import language, t
from dashboard.tuning.readings import Became, ReadValue, rules_of
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries import workspace
from dashboard.views.dictionaries.draft import Draft
from dashboard.views.dictionaries.edit import Edit, Place
from dashboard.views.dictionaries.reading_form import Asked, asked_edits, names_place
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.text import KINDS
from pipeline.errors import ToolsightError
from pipeline.observation import FragmentKind, RuleSet, SemanticFragment, load_rules
from pipeline.observation.fragment import words_in
from pipeline.observation.rules.yaml_text import read_yaml
from replay_store.rule_store import StoredRules

_ADDRESS: Final = "reading"
N_LISTED: Final = 100
_BECAME: Final = {
    Became.LOST: "dictionaries_became_lost",
    Became.READ: "dictionaries_became_read",
    Became.OTHER: "dictionaries_became_other",
    Became.UNREAD: "dictionaries_became_unread",
    Became.SAME: "dictionaries_became_same",
}


def reading_section(stored: StoredRules) -> None:
    """Draw one field's form, and beside it what every recorded value of it would be read as."""
    st.subheader(t("dictionaries_reading"), anchor=False)
    draft = workspace.draft(stored)
    rules = load_rules(draft.texts)
    place = _chosen(rules)
    if place is None:
        st.info(t("dictionaries_no_dictionary"), icon=":material/info:")
        return
    left, right = st.columns([5, 6], gap="medium")
    with left, st.container(border=True, key="dictionaries_reading_form"):
        edits = asked_edits(_asked(draft, rules, place))
        changed = _with(draft, edits)
        if st.button(
            t("dictionaries_add"),
            type="primary",
            icon=":material/edit_note:",
            key="dictionaries_add_reading",
            disabled=changed is None or not edits,
        ):
            workspace.keep(draft, changed or draft)
            st.rerun()
    with right:
        if changed is not None:
            _tried(stored, changed, place)


def _chosen(rules: RuleSet) -> Place | None:
    """The field that the address names, else the first; None without any."""
    names = {
        f"{tool.file}:{rule.name}": (Place(tool.file, rule.name), tool.label, tool.name, rule)
        for tool in rules.tools
        for rule in tool.fields
    }
    if not names:
        return None
    wanted = st.query_params.get(_ADDRESS, "")
    key = "dictionaries_reading_of"
    st.session_state[key] = wanted if wanted in names else next(iter(names))

    def changed() -> None:
        links.set_parameter(_ADDRESS, st.session_state[key])

    def shown(name: str) -> str:
        place, label, tool, rule = names[name]
        fact = rules.label(rule.fact_type, language())
        return f"{words_in(label, language()) or tool} · {fact} ({place.field})"

    st.selectbox(
        t("dictionaries_column_field"),
        tuple(names),
        key=key,
        format_func=shown,
        on_change=changed,
        width=480,
    )
    return names[st.session_state[key]][0]


def _asked(draft: Draft, rules: RuleSet, place: Place) -> Asked:
    files = {file: read_yaml(file, text) for file, text in draft.texts.items()}
    entry: dict[str, Any] = next(
        item for item in files[place.file]["output_schema"] if str(item["name"]) == place.field
    )
    tool = rules_of(rules, place.file)
    assert tool is not None  # noqa: S101  # the place is one of the rules' own
    fact = next(rule.fact_type for rule in tool.fields if rule.name == place.field)
    names = names_place(files, fact)
    said = files[names.file]["fact_types"][fact] if names else None
    return Asked(
        place=place,
        entry=entry,
        fact=rules.fact_types[fact],
        names=names,
        paths=dictionaries_queries.paths(tool),
        key=f"dictionaries_reading_{place.file}_{place.field}_{hash(repr((entry, said)))}",
    )


def _with(draft: Draft, edits: Sequence[tuple[Place, Edit]]) -> Draft | None:
    """The draft with what the form says; None where that cannot be, and why is drawn."""
    try:
        for place, edit in edits:
            draft = draft.with_edit(place, edit)
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "reading")
        return None
    return draft


def _tried(stored: StoredRules, changed: Draft, place: Place) -> None:
    found = dictionaries_queries.readings(stored, changed.texts, place)
    if not found:
        st.info(t("dictionaries_reading_no_data"), icon=":material/inbox:")
        return
    counts: Counter[Became] = Counter()
    for item in found:
        counts[item.became] += item.n
    st.markdown(
        t(
            "dictionaries_reading_counts",
            n=count_text(counts.total()),
            **{became.value: count_text(counts[became]) for became in Became},
        )
    )
    if counts[Became.LOST]:
        st.warning(
            t("dictionaries_reading_lost", n=count_text(counts[Became.LOST])),
            icon=":material/warning:",
        )
    _table(found[:N_LISTED])
    if len(found) > N_LISTED:
        st.caption(t("dictionaries_reading_cut", n=count_text(len(found) - N_LISTED)))


def _table(found: Sequence[ReadValue]) -> None:
    text = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame(
            {
                "raw": [item.raw for item in found],
                "before": [_said(item.before) for item in found],
                "after": [_said(item.after) for item in found],
                "became": [t(_BECAME[item.became]) for item in found],
                "n": [item.n for item in found],
            }
        ),
        key="dictionaries_readings",
        hide_index=True,
        height="content" if len(found) <= 12 else 440,
        row_height=32,
        column_config={
            "raw": text(t("dictionaries_column_raw"), width=140),
            "before": text(t("dictionaries_column_before"), width=120),
            "after": text(t("dictionaries_column_after"), width=120),
            "became": text(t("dictionaries_reading_became"), width=100),
            "n": st.column_config.NumberColumn(t("dictionaries_column_n"), width=60),
        },
    )


def _said(fragment: SemanticFragment | None) -> str:
    """What a value was read as, in a few words; text of a tool, for a table cell."""
    if fragment is None:
        return t("dictionaries_said_nothing")
    if fragment.kind is FragmentKind.FACT:
        return words_in(fragment.words, language()) or str(fragment.value)
    reason = f" ({fragment.reason})" if fragment.reason else ""
    return f"{t(KINDS[fragment.kind])}{reason}"
