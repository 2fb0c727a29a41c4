"""Attribute values read from their bytes: always what the protobuf library reads."""

from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

from ingest.raw_values import attributes_from_map, value_from_bytes
from ingest.values import value_from_protobuf

_TEXTS = st.text(max_size=5) | st.integers(100, 17_000).map(lambda length: "x" * length)
_PLAIN = st.one_of(
    st.just(AnyValue()),
    _TEXTS.map(lambda text: AnyValue(string_value=text)),
    st.booleans().map(lambda value: AnyValue(bool_value=value)),
    st.integers(-(2**63), 2**63 - 1).map(lambda value: AnyValue(int_value=value)),
    st.integers(0, 2**15).map(lambda value: AnyValue(int_value=value)),
    st.floats().map(lambda value: AnyValue(double_value=value)),
    st.binary(max_size=5).map(lambda value: AnyValue(bytes_value=value)),
)
_ANY = st.recursive(
    _PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3).map(
            lambda values: AnyValue(array_value=ArrayValue(values=values))
        )
        | st.dictionaries(st.text(max_size=3), inner, max_size=3).map(
            lambda values: AnyValue(
                kvlist_value=KeyValueList(
                    values=[KeyValue(key=key, value=value) for key, value in values.items()]
                )
            )
        )
    ),
    max_leaves=4,
)


@given(st.dictionaries(st.text(max_size=4), _ANY, max_size=4))
def test_every_value_is_read_as_the_library_reads_it(values: dict[str, AnyValue]) -> None:
    raw = {key: value.SerializeToString() for key, value in values.items()}
    read = attributes_from_map(raw)
    assert read == {key: value_from_protobuf(value) for key, value in values.items()}
    assert list(read) == sorted(values)
    assert {key: type(value) for key, value in read.items()} == {
        key: type(value_from_protobuf(value)) for key, value in values.items()
    }


@given(st.binary(max_size=12) | st.integers(0, 40).map(lambda n: b"\x0a" + bytes([n]) + b"a" * 30))
def test_any_bytes_are_read_or_refused_as_by_the_library(raw: bytes) -> None:
    try:
        expected: Any = value_from_protobuf(AnyValue.FromString(raw))
    except DecodeError:
        with pytest.raises((DecodeError, UnicodeDecodeError)):
            attributes_from_map({"key": raw})
    else:
        assert attributes_from_map({"key": raw}) == {"key": expected}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"\x0a\x01a\x0a\x01b", "b"),  # of several values the last
        (b"\x0a\x81\x00a", "a"),  # a length in more bytes than it needs
        (b"\x18\x81\x00", 1),
        (b"\x10\x02", True),
        (b"", None),
    ],
)
def test_spellings_that_no_encoder_writes_are_read_too(raw: bytes, expected: Any) -> None:
    assert value_from_bytes(raw) == expected
    assert attributes_from_map({"key": raw}) == {"key": expected}
