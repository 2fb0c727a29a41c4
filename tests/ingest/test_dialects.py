"""What each dialect reads out of one span."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from ingest.dialects import SpanView, read_spans
from ingest.dialects.claim import Claim
from ingest.mapping import map_batch, map_records, map_spans
from pipeline import attributes as names
from pipeline.vocabulary import CallStatus, GuardDecision, Role
from replay_store import Batch
from replay_store.records import CallEvidence, Span

MakeSpan = Callable[..., Span]


def claim_of(span: Span) -> Claim:
    return read_spans([SpanView(span)])[0].claim


def batch_of(span: Span) -> Batch:
    batch = Batch(spans=[span])
    map_spans([span], batch)
    return batch


def evidence_of(span: Span) -> list[CallEvidence]:
    return batch_of(span).call_evidence


@pytest.mark.parametrize(
    ("attributes", "role", "dialects"),
    [
        ({}, Role.OTHER, []),
        ({"http.method": "GET"}, Role.OTHER, []),
        ({"gen_ai.operation.name": "chat"}, Role.MODEL, ["genai"]),
        ({"gen_ai.operation.name": "generate_content"}, Role.MODEL, ["genai"]),
        ({"gen_ai.operation.name": "invoke_agent"}, Role.AGENT, ["genai"]),
        ({"gen_ai.operation.name": "execute_tool"}, Role.TOOL, ["genai"]),
        ({"gen_ai.operation.name": "execute_event_loop_cycle"}, Role.CHAIN, ["genai"]),
        (
            {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)"},
            Role.CHAIN,
            ["genai"],
        ),
        ({"gen_ai.tool.name": "get"}, Role.TOOL, ["genai"]),
        ({"gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 1}, Role.MODEL, ["genai"]),
        ({"gen_ai.request.model": "m"}, Role.OTHER, ["genai"]),
        ({"openinference.span.kind": "LLM"}, Role.MODEL, ["openinference"]),
        ({"openinference.span.kind": "tool"}, Role.TOOL, ["openinference"]),
        ({"openinference.span.kind": "GUARDRAIL"}, Role.GUARD, ["openinference"]),
        ({"openinference.span.kind": "NEW"}, Role.OTHER, ["openinference"]),
        ({"tool.name": "get"}, Role.TOOL, ["openinference"]),
        ({"mcp.method.name": "tools/call"}, Role.TOOL, ["mcp"]),
        ({"mcp.method.name": "tools/list"}, Role.OTHER, ["mcp"]),
        ({names.GUARD_RULE: "r"}, Role.GUARD, ["toolsight"]),
        ({names.ATTEMPT: 1}, Role.ATTEMPT, ["toolsight"]),
        (
            {"openinference.span.kind": "AGENT", "gen_ai.operation.name": "chat"},
            Role.AGENT,
            ["openinference", "genai"],
        ),
    ],
)
def test_the_role_of_a_span_is_read_from_its_attributes(
    make_span: MakeSpan, attributes: dict[str, Any], role: Role, dialects: list[str]
) -> None:
    [mapped] = batch_of(make_span(attributes=attributes)).span_roles
    assert (mapped.role, list(mapped.dialects)) == (role, dialects)


def test_stages_of_an_observation_are_known_by_their_scope(make_span: MakeSpan) -> None:
    span = make_span(name="align", scope_name="pipeline.observation")
    assert claim_of(span).role is Role.OBSERVATION


def test_several_dialects_on_one_span_complete_each_other(make_span: MakeSpan) -> None:
    span = make_span(
        attributes={
            "openinference.span.kind": "TOOL",
            "tool.name": "get",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.call.id": " c1 ",
            "output.value": "fine",
            names.STEP_INDEX: "2",
            names.CONTRACT_VERSION: "v3",
        }
    )
    [sign] = evidence_of(span)
    assert (
        sign.tool_name,
        sign.tool_call_id,
        sign.result,
        sign.step_index,
        sign.contract_version,
    ) == (
        "get",
        "c1",
        "fine",
        2,
        "v3",
    )


CALL = {"id": "c1", "name": "get", "arguments": '{"a": 1}'}
GENAI_OUTPUT = json.dumps([{"role": "assistant", "parts": [{"type": "tool_call", **CALL}]}])
GENAI_INPUT = json.dumps(
    [{"role": "tool", "parts": [{"type": "tool_call_response", "id": "c0", "result": "fine"}]}]
)
OPENINFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "get",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"a": 1}',
    "llm.input_messages.0.message.role": "tool",
    "llm.input_messages.0.message.tool_call_id": "c0",
    "llm.input_messages.0.message.content": "fine",
}
BEDROCK_EVENTS = [
    {
        "time_ns": 1,
        "name": "gen_ai.tool.message",
        "attributes": {
            "content": json.dumps(
                [
                    {
                        "toolResult": {
                            "toolUseId": "c0",
                            "status": "success",
                            "content": [{"text": "fine"}],
                        }
                    }
                ]
            )
        },
    },
    {
        "time_ns": 2,
        "name": "gen_ai.choice",
        "attributes": {
            "finish_reason": "tool_use",
            "message": json.dumps(
                [{"toolUse": {"toolUseId": "c1", "name": "get", "input": {"a": 1}}}]
            ),
        },
    },
]
OPENAI_EVENTS = [
    {"time_ns": 1, "name": "gen_ai.tool.message", "attributes": {"id": "c0", "content": "fine"}},
    {
        "time_ns": 2,
        "name": "gen_ai.choice",
        "attributes": {
            "finish_reason": "tool_use",
            "message": json.dumps(
                {
                    "tool_calls": [
                        {
                            "id": "c1",
                            "type": "function",
                            "function": {"name": "get", "arguments": '{"a": 1}'},
                        }
                    ]
                }
            ),
        },
    },
]
CHAT = {"gen_ai.operation.name": "chat"}


@pytest.mark.parametrize(
    "span",
    [
        {
            "attributes": CHAT
            | {"gen_ai.output.messages": GENAI_OUTPUT, "gen_ai.input.messages": GENAI_INPUT}
        },
        {"attributes": OPENINFERENCE},
        {"attributes": CHAT, "events": BEDROCK_EVENTS},
        {"attributes": CHAT, "events": OPENAI_EVENTS},
        {
            "attributes": CHAT,
            "events": [
                {
                    "time_ns": 1,
                    "name": "gen_ai.client.inference.operation.details",
                    "attributes": {
                        "gen_ai.output.messages": GENAI_OUTPUT,
                        "gen_ai.input.messages": GENAI_INPUT,
                    },
                }
            ],
        },
    ],
    ids=["parts", "openinference", "bedrock events", "openai events", "details event"],
)
def test_a_model_turn_tells_what_it_asked_for_and_what_it_was_shown(
    make_span: MakeSpan, span: dict[str, Any]
) -> None:
    request, answer = evidence_of(make_span(**span))
    assert (request.evidence, request.tool_call_id, request.tool_name) == ("request", "c1", "get")
    assert (answer.evidence, answer.tool_call_id, answer.result, answer.status) == (
        "answer",
        "c0",
        "fine",
        "ok",
    )
    same = evidence_of(make_span(attributes=CHAT | {"gen_ai.output.messages": GENAI_OUTPUT}))[0]
    assert request.arguments_hash == same.arguments_hash


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"gen_ai.usage.input_tokens": 7, "gen_ai.usage.prompt_tokens": 9}, (7, None, None)),
        ({"gen_ai.usage.prompt_tokens": "9", "gen_ai.usage.completion_tokens": 3}, (9, 3, None)),
        (
            {"gen_ai.usage.input_tokens": 0, "gen_ai.usage.cache_read_input_tokens": 16},
            (0, None, 16),
        ),
        ({"gen_ai.usage.input_tokens": "many"}, (None, None, None)),
        ({}, (None, None, None)),
    ],
)
def test_tokens_are_read_under_old_names_and_new(
    make_span: MakeSpan, attributes: dict[str, Any], expected: tuple[int | None, ...]
) -> None:
    [call] = batch_of(make_span(attributes=CHAT | attributes)).llm_calls
    assert (call.input_tokens, call.output_tokens, call.cached_input_tokens) == expected


def test_a_turn_without_captured_output_is_not_a_turn_that_asked_for_nothing(
    make_span: MakeSpan,
) -> None:
    [hidden] = batch_of(make_span(attributes=CHAT)).llm_calls
    silent = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "done"}]}])
    [shown] = batch_of(make_span(attributes=CHAT | {"gen_ai.output.messages": silent})).llm_calls
    assert (hidden.is_output_visible, shown.is_output_visible) == (False, True)
    assert (shown.n_requested_calls, shown.output_preview) == (0, "done")


def test_a_catalogue_is_stored_once_by_content(make_span: MakeSpan) -> None:
    flat = json.dumps(
        [{"type": "function", "name": "get", "description": "d", "parameters": {"type": "object"}}]
    )
    nested = json.dumps(
        [
            {
                "type": "function",
                "function": {"name": "get", "description": "d", "parameters": {"type": "object"}},
            }
        ]
    )
    batch = Batch()
    for definitions in (flat, nested, flat):
        span = make_span(attributes=CHAT | {"gen_ai.tool.definitions": definitions})
        map_spans([span], batch)
    assert len({call.catalogue_hash for call in batch.llm_calls}) == 1
    assert [(tool.tool_name, tool.position) for tool in batch.offered_tools] == [("get", 0)]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (
            '{"type": "tool", "data": {"content": "boom", "tool_call_id": "c9", "status": "error"}}',
            ("boom", "c9", "error"),
        ),
        (
            '{"lc": 1, "kwargs": {"content": "fine", "tool_call_id": "c9", "status": "success"}}',
            ("fine", "c9", "ok"),
        ),
        ('{"order": 1}', ('{"order": 1}', None, "ok")),
        ("Error: no such order", ("Error: no such order", None, "error")),
    ],
)
def test_an_openinference_result_may_be_a_message(
    make_span: MakeSpan, result: str, expected: tuple[str, str | None, str]
) -> None:
    attributes = {"openinference.span.kind": "TOOL", "tool.name": "get", "output.value": result}
    [sign] = evidence_of(make_span(attributes=attributes, status_code=1))
    assert (sign.result, sign.tool_call_id, sign.status) == expected


def test_a_tripwire_message_is_a_hit_and_a_guard_span_alone_is_no_verdict(
    make_span: MakeSpan,
) -> None:
    message = "Guardrail tripwire triggered: {'guardrail': 'no_deletes'}"
    turn = make_span(
        attributes={"openinference.span.kind": "CHAIN"}, status_code=2, status_message=message
    )
    [hit] = batch_of(turn).guard_events
    assert (hit.rule, hit.decision, hit.is_hit) == ("no_deletes", GuardDecision.BLOCK, True)
    [plain] = batch_of(
        make_span(name="pii", attributes={"openinference.span.kind": "GUARDRAIL"})
    ).guard_events
    assert (plain.rule, plain.decision, plain.is_hit) == ("pii", GuardDecision.UNKNOWN, False)


@pytest.mark.parametrize(
    ("written", "decision", "is_hit"),
    [
        ("allow", "allow", False),
        ("block", "block", True),
        ("escalate", "escalate", True),
        ("nonsense", "unknown", False),
        (None, "unknown", False),
    ],
)
def test_our_guard_spans_name_rule_and_verdict(
    make_span: MakeSpan, written: str | None, decision: str, is_hit: bool
) -> None:
    attributes = {names.GUARD_RULE: "quota", "gen_ai.tool.name": "refund"}
    if written is not None:
        attributes[names.GUARD_DECISION] = written
    [event] = batch_of(make_span(attributes=attributes)).guard_events
    assert (event.rule, event.decision, event.is_hit, event.tool_name) == (
        "quota",
        decision,
        is_hit,
        "refund",
    )


@pytest.mark.parametrize(
    ("value", "decision"),
    [
        ("deny", "block"),
        ("GUARDRAIL_INTERVENED", "block"),
        ("PASSED", "allow"),
        ("modify", "modify"),
        ("?", "unknown"),
    ],
)
def test_drafts_of_guard_conventions_are_read_tolerantly(
    make_span: MakeSpan, value: str, decision: str
) -> None:
    [event] = batch_of(make_span(attributes={"gen_ai.guardrail.verdict.type": value})).guard_events
    assert event.decision == decision


def test_a_deferred_call_waits_and_is_no_error(make_span: MakeSpan) -> None:
    span = make_span(
        scope_name="pydantic-ai",
        status_code=2,
        attributes={
            "gen_ai.tool.name": "pay",
            "pydantic_ai.tool.deferral.name": "ApprovalRequired",
        },
    )
    batch = batch_of(span)
    assert batch.call_evidence[0].status is CallStatus.PENDING
    assert batch.guard_events[0].decision is GuardDecision.PENDING


def test_an_announced_retry_and_a_wrapper_of_pydantic_ai_are_known(make_span: MakeSpan) -> None:
    failed = make_span(
        scope_name="pydantic-ai",
        status_code=2,
        attributes={"gen_ai.tool.name": "get", "pydantic_ai.tool.retry.attempt": 1},
    )
    assert evidence_of(failed)[0].is_retry_announced
    wrapper = make_span(scope_name="pydantic-ai", name="running 2 tools", attributes={})
    assert claim_of(wrapper).role is Role.CHAIN


@pytest.mark.parametrize(
    ("written", "namespace", "tool"),
    [("mcp__store__get_order", "mcp:store", "get_order"), (" get ", None, "get")],
)
def test_a_framework_prefix_becomes_the_namespace(
    make_span: MakeSpan, written: str, namespace: str | None, tool: str
) -> None:
    [sign] = evidence_of(make_span(attributes={"gen_ai.tool.name": written}))
    assert (sign.namespace, sign.tool_name) == (namespace, tool)


@pytest.mark.parametrize("tool", ["transfer_to_refunds", "final_answer", "StructuredOutput"])
def test_hand_offs_and_final_answers_are_pseudo_tools(make_span: MakeSpan, tool: str) -> None:
    [sign] = evidence_of(make_span(attributes={"gen_ai.tool.name": tool}))
    assert sign.is_pseudo


def test_an_error_names_its_class_and_message(make_span: MakeSpan) -> None:
    event = {
        "time_ns": 1,
        "name": "exception",
        "attributes": {"exception.type": "shop.errors.Timeout", "exception.message": "3 s passed"},
    }
    span = make_span(attributes={"gen_ai.tool.name": "get"}, status_code=2, events=[event])
    batch = batch_of(span)
    [sign], [role] = batch.call_evidence, batch.span_roles
    assert (sign.status, sign.error_type, sign.error_message) == ("error", "Timeout", "3 s passed")
    assert (role.is_error, role.error_type) == (True, "Timeout")


def test_the_class_of_our_own_dialect_outranks_the_exception(make_span: MakeSpan) -> None:
    attributes = {
        "gen_ai.tool.name": "get",
        "error.type": "ReadTimeout",
        names.ERROR_CLASS: "TIMEOUT",
    }
    [sign] = evidence_of(make_span(attributes=attributes, status_code=2))
    assert sign.error_type == "TIMEOUT"


def test_a_model_span_with_an_exception_and_no_output_failed_whatever_its_status(
    make_span: MakeSpan,
) -> None:
    event = {"time_ns": 1, "name": "exception", "attributes": {"exception.type": "BadRequest"}}
    [role] = batch_of(make_span(attributes=CHAT, status_code=1, events=[event])).span_roles
    assert role.is_error


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"session.id": "s", "gen_ai.conversation.id": "c"}, "s"),
        ({"gen_ai.conversation.id": "c"}, "c"),
        ({"thread_id": "t"}, "t"),
        ({}, None),
    ],
)
def test_the_session_is_found_under_many_names(
    make_span: MakeSpan, attributes: dict[str, Any], expected: str | None
) -> None:
    [role] = batch_of(make_span(attributes=attributes)).span_roles
    assert role.session_id == expected


def test_spans_mapped_together_give_the_rows_of_each_alone(make_span: MakeSpan) -> None:
    tool = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get"}
    kinds: list[dict[str, Any]] = [
        CHAT | {"gen_ai.output.messages": '[{"role": "assistant", "parts": []}]'},
        tool | {"gen_ai.tool.call.result": "Error: no"},
        {"toolsight.observation.snapshot_hash": "x"},
        {"gen_ai.operation.name": "apply_guardrail", "gen_ai.guardrail.status": "blocked"},
        {},
    ]
    spans = [
        make_span(span_id=f"{number:016x}", attributes=kinds[number % len(kinds)])
        for number in range(1, 1100)
    ]
    alone = Batch(spans=spans)
    for span in spans:
        map_records([span], alone)
    together = Batch(spans=spans)
    map_batch(together)
    assert together == alone
    assert len(together.span_roles) == len(spans)
