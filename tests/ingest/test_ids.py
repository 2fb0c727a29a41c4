"""Ids in every spelling."""

import base64

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ingest import ids

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SPAN = "00f067aa0ba902b7"
RAW_TRACE, RAW_SPAN = bytes.fromhex(TRACE), bytes.fromhex(SPAN)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (TRACE, TRACE),
        (TRACE.upper(), TRACE),
        (f" {TRACE}\n", TRACE),
        (f"0x{TRACE}", TRACE),
        ("4bf92f35-77b3-4da6-a3ce-929d0e0e4736", TRACE),
        (SPAN, "0" * 16 + SPAN),
        (base64.b64encode(RAW_TRACE).decode(), TRACE),
        (base64.b64encode(RAW_SPAN).decode(), "0" * 16 + SPAN),
        (base64.b64encode(TRACE.encode()).decode(), TRACE),
        (base64.b64encode(SPAN.encode()).decode(), "0" * 16 + SPAN),
        ({"type": "Buffer", "data": list(RAW_TRACE)}, TRACE),
        (list(RAW_TRACE), TRACE),
        (RAW_TRACE, TRACE),
        (RAW_SPAN, "0" * 16 + SPAN),
        (TRACE.encode(), TRACE),
    ],
)
def test_a_trace_id_is_read_in_every_spelling(value: object, expected: str) -> None:
    assert ids.trace_id(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        SPAN,
        SPAN.upper(),
        "0x" + SPAN,
        base64.b64encode(RAW_SPAN).decode(),
        base64.b64encode(SPAN.encode()).decode(),
        list(RAW_SPAN),
        RAW_SPAN,
        SPAN.encode(),
    ],
)
def test_a_span_id_is_read_in_every_spelling(value: object) -> None:
    assert ids.span_id(value) == SPAN


@pytest.mark.parametrize(
    "value",
    [
        None, "", b"", "0" * 32, bytes(16), TRACE[:-1], TRACE + "0", RAW_TRACE[:-1], 12345, 1.5, True,
        "not an id", "abcdefghijk", "abcdefghijkl", {"type": "Buffer"}, [1, 2, 3], [256] * 16, {},
        ["a"] * 16, "=" * 24, "é" * 32,
    ],
)  # fmt: skip
def test_what_is_no_id_is_none_and_is_described(value: object) -> None:
    assert ids.trace_id(value) is None
    assert ids.describe("traceId", value, 16).startswith("traceId: ")


@pytest.mark.parametrize("value", [None, "", b"", "0" * 16, "0x00", bytes(8), "00-00"])
def test_a_missing_id_is_absent_rather_than_wrong(value: object) -> None:
    assert ids.is_absent(value)


@pytest.mark.parametrize("value", ["x1", SPAN, RAW_SPAN, 7, [1]])
def test_a_given_id_is_not_absent(value: object) -> None:
    assert not ids.is_absent(value)


@given(st.binary(min_size=16, max_size=16))
def test_every_trace_id_survives_each_way_of_writing_it(raw: bytes) -> None:
    assume(any(raw) and not set(raw) <= set(b"0123456789abcdefABCDEF"))
    expected = raw.hex()
    written = [raw, expected, expected.upper(), list(raw), base64.b64encode(raw).decode()]
    assert {ids.trace_id(value) for value in written} == {expected}


@given(st.one_of(st.text(), st.binary(), st.integers(), st.floats(), st.lists(st.integers())))
def test_any_value_is_an_id_of_the_right_form_or_none(value: object) -> None:
    for found, length in ((ids.trace_id(value), 32), (ids.span_id(value), 16)):
        assert found is None or (len(found) == length and set(found) <= set("0123456789abcdef"))
