"""The pages' words in the reader's language: one flat catalogue a language, equal keys in both.

Words from traces never come from here and never go through here into a page: a catalogue text may
hold Streamlit's markdown, a trace's text must not.
"""

import tomllib
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Final

import streamlit as st

from dashboard import runtime
from dashboard.plurals import filled
from dashboard.settings import Language

LANGUAGES: Final[Mapping[Language, str]] = {"en": "English", "zh": "中文"}
"""Each language in its own words."""
_SESSION_KEY: Final = "language"
_spoken: ContextVar[Language | None] = ContextVar("spoken", default=None)
"""The language of this run; None before it was asked for."""


@cache
def catalogue(language: Language) -> Mapping[str, str]:
    """All texts of one language, by key: the files `catalogues/*.<language>.toml` together.

    Raises:
        ValueError: Two files hold one key; names it.
    """
    texts: dict[str, str] = {}
    for file in sorted(files("dashboard").joinpath("catalogues").iterdir(), key=lambda f: f.name):
        if file.name.endswith(f".{language}.toml"):
            found = tomllib.loads(file.read_text(encoding="utf-8"))
            if twice := texts.keys() & found.keys():
                raise ValueError(f"{file.name}: holds keys of another file: {sorted(twice)}")
            texts |= found
    return texts


def settle_language() -> None:
    """Find out in which language this run speaks; the page script calls it first of all."""
    _spoken.set(None)
    language()


def language() -> Language:
    """The reader's language: the address, else this session, else the settings, else the browser.

    Found once a run: a page asks for hundreds of texts.
    """
    spoken = _spoken.get()
    if spoken is None:
        spoken = _wanted_language()
        _spoken.set(spoken)
    return spoken


def _wanted_language() -> Language:
    wanted = (
        st.query_params.get("lang"),
        st.session_state.get(_SESSION_KEY),
        runtime.current().settings.language,
        (st.context.locale or "").lower().split("-")[0],
    )
    chosen: Language = next(
        (known for word in wanted for known in LANGUAGES if word == known), "en"
    )
    st.session_state[_SESSION_KEY] = chosen
    return chosen


def t(key: str, **values: object) -> str:
    """The text of `key` in the reader's language, its fields filled.

    A field of the form `{n:trace|traces}` is the first word for one and the second for any other
    number; `n` may be the number or its text.

    Raises:
        KeyError: The catalogue has no such key, or the text a field that was not given.
    """
    return filled(catalogue(language())[key], **values)
