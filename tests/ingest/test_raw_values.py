"""Attributes read from their bytes: always what the protobuf library reads."""

from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

from ingest.raw_values import attributes_from_bytes, value_from_bytes
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


_KEYS = st.text(max_size=4) | st.integers(126, 130).map(lambda length: "k" * length)


@given(st.lists(st.builds(KeyValue, key=_KEYS, value=_ANY) | st.builds(KeyValue), max_size=4))
def test_every_attribute_is_read_as_the_library_reads_it(pairs: list[KeyValue]) -> None:
    read = attributes_from_bytes([pair.SerializeToString() for pair in pairs])
    expected = {pair.key: value_from_protobuf(pair.value) for pair in pairs}
    assert read == expected
    assert list(read) == list(expected)
    assert {key: type(value) for key, value in read.items()} == {
        key: type(value) for key, value in expected.items()
    }


@given(
    st.binary(max_size=12)
    | st.integers(0, 40).map(lambda n: b"\x0a" + bytes([n]) + b"a" * 30)
    | st.integers(0, 40).map(lambda n: b"\x0a\x03key\x12" + bytes([n]) + b"\x0a\x1e" + b"a" * 30)
)
def test_any_bytes_are_read_or_refused_as_by_the_library(raw: bytes) -> None:
    try:
        pair = KeyValue.FromString(raw)
        expected: Any = {pair.key: value_from_protobuf(pair.value)}
    except DecodeError:
        with pytest.raises((DecodeError, UnicodeDecodeError)):
            attributes_from_bytes([raw])
    else:
        assert attributes_from_bytes([raw]) == expected


@given(st.text(max_size=3), st.binary(max_size=12))
def test_any_value_is_read_or_refused_as_by_the_library(key: str, raw: bytes) -> None:
    pair = b"\x0a" + bytes([len(key.encode())]) + key.encode() + b"\x12" + bytes([len(raw)]) + raw
    try:
        expected = value_from_protobuf(AnyValue.FromString(raw))
    except DecodeError:
        with pytest.raises((DecodeError, UnicodeDecodeError)):
            attributes_from_bytes([pair])
    else:
        assert attributes_from_bytes([pair]) == {key: expected}


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
    pair = b"\x0a\x03key\x12" + bytes([len(raw)]) + raw
    assert attributes_from_bytes([pair]) == {"key": expected}
