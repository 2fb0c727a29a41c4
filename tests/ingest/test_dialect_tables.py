"""What the table of each dialect says of a model call, a tool and the rest, from few attributes."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ingest.dialects import DIALECTS, SpanView, read_spans
from ingest.dialects.claim import Claim
from pipeline.vocabulary import CallStatus, GuardDecision, Role
from replay_store.records import Span

MakeSpan = Callable[..., Span]
CALL = {"id": "c1", "type": "function", "function": {"name": "get", "arguments": '{"a": 1}'}}
SHOWN = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "tool_calls": [{**CALL, "id": "c0"}]},
    {"role": "tool", "tool_call_id": "c0", "content": "fine"},
]
SAID = {"role": "assistant", "content": "so", "tool_calls": [CALL]}
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}}
DEFINITION = {"type": "function", "function": {"name": "get", "parameters": {"type": "object"}}}

MODELS: dict[str, dict[str, Any]] = {
    "langfuse": {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "m",
        "langfuse.observation.input": json.dumps({"tools": [DEFINITION], "messages": SHOWN}),
        "langfuse.observation.output": json.dumps(SAID),
        "langfuse.observation.usage_details": json.dumps(USAGE),
    },
    "mlflow": {
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.llm.model": '"m"',
        "mlflow.spanInputs": json.dumps({"messages": SHOWN}),
        "mlflow.spanOutputs": json.dumps({"choices": [{"message": SAID}]}),
        "mlflow.chat.tools": json.dumps([DEFINITION]),
        "mlflow.chat.tokenUsage": json.dumps(
            {
                "input_tokens": 7,
                "output_tokens": 3,
                "total_tokens": 10,
                "cache_read_input_tokens": 2,
            }
        ),
    },
    "vercel_ai": {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.model.id": "m",
        "ai.prompt.messages": json.dumps(
            [
                {
                    "role": "assistant",
                    "content": [{"type": "tool-call", "toolCallId": "c0", "toolName": "get"}],
                },
                {
                    "role": "tool",
                    "content": [
                        {
                            "type": "tool-result",
                            "toolCallId": "c0",
                            "output": {"type": "text", "value": "fine"},
                        }
                    ],
                },
            ]
        ),
        "ai.prompt.tools": [json.dumps({"name": "get", "inputSchema": {"type": "object"}})],
        "ai.response.text": "so",
        "ai.response.toolCalls": json.dumps(
            [{"toolCallId": "c1", "toolName": "get", "input": '{"a": 1}'}]
        ),
        "ai.usage.inputTokens": 7,
        "ai.usage.outputTokens": 3,
        "ai.usage.cachedInputTokens": 2,
    },
    "traceloop": {
        "llm.request.type": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.usage.prompt_tokens": 7,
        "gen_ai.usage.completion_tokens": 3,
        "gen_ai.usage.cache_read_input_tokens": 2,
        "gen_ai.prompt.0.role": "tool",
        "gen_ai.prompt.0.tool_call_id": "c0",
        "gen_ai.prompt.0.content": "fine",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "so",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "get",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"a": 1}',
        "llm.request.functions.0.name": "get",
    },
    "langsmith": {
        "langsmith.span.kind": "llm",
        "langsmith.metadata.ls_model_name": "m",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 2,
        "gen_ai.tool.definitions": json.dumps([DEFINITION]),
        "gen_ai.prompt": json.dumps(
            {
                "messages": [
                    [
                        {
                            "lc": 1,
                            "type": "constructor",
                            "id": ["langchain", "schema", "messages", "ToolMessage"],
                            "kwargs": {"content": "fine", "tool_call_id": "c0", "type": "tool"},
                        }
                    ]
                ]
            }
        ),
        "gen_ai.completion": json.dumps(
            {
                "generations": [
                    [
                        {
                            "message": {
                                "lc": 1,
                                "id": ["langchain", "schema", "messages", "AIMessage"],
                                "kwargs": {
                                    "content": "so",
                                    "type": "ai",
                                    "tool_calls": [{"name": "get", "args": {"a": 1}, "id": "c1"}],
                                },
                            }
                        }
                    ]
                ]
            }
        ),
    },
    "logfire": {
        "logfire.msg_template": "Chat completion with {gen_ai.request.model!r}",
        "gen_ai.request.model": "m",
        "input": json.dumps(SHOWN),
        "output": json.dumps([SAID]),
        "request_data": json.dumps({"tools": [DEFINITION]}),
        "usage": json.dumps(
            {
                "input_tokens": 7,
                "output_tokens": 3,
                "total_tokens": 10,
                "input_tokens_details": {"cached_tokens": 2},
            }
        ),
    },
    "genkit": {
        "genkit:metadata:subtype": "model",
        "gen_ai.request.model": "m",
        "genkit:input": json.dumps({"tools": [DEFINITION], "messages": SHOWN}),
        "genkit:output": json.dumps({"message": SAID}),
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 3,
        "gen_ai.usage.cache_read.input_tokens": 2,
    },
}
TOOLS: dict[str, dict[str, Any]] = {
    "langfuse": {
        "langfuse.observation.type": "tool",
        "langfuse.observation.input": '{"args": [], "kwargs": {"a": 1}}',
        "langfuse.observation.output": "fine",
    },
    "mlflow": {
        "mlflow.spanType": '"TOOL"',
        "mlflow.spanInputs": '{"a": 1}',
        "tool_call_id": '"c1"',
        "mlflow.spanOutputs": json.dumps(
            {"type": "tool", "content": "fine", "tool_call_id": "c1", "status": "success"}
        ),
    },
    "vercel_ai": {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": "get",
        "ai.toolCall.id": "c1",
        "ai.toolCall.args": '{"a": 1}',
        "ai.toolCall.result": "fine",
    },
    "traceloop": {
        "traceloop.span.kind": "task",
        "tool.name": "get",
        "tool.arguments": '{"a": 1}',
        "traceloop.entity.output": json.dumps(
            {"tool_id": "c1", "tool_output": {"raw_output": "fine", "is_error": False}}
        ),
    },
    "langsmith": {
        "langsmith.span.kind": "tool",
        "langsmith.trace.name": "get",
        "gen_ai.prompt": '{"a": 1}',
        "gen_ai.completion": json.dumps(
            {"output": {"type": "tool", "data": {"content": "fine", "tool_call_id": "c1"}}}
        ),
    },
    "logfire": {
        "logfire.msg_template": "Function: {name}",
        "name": "get",
        "input": '{"a": 1}',
        "output": "fine",
    },
    "genkit": {
        "genkit:metadata:subtype": "tool",
        "genkit:name": "get",
        "genkit:input": '{"a": 1}',
        "genkit:output": "fine",
    },
    "laminar": {
        "lmnr.span.type": "TOOL",
        "lmnr.span.input": '{"a": 1}',
        "lmnr.span.output": "fine",
    },
    "haystack": {
        "haystack.tool.name": "get",
        "tool.name": "get",
        "haystack.tool.input": '{"a": 1}',
        "haystack.tool.output": "fine",
    },
    "flue": {
        "flue.tool.name": "get",
        "flue.tool.call_id": "c1",
        "flue.tool.arguments": '{"a": 1}',
        "flue.tool.result": "fine",
    },
    "mcp": {"mcp.method.name": "tools/call", "mcp.request.argument": '{"a": 1}'},
}


def claim_of(span: Span) -> Claim:
    return read_spans([SpanView(span)])[0].claim


def test_every_dialect_has_a_name_of_its_own_and_is_known_by_something() -> None:
    assert len({dialect.names.dialect for dialect in DIALECTS}) == len(DIALECTS)
    tables = [dialect.names for dialect in DIALECTS]
    assert all(names.marks or names.scopes or names.span_prefix for names in tables)


@pytest.mark.parametrize("dialect", MODELS)
def test_a_model_call_tells_what_it_was_shown_said_and_cost(
    make_span: MakeSpan, dialect: str
) -> None:
    span = make_span(name="call", attributes=MODELS[dialect])
    [(claim, spoken)] = read_spans([SpanView(span)])
    assert dialect in spoken
    assert claim.role is Role.MODEL
    assert claim.request_model == "m"
    tokens = (claim.input_tokens, claim.output_tokens, claim.cached_input_tokens)
    assert tokens == (7, 3, 2)
    assert [(sign.tool_name, sign.tool_call_id) for sign in claim.requests or ()] == [("get", "c1")]
    assert [(sign.tool_call_id, sign.result) for sign in claim.answers or ()] == [("c0", "fine")]
    assert claim.is_output_visible
    assert claim.output_text == "so"
    assert [offer.tool_name for offer in claim.offers or ()] == ["get"]


@pytest.mark.parametrize("dialect", TOOLS)
def test_a_tool_tells_its_name_arguments_and_result(make_span: MakeSpan, dialect: str) -> None:
    name = "tools/call get" if dialect == "mcp" else "get"
    span = make_span(name=name, attributes=TOOLS[dialect])
    [(claim, spoken)] = read_spans([SpanView(span)])
    assert dialect in spoken
    assert claim.role is Role.TOOL
    assert claim.tool is not None
    assert claim.tool.tool_name == "get"
    assert claim.tool.arguments in ('{"a": 1}', '{"args": [], "kwargs": {"a": 1}}')
    assert claim.tool.result == (None if dialect == "mcp" else "fine")
    assert claim.tool.tool_call_id in ("c1", None)


def test_steps_of_haystack_are_told_by_their_operation(make_span: MakeSpan) -> None:
    reply = {
        "role": "assistant",
        "content": [{"tool_call": {"tool_name": "get", "arguments": {"a": 1}, "id": "c1"}}],
        "meta": {"usage": USAGE},
    }
    said = {"haystack.agent.step.llm.output": json.dumps({"replies": [reply]})}
    model = claim_of(make_span(name="haystack.agent.step.llm", attributes=said))
    assert model.role is Role.MODEL
    tokens = (model.input_tokens, model.output_tokens, model.cached_input_tokens)
    assert tokens == (7, 3, 2)
    assert [(sign.tool_name, sign.tool_call_id) for sign in model.requests or ()] == [("get", "c1")]
    failed = {"haystack.tool.name": "get", "haystack.tool.error": True}
    tool = claim_of(make_span(name="haystack.agent.step.tool", attributes=failed)).tool
    assert tool is not None
    assert (tool.tool_name, tool.flag) == ("get", CallStatus.ERROR)


def test_spans_of_claude_code_are_told_by_their_name(make_span: MakeSpan) -> None:
    tokens = {"input_tokens": 5, "cache_read_tokens": 2, "output_tokens": 3, "model": "m"}
    model = claim_of(make_span(name="claude_code.llm_request", attributes=tokens))
    assert (model.role, model.input_tokens, model.output_tokens) == (Role.MODEL, 7, 3)
    ran = make_span(name="claude_code.tool.execution", attributes={"success": "false"})
    tool = claim_of(ran).tool
    assert tool is not None
    assert tool.flag is CallStatus.ERROR
    waited = {"decision": "reject", "source": "user_reject"}
    [sign] = claim_of(make_span(name="claude_code.tool.blocked_on_user", attributes=waited)).guards
    assert (sign.decision, sign.rule) == (GuardDecision.BLOCK, "user_reject")


def test_old_spans_of_pydantic_ai_hold_their_events_in_one_list(make_span: MakeSpan) -> None:
    events = [
        {"event.name": "gen_ai.tool.message", "id": "c0", "content": "fine"},
        {"event.name": "gen_ai.choice", "index": 0, "message": SAID},
    ]
    attributes = {"gen_ai.operation.name": "chat", "events": json.dumps(events)}
    claim = claim_of(make_span(scope_name="pydantic-ai", attributes=attributes))
    assert [sign.tool_call_id for sign in claim.requests or ()] == ["c1"]
    assert [sign.tool_call_id for sign in claim.answers or ()] == ["c0"]
    run = make_span(name="qa run", scope_name="pydantic-ai", attributes={"agent_name": "qa"})
    assert (claim_of(run).role, claim_of(run).agent_name) == (Role.AGENT, "qa")


def test_a_span_that_repeats_the_tokens_of_a_call_is_no_call(make_span: MakeSpan) -> None:
    repeated = {
        "ag2.span.type": "usage",
        "gen_ai.operation.name": "chat",
        "gen_ai.usage.input_tokens": 7,
    }
    assert claim_of(make_span(attributes=repeated)).role is Role.OTHER


@pytest.mark.parametrize(
    ("attributes", "role"),
    [
        ({"langfuse.observation.type": "agent"}, Role.AGENT),
        ({"langfuse.observation.type": "span"}, Role.CHAIN),
        ({"langfuse.observation.type": "span", "langfuse.observation.model.name": "m"}, Role.MODEL),
        ({"mlflow.spanType": '"AGENT"'}, Role.AGENT),
        ({"mlflow.spanType": '"UNKNOWN"'}, Role.CHAIN),
        ({"ai.operationId": "ai.streamText"}, Role.AGENT),
        ({"operation.name": "ai.embed app", "ai.operationId": ""}, Role.OTHER),
        ({"traceloop.span.kind": "workflow"}, Role.CHAIN),
        ({"traceloop.span.kind": "agent"}, Role.AGENT),
        ({"logfire.msg_template": "Agent run: {name!r}"}, Role.AGENT),
        ({"logfire.msg_template": "something else"}, Role.OTHER),
        ({"lmnr.span.type": "DEFAULT"}, Role.OTHER),
        ({"openinference.span.kind": "LLM", "gen_ai.operation.name": "invoke_agent"}, Role.AGENT),
    ],
)
def test_wrappers_and_agents_are_no_calls(
    make_span: MakeSpan, attributes: dict[str, Any], role: Role
) -> None:
    assert claim_of(make_span(attributes=attributes)).role is role


@pytest.mark.parametrize(
    "attributes",
    [
        {"langfuse.observation.type": "tool", "langfuse.observation.level": "ERROR"},
        {"logfire.msg_template": "Function: {name}", "error": '{"message": "no"}'},
        {
            "ai.operationId": "ai.toolCall",
            "ai.toolCall.result": '{"isError": true, "content": "no"}',
        },
        {
            "openinference.span.kind": "TOOL",
            "output.value": '{"raw_output": "no", "is_error": true}',
        },
        {
            "mlflow.spanType": '"TOOL"',
            "mlflow.spanOutputs": '{"type": "tool", "content": "", "status": "error"}',
        },
        {
            "openinference.span.kind": "TOOL",
            "output.value": "status='failure' result=None error='no'",
        },
    ],
)
def test_a_failure_that_only_an_attribute_tells_is_a_failure(
    make_span: MakeSpan, attributes: dict[str, Any]
) -> None:
    tool = claim_of(make_span(attributes=attributes)).tool
    assert tool is not None
    assert tool.flag is CallStatus.ERROR


@pytest.mark.parametrize(
    ("triggered", "decision"),
    [(True, GuardDecision.BLOCK), (False, GuardDecision.ALLOW), (None, GuardDecision.UNKNOWN)],
)
def test_a_guardrail_of_logfire_tells_whether_it_tripped(
    make_span: MakeSpan, triggered: bool | None, decision: GuardDecision
) -> None:
    attributes = {"logfire.msg_template": "Guardrail {name!r} {triggered=}", "name": "no_deletes"}
    span = make_span(attributes={**attributes, "triggered": triggered})
    [sign] = claim_of(span).guards
    assert (sign.decision, sign.rule) == (decision, "no_deletes")
