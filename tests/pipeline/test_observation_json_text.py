"""A text answer is the value that Python's own reader finds in it, whoever reads it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.observation.payload import decode

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(2**70), max_value=2**70),
    st.floats(),
    st.text(alphabet=st.characters()),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner)),
    max_leaves=12,
)


@given(VALUES, st.booleans())
def test_any_value_comes_back(value: object, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)

    assert repr(decode(text)) == repr((json.loads(text), None))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("18446744073709551615", 2**64 - 1),
        ("18446744073709551616", 2**64),
        ("-9223372036854775809", -(2**63) - 1),
        ('{"id": 202406110930001234567890}', {"id": 202406110930001234567890}),
        ('"\\ud800"', "\ud800"),
        ("[1e400, -1e400]", [math.inf, -math.inf]),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_what_the_quick_reader_would_lose_is_kept(text: str, value: object) -> None:
    found, reason = decode(text)

    assert reason is None
    assert found == value


@pytest.mark.parametrize("text", ["{", '{"a": 1,}', "[1 2]", "\ufeff{}", '"a\nb"', "01", "+1"])
def test_what_is_no_json_is_none(text: str) -> None:
    assert decode(text) == (None, "not_json")
