"""Both catalogues say the same things, and nothing that no page says."""

import ast
import re
import string
from pathlib import Path

from dashboard.i18n import LANGUAGES, catalogue
from dashboard.menu import PAGES
from dashboard.plurals import filled

DASHBOARD = Path(__file__).parents[2] / "dashboard"
FEW = {"trace_ambiguous_title": {"traces"}}
"""Texts that are only ever said of several."""


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def literals() -> set[str]:
    """Every text literal in the code of the pages."""
    return {
        node.value
        for path in DASHBOARD.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def asked_for() -> set[str]:
    """The keys that code asks for by name."""
    return {
        str(node.args[0].value)
        for path in DASHBOARD.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "t"
        and isinstance(node.args[0], ast.Constant)
    }


def test_every_language_has_the_same_keys() -> None:
    assert catalogue("zh").keys() == catalogue("en").keys()


def test_every_language_fills_the_same_fields() -> None:
    english, chinese = (
        {key: fields(text) for key, text in catalogue(language).items()}
        for language in ("en", "zh")
    )
    assert chinese == english


def test_every_key_that_code_asks_for_exists() -> None:
    assert asked_for() <= catalogue("en").keys()


def test_every_key_that_exists_is_used() -> None:
    titles = {f"page_{entry.key}" for entry in PAGES}
    assert catalogue("en").keys() <= literals() | titles


def test_one_is_told_from_many_by_the_field_itself() -> None:
    text = "{n} {n:trace was|traces were} read"

    assert filled(text, n=1) == filled(text, n="1") == "1 trace was read"
    assert filled(text, n=0) == "0 traces were read"
    assert filled(text, n="1,001") == "1,001 traces were read"
    assert filled("{share:.1%} of {n}", share=0.5, n=2) == "50.0% of 2"


def test_no_english_text_says_one_traces() -> None:
    """A number before a word in the plural needs the form for one."""
    plurals = {
        key: set(re.findall(r"\{\w+\} (?:[a-z]+ )?([a-z]+s)\b", text))
        - {"is", "this", "minutes", "tokens"}
        - FEW.get(key, set())
        for key, text in catalogue("en").items()
    }
    assert {key: nouns for key, nouns in plurals.items() if nouns} == {}


def test_no_text_is_empty_or_left_in_english() -> None:
    for language in LANGUAGES:
        assert all(text.strip() for text in catalogue(language).values())
    same = {key for key, text in catalogue("en").items() if catalogue("zh")[key] == text}
    assert same <= {
        "overview_p90_steps",
        "export_csv",
        "column_p95",
        "column_sla",
        "waterfall_span",
    }
