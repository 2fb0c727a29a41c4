"""A text answer is the value that Python's own reader finds in it, whoever reads it."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.observation.long_list import LongList
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


PADDING = {"note": "x" * 2_500}


def _lazily(text: str) -> tuple[object, str | None]:
    value, problem = decode(text, is_lazy=True)
    return (list(value), problem) if isinstance(value, LongList) else (value, problem)


@given(VALUES, st.sampled_from([None, 1, "\t"]))
def test_a_long_list_of_objects_reads_as_the_same_objects(
    value: object, indent: int | str | None
) -> None:
    text = json.dumps([PADDING | {"value": value}] * 40, indent=indent)
    records, _ = decode(text, is_lazy=True)

    assert isinstance(records, LongList)
    assert repr(list(records)) == repr(json.loads(text))
    assert repr(list(records[38:])) == repr(json.loads(text)[38:])


@pytest.mark.parametrize(
    ("pattern", "n"),
    [
        ("[{}, 7]", 100), ("[{},]", 100), ("[{}]x", 100), ("[{}", 100), ("[{} {{}}]", 100),
        ("[{}]", 1), ("[{}]", 30_000), ("[{}, {{'a': 1}}]", 100), ("[{}, {{\"a\": 1]", 100), ("", 0),
    ],
)  # fmt: skip
def test_a_text_that_is_no_list_of_large_objects_reads_as_ever(pattern: str, n: int) -> None:
    item = json.dumps(PADDING if n == 100 else {"a": 1})
    text = pattern.format(", ".join([item] * n))

    assert _lazily(text) == decode(text)
    assert not isinstance(decode(text, is_lazy=True)[0], LongList)
