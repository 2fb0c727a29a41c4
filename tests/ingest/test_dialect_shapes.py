"""The shapes that providers and frameworks give to messages, results, usage and catalogues."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.dialects import DIALECTS
from ingest.dialects.messages import read_conversation, read_message
from ingest.dialects.names import offers_of
from ingest.dialects.results import read_result
from ingest.dialects.usage import Usage, read_usage
from ingest.mapping import map_batch
from pipeline.vocabulary import CallStatus
from replay_store import Batch

CALL = [("get", "c1")]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "get"}}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "get"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "get"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "get"}}]},
        {"role": "model", "parts": [{"function_call": {"id": "c1", "name": "get", "args": {}}}]},
        {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get", "args": {}}}]},
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "get"}],
        },
        {"type": "function_call", "id": "fc_9", "call_id": "c1", "name": "get", "arguments": "{}"},
        {"type": "ai", "content": "", "tool_calls": [{"name": "get", "args": {}, "id": "c1"}]},
        {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "get", "id": "c1"}]}},
        {
            "lc": 1,
            "id": ["langchain", "schema", "messages", "AIMessage"],
            "kwargs": {
                "content": "",
                "invalid_tool_calls": [{"name": "get", "args": "{", "id": "c1"}],
            },
        },
        {
            "role": "assistant",
            "additional_kwargs": {"tool_calls": [{"id": "c1", "function": {"name": "get"}}]},
            "blocks": [{"block_type": "tool_call", "tool_call_id": "c1", "tool_name": "get"}],
        },
        {
            "role": "assistant",
            "content": [{"tool_call": {"tool_name": "get", "arguments": {}, "id": "c1"}}],
        },
    ],
)
def test_a_call_is_read_from_every_shape_of_message(message: dict[str, Any]) -> None:
    calls = read_message(message).calls
    assert [(call.tool_name, call.tool_call_id) for call in calls] == CALL


@pytest.mark.parametrize(
    ("message", "flag"),
    [
        ({"role": "tool", "tool_call_id": "c1", "content": "no"}, None),
        ({"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "no"}]}, None),
        ({"role": "function", "call_id": "c1", "content": "no", "is_error": True}, "error"),
        ({"type": "tool", "tool_call_id": "c1", "content": "no", "status": "error"}, "error"),
        (
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}
                ],
            },
            "error",
        ),
        (
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "c1",
                            "status": "error",
                            "content": [{"text": "no"}],
                        }
                    }
                ],
            },
            "error",
        ),
        ({"role": "user", "parts": [{"functionResponse": {"id": "c1", "response": "no"}}]}, None),
        (
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c1",
                        "output": {"type": "error-text", "value": "no"},
                    }
                ],
            },
            "error",
        ),
        ({"type": "function_call_output", "call_id": "c1", "output": "no"}, None),
        (
            {
                "role": "tool",
                "content": [
                    {"tool_call_result": {"result": "no", "origin": {"id": "c1"}, "error": True}}
                ],
            },
            "error",
        ),
    ],
)
def test_an_answer_is_read_from_every_shape_of_message(
    message: dict[str, Any], flag: str | None
) -> None:
    [answer] = read_message(message).answers
    assert (answer.tool_call_id, answer.result, answer.flag) == ("c1", "no", flag)


@pytest.mark.parametrize(
    "envelope",
    [
        [{"role": "assistant", "content": "so"}],
        {"role": "assistant", "content": "so"},
        {"messages": [[{"role": "assistant", "content": "so"}]]},
        {"choices": [{"index": 0, "message": {"role": "assistant", "content": "so"}}]},
        {"generations": [[{"text": "so", "message": {"role": "assistant", "content": "so"}}]]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "so"}]}}]},
        {"output": [{"type": "message", "content": [{"type": "output_text", "text": "so"}]}]},
        {"replies": [{"role": "assistant", "content": [{"text": "so"}]}]},
        "so",
    ],
)
def test_messages_are_found_within_requests_and_responses(envelope: Any) -> None:
    for value in (envelope, envelope if isinstance(envelope, str) else json.dumps(envelope)):
        assert [message.texts for message in read_conversation(value)] == [["so"]]


@pytest.mark.parametrize("value", [None, "", 7, [], {}, {"messages": None}, {"tools": []}])
def test_nothing_is_said_where_there_is_no_message(value: Any) -> None:
    assert read_conversation(value) == []


@pytest.mark.parametrize(
    ("value", "result", "call_id", "flag"),
    [
        (None, None, None, None),
        ("plain", "plain", None, None),
        ('{"a": 1}', '{"a": 1}', None, None),
        ({"type": "tool", "content": "x", "tool_call_id": "c1"}, "x", "c1", None),
        ({"lc": 1, "kwargs": {"content": "x", "status": "error"}}, "x", None, CallStatus.ERROR),
        (
            json.dumps({"output": {"type": "tool", "data": {"content": "x", "status": "success"}}}),
            "x",
            None,
            CallStatus.OK,
        ),
        (
            {"tool_id": "c1", "tool_output": {"raw_output": "x", "is_error": True}},
            "x",
            "c1",
            CallStatus.ERROR,
        ),
        ({"id": "c1", "name": "get", "response": {"result": "x"}}, {"result": "x"}, "c1", None),
        (
            {"content": [{"type": "text", "text": "x"}], "isError": True},
            "x",
            None,
            CallStatus.ERROR,
        ),
        ("status='failure' result=None", "None", None, CallStatus.ERROR),
        ("status='sunny' result=None", "status='sunny' result=None", None, None),
    ],
)
def test_a_result_is_taken_out_of_what_is_wrapped_around_it(
    value: Any, result: Any, call_id: str | None, flag: CallStatus | None
) -> None:
    returned = read_result(value)
    assert (returned.result, returned.tool_call_id, returned.flag) == (result, call_id, flag)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}, (7, 3, None)),
        ({"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 2}, (7, 3, 2)),
        ({"input_tokens": 7, "input_token_details": {"cache_read": 2}}, (7, None, 2)),
        ({"prompt_tokens": 7, "prompt_tokens_details": {"cached_tokens": 2}}, (7, None, 2)),
        (
            {
                "input_tokens": 5,
                "output_tokens": 3,
                "cache_read_input_tokens": 2,
                "cache_creation_input_tokens": 1,
            },
            (8, 3, 2),
        ),
        ({"input": 5, "output": 3, "input_cached_tokens": 2}, (7, 3, 2)),
        ({"promptTokenCount": 7, "candidatesTokenCount": 3}, (7, 3, None)),
        ("not json", (None, None, None)),
        (None, (None, None, None)),
    ],
)
def test_input_tokens_hold_the_cached_ones_however_they_are_told(
    usage: Any, tokens: tuple[int | None, ...]
) -> None:
    assert read_usage(usage) == read_usage(json.dumps(usage)) == Usage(*tokens)


@pytest.mark.parametrize(
    "catalogue",
    [
        [{"name": "get", "input_schema": {}}],
        [{"type": "function", "function": {"name": "get", "parameters": {}}}],
        [{"toolSpec": {"name": "get"}}],
        [{"function_declarations": [{"name": "get"}]}],
        ['{"name": "get", "inputSchema": {}}'],
        {"tools": [{"name": "get"}], "messages": []},
    ],
)
def test_a_catalogue_is_read_in_every_shape(catalogue: Any) -> None:
    assert [offer.tool_name for offer in offers_of(json.dumps(catalogue)) or ()] == ["get"]


WORDS = [
    "role",
    "type",
    "content",
    "parts",
    "tool_calls",
    "function",
    "name",
    "id",
    "arguments",
    "lc",
    "kwargs",
    "data",
    "messages",
    "choices",
    "message",
    "generations",
    "output",
    "update",
    "usage",
    "prompt_tokens",
    "input",
    "tools",
    "response",
    "result",
    "origin",
    "error",
    "tool_call",
    "tool_call_result",
    "toolUse",
    "toolResult",
    "functionCall",
    "blocks",
    "additional_kwargs",
    "raw_output",
    "is_error",
    "tool_output",
    "status",
    "assistant",
    "tool",
    "ai",
    "call_id",
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.text(max_size=5)
    | st.sampled_from(WORDS),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(WORDS) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=25,
)


def known_keys() -> list[str]:
    """Every attribute name of every table, and the names the conventions are known by."""
    tables = [dialect.names for dialect in DIALECTS]
    named = [key for names in tables for keys in names.fields.values() for key in keys]
    for names in tables:
        more = (names.kind, names.usage, names.inputs, names.outputs, names.offers)
        run = (names.tool_name, names.tool_call_id, names.arguments, names.result)
        named += [key for keys in (*more, *run) for key in keys]
    return sorted(
        {*named, "gen_ai.operation.name", "gen_ai.input.messages", "gen_ai.output.messages"}
        | {"openinference.span.kind", "llm.output_messages.0.message.tool_calls.0", "events"}
        | {"gen_ai.tool.definitions", "gen_ai.tool.call.result", "mcp.method.name"}
    )


KINDS = st.sampled_from(["chat", "LLM", "TOOL", "execute_tool", "tools/call", "generation", "tool"])


@given(
    attributes=st.dictionaries(
        st.sampled_from(known_keys()), JSON | JSON.map(json.dumps) | KINDS, max_size=8
    ),
    event=st.sampled_from(["gen_ai.choice", "gen_ai.tool.message", "exception", "x"]),
    body=st.dictionaries(st.sampled_from(["message", "content", "id"]), JSON, max_size=3),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
def test_whatever_attributes_hold_a_span_is_mapped(
    make_span: Any, attributes: dict[str, Any], event: str, body: dict[str, Any]
) -> None:
    events = [{"time_ns": None, "name": event, "attributes": body}]
    span = make_span(attributes=attributes, events=events, scope_name="pydantic-ai")
    batch = Batch(spans=[span])
    map_batch(batch)
    assert len(batch.span_roles) == 1
