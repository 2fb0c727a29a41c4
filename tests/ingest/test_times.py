"""Times on the wire."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import times

INT64_MAX = 2**63 - 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1796000000000000000", 1796000000000000000),
        (1796000000000000000, 1796000000000000000),
        (1.5e18, 1500000000000000000),
        ({"low": -1, "high": 1}, 2**33 - 1),
        (0, None), ("0", None), (None, None), ("", None),
        (-5, -5), ("-5", -5), (1, 1), (INT64_MAX, INT64_MAX),
    ],
)  # fmt: skip
def test_a_time_is_read_in_every_spelling_and_zero_is_none(value: object, expected: object) -> None:
    assert times.time_ns(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        2**63,
        "18446744073709551615",
        "now",
        1.5,
        math.inf,
        math.nan,
        True,
        [],
        {"low": "a"},
        "1" * 5000,
    ],
)
def test_what_is_no_time_is_an_error(value: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        times.time_ns(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:01Z", 1_000_000_000),
        ("1970-01-01t00:00:00.5z", 500_000_000),
        ("1970-01-01 01:00:00.123456789+01:00", 123_456_789),
        ("1970-01-01T00:00:00.1234567899Z", 123_456_789),
        ("1969-12-31T23:59:59.999999999Z", -1),
        ("2026-11-30T11:37:01-08:00", 1796067421000000000),
    ],
)
def test_a_written_time_is_exact_to_the_nanosecond(text: str, expected: int) -> None:
    assert times.rfc3339_ns(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2026-01-01T00:00:00", "no offset; write 2026-01-01T00:00:00Z"),
        ("yesterday", "is no time"),
        ("2026-13-01T00:00:00Z", "month"),
        ("0001-01-01T00:00:00Z", "1678 to 2262"),
    ],
)
def test_a_written_time_that_cannot_be_read_says_why(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        times.rfc3339_ns(text)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(10, 15, 5), (10, 10, 0), (15, 10, None), (10, None, None), (None, 10, None),
     (-INT64_MAX, INT64_MAX, None)],
)  # fmt: skip
def test_a_duration_needs_a_start_and_a_later_end(
    start: int | None, end: int | None, expected: int | None
) -> None:
    assert times.duration_ns(start, end) == expected


@pytest.mark.parametrize(
    ("duration", "bucket"),
    [(None, None), (0, 0), (999, 0), (1_000, 0), (1_021, 1), (10_000, 116), (1_000_000_000, 697)],
)
def test_latency_buckets_are_two_percent_apart(duration: int | None, bucket: int | None) -> None:
    assert times.latency_bucket(duration) == bucket


@given(st.integers(min_value=1_000, max_value=INT64_MAX))
def test_a_bucket_holds_its_durations_within_one_percent_of_its_middle(duration: int) -> None:
    bucket = times.latency_bucket(duration)
    assert bucket is not None
    middle = times.LATENCY_GAMMA ** (bucket + 0.5) * 1_000
    assert abs(middle / duration - 1) < 0.0105


def test_an_hour_counts_from_the_epoch_also_backwards() -> None:
    assert times.hour(None) is None
    assert times.hour(3_600_000_000_000) == 1
    assert times.hour(-1) == -1
