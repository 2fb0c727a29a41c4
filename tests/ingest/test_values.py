"""Attribute values: the JSON and the protobuf form of one export are equal."""

import base64
import math
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

from ingest.errors import RecordError
from ingest.values import attributes_from_json, value_from_json, value_from_protobuf

_INT64 = st.integers(min_value=-(2**63), max_value=2**63 - 1)
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), _INT64, st.floats(), st.binary(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=12,
)


def _json_form(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": _json_double(value)}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_json_form(item) for item in value]}}
    pairs = [{"key": key, "value": _json_form(item)} for key, item in value.items()]
    return {"kvlistValue": {"values": pairs}}


def _json_double(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def _protobuf_form(value: Any) -> AnyValue:
    if value is None:
        return AnyValue()
    if isinstance(value, bool):
        return AnyValue(bool_value=value)
    if isinstance(value, int):
        return AnyValue(int_value=value)
    if isinstance(value, float):
        return AnyValue(double_value=value)
    if isinstance(value, bytes):
        return AnyValue(bytes_value=value)
    if isinstance(value, str):
        return AnyValue(string_value=value)
    if isinstance(value, list):
        return AnyValue(array_value=ArrayValue(values=[_protobuf_form(item) for item in value]))
    pairs = [KeyValue(key=key, value=_protobuf_form(item)) for key, item in value.items()]
    return AnyValue(kvlist_value=KeyValueList(values=pairs))


@given(_VALUES)
def test_json_and_protobuf_of_a_value_are_equal_byte_for_byte(value: Any) -> None:
    from_json = value_from_json(_json_form(value))
    from_protobuf = value_from_protobuf(_protobuf_form(value))
    assert orjson.dumps(from_json) == orjson.dumps(from_protobuf)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"intValue": 5}, 5),
        ({"intValue": {"low": 5, "high": 0}}, 5),
        ({"intValue": "99999999999999999999"}, "99999999999999999999"),
        ({"intValue": "five"}, "five"),
        ({"doubleValue": 1}, 1.0),
        ({"doubleValue": "2.5"}, 2.5),
        ({"doubleValue": "NaN"}, "NaN"),
        ({"doubleValue": math.inf}, "Infinity"),
        ({"doubleValue": "much"}, "much"),
        ({"bytesValue": "_-8"}, "/+8="),
        ({"bytesValue": "not base64!"}, "not base64!"),
        ({"bytesValue": 7}, 7),
        ({"stringValue": None}, None),
        ({"stringValue": 7}, 7),
        ({"arrayValue": {}}, []),
        ({"arrayValue": {"values": None}}, []),
        ({"arrayValue": [{"intValue": 1}]}, [1]),
        ({"kvlistValue": {}}, {}),
        ({"array_value": {"values": [{"bool_value": True}]}}, [True]),
        ({"string_value": "snake"}, "snake"),
        ({}, None),
        (None, None),
        ("plain", "plain"),
        ({"written": ["by", "hand"]}, {"written": ["by", "hand"]}),
        (2**70, str(2**70)),
        (math.nan, "NaN"),
    ],
)
def test_odd_spellings_of_a_json_value_are_taken(value: Any, expected: Any) -> None:
    found = value_from_json(value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        (None, {}),
        ([], {}),
        ({"a": 1, "b": {"stringValue": "x"}, "c": {"d": 2}}, {"a": 1, "b": "x", "c": {"d": 2}}),
        ([{"key": "a", "value": {"intValue": "1"}}, {"key": "a", "value": "2"}], {"a": "2"}),
        ([{"key": "a"}, {"value": {"intValue": 1}}], {"a": None, "": 1}),
    ],
)
def test_attributes_are_a_list_or_an_object_and_the_last_key_wins(
    pairs: Any, expected: dict[str, Any]
) -> None:
    assert attributes_from_json(pairs) == expected


@pytest.mark.parametrize("pairs", ["text", 7, ["a"], [{"key": "a", "value": {"arrayValue": 5}}]])
def test_attributes_of_another_shape_are_refused(pairs: Any) -> None:
    with pytest.raises(RecordError, match="expected"):
        attributes_from_json(pairs)


def test_a_value_that_nests_too_deep_is_refused() -> None:
    value: Any = "core"
    for _ in range(150):
        value = [value]
    with pytest.raises(RecordError, match="100 levels"):
        value_from_json(value)
