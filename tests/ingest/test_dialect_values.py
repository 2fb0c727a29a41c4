"""Arguments, verdicts and messages: the small parts all dialects stand on."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.dialects.arguments import read_arguments
from ingest.dialects.messages import read_messages
from ingest.dialects.values import _by_name, parsed, unflatten
from ingest.dialects.verdict import judge
from pipeline.vocabulary import CallStatus

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "written",
    [
        {"a": 1, "b": "x"},
        '{"a": 1, "b": "x"}',
        '{"b": " x ", "a": 1.0}',
        json.dumps(json.dumps({"a": 1, "b": "x"})),
        "{'a': 1, 'b': 'x'}",
        {"kwargs": {"a": 1, "b": "x"}},
        {"args": [], "kwargs": {"a": 1, "b": "x"}, "sanitize_inputs_outputs": True},
    ],
)
def test_arguments_that_mean_the_same_have_one_hash(written: Any) -> None:
    plain = read_arguments({"a": 1, "b": "x"})
    read = read_arguments(written)
    assert plain is not None
    assert read is not None
    assert (read.hash, read.is_valid) == (plain.hash, True)


@pytest.mark.parametrize("empty", ["", "{}", {}, "null", '""'])
def test_empty_arguments_are_no_arguments(empty: Any) -> None:
    read = read_arguments(empty)
    nothing = read_arguments({})
    assert read is not None
    assert nothing is not None
    assert read.hash == nothing.hash


def test_arguments_not_shown_are_none() -> None:
    assert read_arguments(None) is None


@pytest.mark.parametrize("broken", ['{"a": 1', "{a: 1}", "[1, 2", "{" * 5000])
def test_text_that_only_looks_like_json_is_marked(broken: str) -> None:
    read = read_arguments(broken)
    assert read is not None
    assert (read.text, read.is_valid) == (broken, False)


@given(st.dictionaries(st.text(min_size=1, max_size=6), json_values, max_size=5))
def test_the_hash_does_not_depend_on_order_or_encoding(arguments: dict[str, Any]) -> None:
    reversed_order = dict(reversed(list(arguments.items())))
    first, second = read_arguments(arguments), read_arguments(json.dumps(reversed_order))
    assert first is not None
    assert second is not None
    assert first.hash == second.hash


@given(st.text())
def test_any_text_is_read_without_an_error(written: str) -> None:
    assert read_arguments(written) is not None
    read_messages(written)
    judge(written)


@pytest.mark.parametrize(
    ("facts", "status", "source"),
    [
        ({"result": "Blocked by policy: no.", "status_code": 2}, "blocked", "content"),
        ({"result": "fine", "flag": CallStatus.ERROR, "status_code": 1}, "error", "flag"),
        ({"result": "fine", "status_code": 2}, "error", "span_status"),
        ({"result": "fine", "exception": "boom"}, "error", "exception"),
        ({"result": "Error: boom", "status_code": 1}, "error", "content"),
        ({"result": '{"error": "boom"}', "status_code": 1}, "error", "content"),
        ({"result": {"success": False}}, "error", "content"),
        ({"result": "Error: boom", "flag": CallStatus.OK}, "ok", None),
        ({"result": "the error rate is 3 %"}, "ok", None),
        ({"result": "Errors were not found"}, "ok", None),
        ({"result": {"error": None, "order": 1}}, "ok", None),
        ({"result": ""}, "ok", None),
        ({"result": None, "status_code": 1}, "ok", None),
        ({"result": None}, "unknown", None),
    ],
)
def test_the_first_rule_that_speaks_decides(
    facts: dict[str, Any], status: str, source: str | None
) -> None:
    verdict = judge(**facts)
    assert (verdict.status, verdict.source) == (status, source)


@pytest.mark.parametrize(
    "message",
    [
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}],
        },
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "c", "name": "f", "input": {}}}],
        },
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": " c", "name": "f", "arguments": {}}],
        },
    ],
)
def test_every_shape_of_a_call_is_one(message: dict[str, Any]) -> None:
    [read] = read_messages([message])
    [call] = read.calls
    assert (call.tool_name, call.tool_call_id) == ("f", "c")


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "tool_call_id": "c", "content": "x", "status": "error"},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c", "content": "x", "is_error": True}
            ],
        },
        {
            "role": "user",
            "content": [
                {"toolResult": {"toolUseId": "c", "status": "error", "content": [{"text": "x"}]}}
            ],
        },
    ],
)
def test_every_shape_of_a_failed_answer_is_one(message: dict[str, Any]) -> None:
    [read] = read_messages([message])
    [answer] = read.answers
    assert (answer.tool_call_id, answer.result, answer.flag) == ("c", "x", CallStatus.ERROR)


def test_flattened_attributes_are_ordered_by_index_however_large() -> None:
    flat = {
        "m.10.a": "b",
        "m.2.a": "a",
        f"m.{10**30}.a": "c",
        "m.x.a": "no",
        "m.3": "no",
        "n.1.a": "no",
    }
    assert unflatten(flat, "m") == [{"a": "a"}, {"a": "b"}, {"a": "c"}]


def test_json_is_read_three_layers_deep_and_no_deeper() -> None:
    written: Any = {"a": 1}
    for _ in range(4):
        written = json.dumps(written)
    assert parsed(written) == json.dumps({"a": 1})


_NAME_PARTS = st.sampled_from(["0", "1", "01", "10", "a", "b", "", "9" * 5000])


@given(
    st.dictionaries(
        st.lists(_NAME_PARTS, max_size=4).map(lambda parts: ".".join(["m", *parts])),
        st.integers(),
        max_size=8,
    )
)
def test_a_remembered_plan_builds_what_reading_name_by_name_does(attributes: Any) -> None:
    assert unflatten(attributes, "m") == _by_name(attributes, "m")
