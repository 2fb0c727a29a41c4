"""The filter language: what each condition means, and what is said of one that means nothing."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.search_language import FIELDS, HAS, Query, SearchError, parsed, quoted
from dashboard.views.traces.more import composed
from replay_store.trace_terms import Term

MEANINGS = [
    ("", Query()),
    ("tool:get", Query((Term("tool", "get"),))),
    ("TOOL=get", Query((Term("tool", "get"),))),
    ('tool:"get order"', Query((Term("tool", "get order"),))),
    ("-status:ok", Query((Term("status", "ok", is_negated=True),))),
    ("duration>5s", Query((Term("duration", low=5 * 10**9 + 1),))),
    ("duration<=1.5ms", Query((Term("duration", high=1_500_000),))),
    ("duration>=2min", Query((Term("duration", low=120 * 10**9),))),
    ("steps:3..8", Query((Term("steps", low=3, high=8),))),
    ("tokens>=10,000", Query((Term("tokens", low=10_000),))),
    ("calls=3", Query((Term("calls", low=3, high=3),))),
    ("calls<3", Query((Term("calls", high=2),))),
    ("has:noise", Query((Term("observed", "noise"),))),
    ("has:retry", Query((Term("retries", low=1),))),
    ("sign:timeout", Query((Term("sign", ("timeout",)),))),
    ("layer:model", Query((Term("sign", ("model_error", "cut_answer")),))),
    ("已发货 tool:get", Query((Term("tool", "get"),), ("已发货",))),
    ('"a \\"b\\" c" -x', Query((), ('a "b" c', "-x"))),
    ("工具：x", Query((), ("工具:x",))),
    ("tool：get duration＞5s", Query((Term("tool", "get"), Term("duration", low=5 * 10**9 + 1)))),
]


@pytest.mark.parametrize(("text", "query"), MEANINGS)
def test_a_filter_means(text: str, query: Query) -> None:
    assert parsed(text) == query


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tool:get colour:red", "place 10: colour: no such name"),
        ("duration>fast", "expected such as duration>5s"),
        ("duration>5", "expected such as duration>5s"),
        ("steps>many", "expected such as steps>=3"),
        ("has:luck", "expected one of unknown, conflict"),
        ("layer:moon", "expected one of planning, execution"),
        ("sign:moon", "expected one of not_offered"),
        ("tool:", "expected a value"),
        ("tool>get", "expected `tool:get`"),
        ("a b c d e f", "too long"),
    ],
)
def test_what_means_nothing_is_refused_with_its_place_and_what_is_expected(
    text: str, expected: str
) -> None:
    with pytest.raises(SearchError, match=re.escape(expected)):
        parsed(text)


@given(text=st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parsed(text)
    except SearchError:
        return


@given(value=st.text(min_size=1, max_size=30).filter(lambda text: text.strip() == text))
def test_a_quoted_value_is_read_as_it_was(value: str) -> None:
    plain = value.translate({ord(wide): None for wide in "：＞＜＝“”－"})
    if plain.strip() == plain and plain:
        assert parsed(f"tool:{quoted(plain)}") == Query((Term("tool", plain),))


def test_every_word_of_has_and_every_name_is_known() -> None:
    assert all(parsed(f"has:{name}").terms for name in HAS)
    assert len(set(FIELDS)) == len(FIELDS)


def test_the_form_writes_the_language() -> None:
    texts = {"layer": "execution", "guard": "", "version": "1 beta", "text": "已发货"}
    written = composed("tool:get", texts, {"duration": 5, "steps": None, "retries": 2})

    assert written == 'tool:get layer:execution version:"1 beta" 已发货 duration>=5s retries>=2'
    assert len(parsed(written).terms) == 5
