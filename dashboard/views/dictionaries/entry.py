"""One dictionary as a table, and the form that gives one value a meaning; or the file as YAML."""

from typing import Final

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.formats import NO_VALUE
from dashboard.i18n import language, t
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries import workspace
from dashboard.views.dictionaries.draft import Draft
from dashboard.views.dictionaries.edit import Edit
from dashboard.views.dictionaries.lookup import (
    Dictionary,
    Suggestion,
    dictionaries,
    dictionary_of,
    suggestion,
)
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.text import version_text
from dashboard.views.dictionaries.yaml_text import Meaning, Synonym
from metrics import Scope
from pipeline.errors import ToolsightError
from pipeline.observation import RuleSet, load_rules
from pipeline.observation.fragment import Words, words_in
from replay_store.rule_store import StoredRules

_LANGUAGES: Final = ("zh", "en")
"""Of the words that a form asks for: those that prompts are written in."""
_MAX_RAW: Final = 200
_OWN: Final = "own"
_SAME: Final = "same"


def entry_section(stored: StoredRules, period: Scope | None) -> None:
    """Draw the dictionary that the address names, its form, and its file as text.

    Args:
        stored: The version in force.
        period: Where examples of the value are looked for; None without data.
    """
    st.subheader(t("dictionaries_edit"), anchor=False)
    draft = workspace.draft(stored)
    rules = load_rules(draft.texts)
    known = dictionaries(rules)
    if not known:
        st.info(t("dictionaries_no_dictionary"), icon=":material/info:")
        _yaml(draft, min(draft.texts))
        return
    chosen = _chosen(rules, known)
    left, right = st.columns([5, 6], gap="medium")
    with left:
        _pick(rules, known, chosen)
        _dictionary_table(chosen)
    with right:
        _form(rules, draft, chosen, stored, period)
    _yaml(draft, chosen.place.file)


def _chosen(rules: RuleSet, known: tuple[Dictionary, ...]) -> Dictionary:
    """The dictionary that the address names, by field or by tool and fact type; else the first."""
    wanted = st.query_params.get("field", "")
    for found in known:
        if _name(found) == wanted:
            return found
    tool, fact_type = st.query_params.get("tool", ""), st.query_params.get("fact", "")
    return dictionary_of(rules, tool, fact_type) or known[0]


def _name(found: Dictionary) -> str:
    return f"{found.place.file}:{found.place.field}"


def _pick(rules: RuleSet, known: tuple[Dictionary, ...], chosen: Dictionary) -> None:
    key = "dictionaries_field"
    by_name = {_name(found): found for found in known}

    def changed() -> None:
        for name in ("tool", "fact", "value"):
            links.set_parameter(name, None)
        links.set_parameter("field", st.session_state[key])

    def shown(name: str) -> str:
        found, lang = by_name[name], language()
        tool = words_in(found.tool.label, lang) or found.tool.name
        return f"{tool} · {rules.label(found.rule.fact_type, lang)} ({found.place.field})"

    st.session_state[key] = _name(chosen)
    st.selectbox(
        t("dictionaries_field"), tuple(by_name), key=key, format_func=shown, on_change=changed
    )


def _dictionary_table(found: Dictionary) -> None:
    codes = found.codes
    fallback = tuple(found.enum.fallback)
    words = [found.enum.words.get(code, ()) for code in codes]
    words += [found.enum.fallback[raw] for raw in fallback]
    st.dataframe(
        pd.DataFrame(
            {
                "code": [*codes, *fallback],
                "zh": [_word(item, "zh") for item in words],
                "en": [_word(item, "en") for item in words],
                "also": [", ".join(found.synonyms_of(code)) for code in codes]
                + [t("dictionaries_fallback")] * len(fallback),
            }
        ),
        key="dictionaries_mapping",
        hide_index=True,
        height="content",
        row_height=32,
        column_config={
            "code": st.column_config.TextColumn(t("dictionaries_code")),
            "zh": st.column_config.TextColumn(t("dictionaries_zh")),
            "en": st.column_config.TextColumn(t("dictionaries_en")),
            "also": st.column_config.TextColumn(t("dictionaries_also")),
        },
    )


def _word(words: Words, lang: str) -> str:
    return words_in(words, lang) or NO_VALUE


def _form(
    rules: RuleSet, draft: Draft, found: Dictionary, stored: StoredRules, period: Scope | None
) -> None:
    """The widgets are named after the value, so that another value starts with its own words."""
    given = st.query_params.get("value", "")[:_MAX_RAW]
    with st.container(border=True, key="dictionaries_form"):
        raw = st.text_input(
            t("dictionaries_raw"),
            given,
            key=f"dictionaries_raw_{_name(found)}_{given}",
            max_chars=_MAX_RAW,
            help=t("dictionaries_raw_help"),
        ).strip()
        if not raw:
            st.caption(t("dictionaries_form_empty"))
            return
        others = {} if found.knows(raw) else dictionaries_queries.other_versions(stored)
        hint = suggestion(rules, found, raw, others)
        _hint(hint, found, raw, is_drafted=_is_drafted(draft, found, raw))
        _seen_in(found, raw, stored, period)
        edit = _meaning(found, hint, raw)
        if st.button(
            t("dictionaries_add"),
            type="primary",
            icon=":material/edit_note:",
            key="dictionaries_add",
            disabled=edit is None,
        ):
            _add(draft, found, edit)


def _seen_in(found: Dictionary, raw: str, stored: StoredRules, period: Scope | None) -> None:
    """Links to observations that hold the value, where it came as an unknown one."""
    if period is None:
        return
    listed = dictionaries_queries.unmapped(period, stored.rule_set)
    item = next(
        (i for i in listed if i.text == raw and i.dictionary and i.dictionary.place == found.place),
        None,
    )
    if item is None:
        return
    with st.container(horizontal=True, gap="small", key="dictionaries_seen_in"):
        st.caption(t("dictionaries_seen_in"), width="content")
        for number, example in enumerate(item.value.examples, 1):
            links.page_link(
                "saw",
                t("dictionaries_example", n=number),
                icon=":material/visibility:",
                trace_id=example.trace_id,
                span=example.span_id,
            )


def _is_drafted(draft: Draft, found: Dictionary, raw: str) -> bool:
    """Whether the draft gave the value its meaning."""
    return any(
        place == found.place and getattr(edit, "raw", None) == raw for place, edit in draft.edits
    )


def _hint(hint: Suggestion, found: Dictionary, raw: str, *, is_drafted: bool) -> None:
    if is_drafted:
        st.success(t("dictionaries_drafted"), icon=":material/edit_note:")
    elif found.knows(raw):
        st.caption(t("dictionaries_known_already"))
    elif hint.is_same_word:
        st.caption(t("dictionaries_hint_same"))
    elif hint.code is not None:
        st.caption(t("dictionaries_hint_near"))
    if hint.version is not None:
        st.caption(t("dictionaries_hint_version", version=version_text(hint.version)))
    if hint.code is not None and not found.knows(raw):
        st.code(hint.code, language=None)


def _meaning(found: Dictionary, hint: Suggestion, raw: str) -> Edit | None:
    """What the form says; None while it is incomplete."""
    key = f"{_name(found)}_{raw}"
    labels = {_OWN: t("dictionaries_own"), _SAME: t("dictionaries_same")}
    way = st.segmented_control(
        t("dictionaries_way"),
        (_OWN, _SAME),
        default=_SAME if hint.is_same_word and not found.knows(raw) else _OWN,
        key=f"dictionaries_way_{key}",
        format_func=lambda option: labels[option],
        required=True,
    )
    if way == _SAME:
        codes = [code for code in found.codes if code != raw]
        index = codes.index(hint.code) if hint.code in codes else None
        code = st.selectbox(t("dictionaries_code"), codes, index, key=f"dictionaries_code_{key}")
        return None if code is None else Synonym(raw, code)
    before = dict(found.enum.words.get(raw, ())) or dict(hint.words)
    words = {lang: _text(lang, before, key) for lang in _LANGUAGES}
    return Meaning(raw, words) if all(words.values()) else None


def _text(lang: str, before: dict[str, str], key: str) -> str:
    return st.text_input(
        t("dictionaries_word_zh") if lang == "zh" else t("dictionaries_word_en"),
        before.get(lang, before.get("", "")),
        key=f"dictionaries_{lang}_{key}",
        max_chars=_MAX_RAW,
    ).strip()


def _add(draft: Draft, found: Dictionary, edit: Edit | None) -> None:
    if edit is None:
        return
    try:
        workspace.keep(draft, draft.with_edit(found.place, edit))
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error)
        return
    st.rerun()


def _yaml(draft: Draft, first: str) -> None:
    files = sorted(draft.texts)
    with st.expander(t("dictionaries_yaml"), icon=":material/code:", key="dictionaries_yaml"):
        file = st.selectbox(
            t("dictionaries_file"), files, files.index(first), key=f"dictionaries_file_{first}"
        )
        st.caption(t("dictionaries_yaml_hint"))
        text = st.text_area(
            t("dictionaries_yaml_label"),
            draft.texts[file],
            height=420,
            key=f"dictionaries_text_{file}_{hash(draft.texts[file])}",
            max_chars=1_000_000,
        )
        if text == draft.texts[file]:
            return
        try:
            changed = draft.with_text(file, text)
        except ToolsightError as error:
            refused(t("dictionaries_yaml_refused"), error)
            return
        st.caption(t("dictionaries_yaml_valid"))
        if st.button(
            t("dictionaries_add"), icon=":material/edit_note:", key="dictionaries_add_text"
        ):
            workspace.keep(draft, changed)
            st.rerun()
