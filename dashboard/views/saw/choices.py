"""How an observation is looked at: language, clean or noisy, differences or plain, against which."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from dashboard import links
from dashboard.i18n import t
from dashboard.views.saw.reading import CLEAN, NOISY, variants
from pipeline.observation import LANGUAGES, TEMPLATES
from replay_store.saw import RecordedObservation

BOTH: Final = "both"
DIFF: Final = "diff"
PLAIN: Final = "plain"
_DEFAULT_LANGUAGE: Final = "zh"


@dataclass(frozen=True, slots=True)
class Choices:
    """What the address asks for, checked."""

    language: str
    variant: str
    """clean, noisy or both."""
    view: str
    base: str
    """The template that the others are compared with."""

    @property
    def is_diff(self) -> bool:
        """Whether differences are marked."""
        return self.view == DIFF

    @property
    def is_both(self) -> bool:
        """Whether clean is compared with noisy."""
        return self.variant == BOTH


def choices(recorded: RecordedObservation) -> Choices:
    """Draw the switches; each writes itself into the address."""
    with st.container(
        horizontal=True, gap="medium", vertical_alignment="bottom", key="saw_choices"
    ):
        language = _switch(
            "prompt", t("saw_language"), LANGUAGES, _language_word, _language(recorded)
        )
        variant = CLEAN
        if NOISY in variants(recorded):
            names = (CLEAN, NOISY, BOTH)
            variant = _switch("variant", t("saw_variant"), names, variant_word, NOISY)
        view = _switch("view", t("saw_view"), (DIFF, PLAIN), _view_word, DIFF)
        base = TEMPLATES[0]
        if view == DIFF and variant != BOTH:
            base = _switch("base", t("saw_base"), TEMPLATES, str, TEMPLATES[0])
    return Choices(language, variant, view, base)


def _switch(
    name: str, label: str, options: Sequence[str], word: Callable[[str], str], default: str
) -> str:
    key = f"saw_choice_{name}"

    def changed() -> None:
        links.set_parameter(name, st.session_state[key])

    wanted = st.query_params.get(name, default)
    chosen = wanted if wanted in options else default
    st.session_state[key] = chosen
    st.segmented_control(
        label, tuple(options), key=key, format_func=word, on_change=changed, required=True
    )
    return chosen


def _language(recorded: RecordedObservation) -> str:
    """Chinese, unless prompts were recorded in another language only."""
    known = [p.language for p in recorded.prompts if p.language in LANGUAGES]
    return _DEFAULT_LANGUAGE if not known or _DEFAULT_LANGUAGE in known else known[0]


def _language_word(code: str) -> str:
    return {"zh": "中文", "en": "English"}.get(code, code)


def variant_word(name: str) -> str:
    """The word for clean, noisy or both."""
    return {CLEAN: t("saw_clean"), NOISY: t("saw_noisy"), BOTH: t("saw_both")}[name]


def _view_word(name: str) -> str:
    return t("saw_view_diff") if name == DIFF else t("saw_view_plain")
