"""The tab in which a template is edited in place: its effect on this observation, then save or discard."""

import re
from collections.abc import Sequence
from typing import Final

import streamlit as st

from dashboard import links, runtime
from dashboard.components.prompt_diff import GridCell, Row, changes, prompt_diff
from dashboard.i18n import t
from dashboard.views.saw.grid import bounded, changed, fact_row, grid_cell, head
from dashboard.views.saw.reading import Reading, Renderer
from dashboard.views.saw.template_folder import folder_of, save_template
from dashboard.views.saw.template_trial import TemplateTrial, source_of, try_template
from dashboard.views.saw.text import tokens_text
from pipeline.errors import ToolsightError
from pipeline.observation import TEMPLATES
from pipeline.observation.callers import DEBUG
from pipeline.observation.sandbox import FILTERS, MAX_SOURCE

_SAID: Final = "saw_template_said"
_LONG: Final = 1_200
"""Characters from which the draft's text scrolls."""
_OWN_NAME: Final = re.compile(r"[a-z][a-z0-9_-]{0,63}")


def template_tab(reading: Reading, renderer: Renderer) -> None:
    """Draw the editor, and what the draft makes of this observation."""
    st.caption(t("saw_template_hint"))
    if reading.resolved is None:
        st.info(t("saw_no_snapshot"), icon=":material/visibility_off:")
        return
    template = _pick(reading, renderer)
    stands = source_of(renderer, template, reading.language)
    if stands is None:
        return
    left, right = st.columns(2, gap="medium")
    with left:
        source = _editor(template, reading.language, stands)
        _keep(template, reading.language, source, is_changed=source != stands)
    trial = try_template(reading, renderer, template, source)
    with right:
        _result(reading, trial)
    if trial.after.text is not None and source != stands:
        prompt_diff(
            [
                head(reading, trial.before, t("saw_stands"), is_base=True),
                head(reading, trial.after, t("saw_draft")),
            ],
            _rows(reading, trial),
            fact=t("saw_fact"),
            key="saw_grid_template",
        )


def _pick(reading: Reading, renderer: Renderer) -> str:
    """The template to begin from, as the address names it."""
    names = [name for name in TEMPLATES if name != DEBUG or reading.caller.sees_raw]
    names += renderer.owned.in_language(reading.language)
    key = "saw_template"

    def changed_to() -> None:
        links.set_parameter("template", st.session_state[key])

    wanted = st.query_params.get("template", "")
    st.session_state[key] = wanted if wanted in names else names[0]
    return str(st.selectbox(t("saw_template"), names, key=key, on_change=changed_to, width=260))


def _editor(template: str, language: str, stands: str) -> str:
    key = _draft_key(template, language)
    if key not in st.session_state:
        st.session_state[key] = stands
    text = st.text_area(t("saw_template_source"), key=key, height=420, max_chars=MAX_SOURCE)
    with st.expander(t("saw_template_words")):
        st.markdown(t("saw_template_words_body", filters=", ".join(sorted(FILTERS))))
    return str(text or "")


def _draft_key(template: str, language: str) -> str:
    return f"saw_template_draft_{template}_{language}"


def _keep(template: str, language: str, source: str, *, is_changed: bool) -> None:
    """Save under a name of one's own, or go back to the text as it stands."""
    key = f"saw_template_name_{template}"
    suggested = template if template not in TEMPLATES else f"my-{template}"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="saw_keep"):
        name = str(st.text_input(t("saw_template_name"), suggested, key=key, max_chars=64) or "")
        st.button(
            t("saw_template_save"),
            icon=":material/save:",
            key="saw_template_save",
            type="primary",
            disabled=not is_changed,
            on_click=_save,
            args=(name, template, language, source),
        )
        st.button(
            t("saw_template_discard"),
            icon=":material/undo:",
            key="saw_template_discard",
            disabled=not is_changed,
            on_click=_discard,
            args=(template, language),
        )
    _say()


def _save(name: str, template: str, language: str, source: str) -> None:
    """Write the draft and go on with it under its own name."""
    try:
        if not _OWN_NAME.fullmatch(name):
            st.session_state[_SAID] = ("name", "")
            return
        folder = folder_of(runtime.current().settings)
        file = save_template(folder, name, language, source)
    except ToolsightError as error:
        st.session_state[_SAID] = ("error", str(error))
        return
    _discard(template, language)
    _discard(name, language)
    links.set_parameter("template", name)
    links.set_parameter("tab", "template")
    st.session_state[_SAID] = ("saved", str(folder / file))


def _discard(template: str, language: str) -> None:
    st.session_state.pop(_draft_key(template, language), None)


def _say() -> None:
    kind, text = st.session_state.pop(_SAID, (None, ""))
    if kind == "saved":
        st.success(t("saw_template_saved"), icon=":material/check_circle:")
        st.code(text, language=None, wrap_lines=True)
    elif kind == "name":
        st.warning(t("saw_template_bad_name"), icon=":material/error:")
    elif kind == "error":
        st.error(t("saw_template_not_saved"), icon=":material/error:")
        st.code(text, language=None, wrap_lines=True)


def _result(reading: Reading, trial: TemplateTrial) -> None:
    """The draft's text with its size, or why it has none, and what it leaves out."""
    if trial.after.problem is not None or trial.after.text is None:
        st.error(t("saw_template_refused"), icon=":material/error:")
        st.code(trial.after.problem or "", language=None, wrap_lines=True)
        return
    before = tokens_text(trial.before.n_tokens, reading.counter)
    after = tokens_text(trial.after.n_tokens, reading.counter)
    st.text(f"{before} → {after}")
    if trial.broken:
        wording = reading.wording()
        st.error(t("saw_template_drops"), icon=":material/error:")
        st.text(", ".join(wording.label(cell) for cell in trial.broken))
    is_long = len(trial.after.text) > _LONG
    st.code(trial.after.text, language=None, wrap_lines=True, height=420 if is_long else "content")


def _rows(reading: Reading, trial: TemplateTrial) -> Sequence[Row]:
    """A row a fact: as it stands, and what the draft changes in the words about it."""
    before, after = trial.before, trial.after
    around = [
        _around(t("saw_before"), before.blocks.before, after.blocks.before),
        _around(t("saw_after"), before.blocks.after, after.blocks.after),
    ]
    told = [
        fact_row(
            reading,
            cell,
            [
                grid_cell(reading, cell, pane, bounded(changed(cell, before, pane, ())))
                for pane in (before, after)
            ],
        )
        for cell in reading.cells
    ]
    return [row for row in (around[0], *told, around[1]) if row is not None]


def _around(title: str, before: str, after: str) -> Row | None:
    if not before and not after:
        return None
    parts = [bounded(changes(before, text)) for text in (before, after)]
    return Row(title, "", (), "frame", [GridCell(found, "none") for found in parts])
