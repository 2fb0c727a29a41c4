"""Transcripts and messages of every provider, by small files: turns, calls, answers, times."""

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

Read = Callable[..., Any]
SECOND = 1_000_000_000


def _arguments(text: str = '{"id": 7}') -> str:
    return text


OPENAI: list[dict[str, Any]] = [
    {"role": "user", "content": "where is order 7?"},
    {
        "role": "assistant", "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function",
             "function": {"name": "find_order", "arguments": _arguments()}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "shipped"},
    {"role": "assistant", "content": "It is on its way."},
]  # fmt: skip
RESPONSES = [
    {"role": "user", "content": [{"type": "input_text", "text": "where is order 7?"}]},
    {"type": "function_call", "call_id": "c1", "name": "find_order", "arguments": '{"id": 7}'},
    {"type": "function_call_output", "call_id": "c1", "output": "shipped"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Sent."}]},
]
ANTHROPIC = [
    {"role": "user", "content": "where is order 7?"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "c1", "name": "find_order", "input": {"id": 7}},
        ],
    },
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [
            {"type": "text", "text": "shipped"}
        ]}],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "Sent."}]},
]  # fmt: skip
BEDROCK = [
    {"role": "user", "content": [{"text": "where is order 7?"}]},
    {
        "role": "assistant",
        "content": [{"toolUse": {"toolUseId": "c1", "name": "find_order", "input": {"id": 7}}}],
    },
    {
        "role": "user",
        "content": [{"toolResult": {
            "toolUseId": "c1", "status": "success", "content": [{"text": "shipped"}],
        }}],
    },
    {"role": "assistant", "content": [{"text": "Sent."}]},
]  # fmt: skip
GEMINI = {
    "contents": [
        {"role": "user", "parts": [{"text": "where is order 7?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "find_order", "args": {"id": 7}}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "find_order", "response": {"r": "shipped"}}}],
        },
        {"role": "model", "parts": [{"text": "Sent."}]},
    ],
    "tools": [{"functionDeclarations": [{"name": "find_order"}, {"name": "cancel_order"}]}],
}
LANGCHAIN = [
    {"type": "human", "data": {"content": "where is order 7?"}},
    {
        "lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"],
        "kwargs": {
            "content": "", "tool_calls": [{"name": "find_order", "args": {"id": 7}, "id": "c1"}],
        },
    },
    {"type": "tool", "content": "shipped", "tool_call_id": "c1", "name": "find_order",
     "status": "success"},
    {"type": "ai", "content": "Sent."},
]  # fmt: skip
OTEL = {
    "messages": [
        {"role": "user", "parts": [{"type": "text", "content": "where is order 7?"}]},
        {
            "role": "assistant",
            "parts": [
                {"type": "tool_call", "id": "c1", "name": "find_order", "arguments": {"id": 7}}
            ],
        },
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "c1", "response": "shipped"}],
        },
        {"role": "assistant", "parts": [{"type": "text", "content": "Sent."}]},
    ]
}
CONVERSATIONS = {
    "openai": OPENAI,
    "openai in an object": {"model": "gpt", "messages": OPENAI},
    "responses": RESPONSES,
    "responses in an object": {"input": RESPONSES[:3], "response": {"output": RESPONSES[3:]}},
    "anthropic": ANTHROPIC,
    "bedrock": BEDROCK,
    "gemini": GEMINI,
    "langchain": LANGCHAIN,
    "opentelemetry": OTEL,
}


@pytest.mark.parametrize("provider", CONVERSATIONS)
def test_messages_of_a_provider_are_turns_calls_and_answers(provider: str, read_file: Read) -> None:
    read = read_file(CONVERSATIONS[provider])
    assert (read.line.container, read.line.message) == ("messages", None)
    [(tool, status, result)] = read.calls()
    assert (tool, status) == ("find_order", "ok")
    assert "shipped" in result
    assert read.turns() == 2
    [call] = read.rows("select arguments_preview, duration_ns, is_executed from tool_call")
    assert json.loads(call["arguments_preview"]) == {"id": 7}
    assert (call["duration_ns"], call["is_executed"]) == (None, True)


def test_messages_a_line_are_one_conversation(read_file: Read) -> None:
    read = read_file(lines=OPENAI)
    assert (read.line.container, read.turns(), len(read.calls())) == ("messages", 2, 1)


def test_the_tools_on_offer_are_read(read_file: Read) -> None:
    read_file(GEMINI)
    rows = read_file(GEMINI).rows("select tool_name from offered_tool order by position")
    assert [row["tool_name"] for row in rows] == ["find_order", "cancel_order"]


def test_an_id_that_comes_back_in_one_conversation_is_another_call(read_file: Read) -> None:
    again = [*OPENAI[:3], *OPENAI[1:2], {**OPENAI[2], "content": "Error: gone"}]
    assert read_file(again).calls() == [
        ("find_order", "ok", "shipped"),
        ("find_order", "error", "Error: gone"),
    ]


def test_a_call_whose_arguments_could_not_be_read_is_an_error(read_file: Read) -> None:
    malformed = [{"name": "find_order", "args": "{7", "id": "c9", "error": "not JSON"}]
    message = {"type": "ai", "content": "", "invalid_tool_calls": malformed}
    read = read_file([LANGCHAIN[0], message])
    assert read.calls() == [("find_order", "error", "not JSON")]
    [call] = read.rows("select is_arguments_valid from tool_call")
    assert call["is_arguments_valid"] is False


def test_a_call_without_an_answer_is_pending(read_file: Read) -> None:
    assert read_file(OPENAI[:2]).calls() == [("find_order", "pending", None)]


@pytest.mark.parametrize("status", [{"is_error": True}, {"is_error": False}])
def test_what_anthropic_says_of_a_result_outranks_its_text(
    status: dict[str, bool], read_file: Read
) -> None:
    block = {"type": "tool_result", "tool_use_id": "c1", "content": "Error: nothing", **status}
    read = read_file([*ANTHROPIC[:2], {"role": "user", "content": [block]}])
    expected = "error" if status["is_error"] else "ok"
    assert read.calls() == [("find_order", expected, "Error: nothing")]


def _line(kind: str, uuid: str, second: int, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": kind, "uuid": uuid, "sessionId": "s1", "timestamp": f"2026-01-01T00:00:{second:02}Z",
        "isSidechain": False,
        "message": {"role": kind, "content": content, **more.pop("message", {})}, **more,
    }  # fmt: skip


USAGE = {
    "input_tokens": 2, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 100,
    "output_tokens": 9,
}  # fmt: skip
ANSWER = {"id": "msg_1", "model": "claude", "usage": USAGE}
CLAUDE = [
    {"type": "summary", "summary": "x", "sessionId": "s1"},
    _line("user", "u1", 0, "where is order 7?"),
    _line("assistant", "a1", 3, [{"type": "text", "text": "Let me look."}], message=ANSWER),
    _line(
        "assistant", "a2", 4,
        [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "ls"}}],
        message=ANSWER,
    ),
    _line(
        "user", "u2", 9, [{"type": "tool_result", "tool_use_id": "c1", "content": "shipped"}],
        toolUseResult={"stdout": "shipped"},
    ),
    _line("user", "u3", 10, "Stop hook feedback: not yet", isMeta=True),
    _line("assistant", "a3", 12, [{"type": "text", "text": "Sent."}], message={"id": "msg_2"}),
    _line("user", "u4", 30, "thanks"),
    _line("assistant", "a4", 31, [{"type": "text", "text": "Welcome."}], message={"id": "msg_3"}),
]  # fmt: skip


def test_a_prompt_of_claude_code_is_a_trace_and_its_lines_one_session(read_file: Read) -> None:
    read = read_file(lines=CLAUDE)
    rows = read.rows(
        "select session_id, n_llm_calls, n_tool_calls, input_tokens, output_tokens, duration_ns "
        "from trace order by start_time_ns"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("s1", 2, 1, None, None, 12 * SECOND),
        ("s1", 1, 0, None, None, SECOND),
    ]
    [usage] = read.rows(
        "select input_tokens, output_tokens, cached_input_tokens from llm_call "
        "where input_tokens is not null"
    )
    assert tuple(usage.values()) == (132, 9, 100)


def test_what_lies_between_two_lines_is_no_duration(read_file: Read) -> None:
    [call] = read_file(lines=CLAUDE).rows("select start_time_ns, duration_ns from tool_call")
    assert call["duration_ns"] is None
    assert call["start_time_ns"] is not None


def test_a_duration_that_a_result_reports_is_one(read_file: Read) -> None:
    reported = [{**line} for line in CLAUDE]
    reported[4] = {**reported[4], "toolUseResult": {"durationMs": 250}}
    [call] = read_file(lines=reported).rows("select duration_ns from tool_call")
    assert call["duration_ns"] == 250_000_000


def test_lines_that_a_resumed_session_copied_count_once(read_file: Read) -> None:
    read = read_file(lines=[*CLAUDE, *CLAUDE])
    assert (read.turns(), len(read.calls())) == (3, 1)


def test_a_sub_agent_is_a_conversation_of_its_own_under_its_call(read_file: Read) -> None:
    task = [{"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "look"}}]
    lines = [
        _line("user", "u1", 0, "go"),
        _line("assistant", "a1", 1, task, message={"id": "m1"}),
        _line("user", "s1", 2, "look", isSidechain=True, parentUuid=None),
        _line(
            "assistant", "s2", 3,
            [{"type": "tool_use", "id": "c9", "name": "Grep", "input": {}}],
            isSidechain=True, parentUuid="s1", message={"id": "m2"},
        ),
        _line(
            "user", "s3", 4, [{"type": "tool_result", "tool_use_id": "c9", "content": "none"}],
            isSidechain=True, parentUuid="s2",
        ),
        _line("user", "u2", 5, [{"type": "tool_result", "tool_use_id": "t1", "content": "none"}]),
    ]  # fmt: skip
    read = read_file(lines=lines)
    rows = read.rows("select tool_name, agent_name from tool_call order by call_index")
    assert [tuple(row.values()) for row in rows] == [("Task", "claude-code"), ("Grep", "sidechain")]
    [trace] = read.rows("select n_root_spans, n_orphan_spans from trace")
    assert tuple(trace.values()) == (1, 0)


def test_a_refused_call_is_a_block_and_no_error(read_file: Read) -> None:
    refused = "The user doesn't want to proceed with this tool use."
    block = {"type": "tool_result", "tool_use_id": "c1", "content": refused, "is_error": True}
    read = read_file(lines=[*CLAUDE[:4], _line("user", "u2", 9, [block])])
    assert [call[1] for call in read.calls()] == ["blocked"]
    [trace] = read.rows("select n_tool_errors, n_guard_hits from trace")
    assert tuple(trace.values()) == (0, 1)


def _codex(kind: str, second: int, payload: dict[str, Any]) -> dict[str, Any]:
    time = f"2026-01-01T00:00:{second:02}Z"
    return {"timestamp": time, "type": kind, "payload": payload}


CODEX = [
    _codex("session_meta", 0, {"id": "sess", "cwd": "/srv/shop", "cli_version": "1"}),
    _codex("turn_context", 0, {"model": "gpt"}),
    _codex("response_item", 1, {
        "type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}],
    }),
    _codex("response_item", 2, {
        "type": "function_call", "name": "shell", "arguments": '{"command": ["ls"]}',
        "call_id": "c1",
    }),
    _codex("response_item", 5, {
        "type": "function_call_output", "call_id": "c1",
        "output": '{"output": "no", "metadata": {"exit_code": 1, "duration_seconds": 0.5}}',
    }),
    _codex("event_msg", 5, {
        "type": "token_count", "info": {"total_token_usage": {"input_tokens": 50}},
    }),
    _codex("response_item", 6, {
        "type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "No."}],
    }),
    _codex("event_msg", 6, {
        "type": "token_count", "info": {"total_token_usage": {"input_tokens": 120}},
    }),
]  # fmt: skip


def test_a_codex_rollout_tells_exit_code_seconds_and_tokens_of_each_turn(read_file: Read) -> None:
    read = read_file(lines=CODEX, name="rollout.jsonl")
    assert read.line.container == "codex"
    [call] = read.rows("select tool_name, status, duration_ns, result_preview from tool_call")
    assert tuple(call.values()) == ("shell", "error", 500_000_000, "no")
    rows = read.rows("select input_tokens, request_model from llm_call order by input_tokens")
    assert [tuple(row.values()) for row in rows] == [(50, "gpt"), (70, "gpt")]


def _event(kind: str, second: int, **fields: Any) -> list[Any]:
    time = f"2026-01-01T00:00:{second:02}Z"
    event = {"id": f"e{second}", "type": kind, "processed_at": time, **fields}
    return ["client.beta.sessions.events.stream", event]


MANAGED = [
    ["client.beta.sessions.create", {"id": "sesn", "agent": {"name": "shop", "model": "claude"}}],
    _event("user.message", 0, content=[{"type": "text", "text": "go"}]),
    _event("span.model_request_start", 1),
    _event(
        "agent.mcp_tool_use", 2, name="find_order", input={"id": 7}, mcp_server_name="store",
        evaluated_permission="ask",
    ),
    _event("span.model_request_end", 3, model_usage={"input_tokens": 4, "output_tokens": 5}),
    _event("user.tool_confirmation", 4, tool_use_id="e2", result="deny", deny_message="no"),
    _event(
        "agent.mcp_tool_result", 5, mcp_tool_use_id="e2", is_error=True,
        content=[{"type": "text", "text": "Permission to use find_order has been rejected"}],
    ),
]  # fmt: skip


def test_a_denied_call_of_a_managed_agent_is_a_block_by_a_person(read_file: Read) -> None:
    read = read_file(lines=MANAGED)
    assert read.line.container == "anthropic-managed-agents"
    [call] = read.rows("select tool_name, namespace, status from tool_call")
    assert tuple(call.values()) == ("find_order", "mcp:store", "blocked")
    rows = read.rows("select rule, decision from guard_event order by time_ns")
    assert [tuple(row.values()) for row in rows] == [
        ("permission_policy", "pending"),
        ("tool_confirmation", "block"),
    ]
    [turn] = read.rows("select input_tokens from llm_call")
    assert turn["input_tokens"] == 4


def _inspect(*events: dict[str, Any], **sample: Any) -> dict[str, Any]:
    evaluation = {"eval_id": "e1", "task": "shop", "model": "gpt"}
    samples = [{"id": 1, "epoch": 2, "events": list(events), **sample}]
    return {"version": 2, "status": "success", "eval": evaluation, "samples": samples}


MODEL_EVENT = {
    "event": "model", "timestamp": "2026-01-01T00:00:00+00:00",
    "completed": "2026-01-01T00:00:01+00:00", "model": "gpt",
    "input": [{"role": "user", "content": "attachment://abc"}],
    "output": {"choices": [{"message": {
        "role": "assistant", "content": "",
        "tool_calls": [{"id": "c1", "function": "find_order", "arguments": {"id": 7}}],
    }}]},
}  # fmt: skip
TOOL_EVENT = {
    "event": "tool", "id": "c1", "function": "find_order", "arguments": {"id": 7},
    "timestamp": "2026-01-01T00:00:01+00:00", "completed": "2026-01-01T00:00:31+00:00",
    "working_time": 0.25, "result": "", "error": {"type": "timeout", "message": "too slow"},
}  # fmt: skip
APPROVAL = {
    "event": "approval", "timestamp": "2026-01-01T00:00:01+00:00", "decision": "reject",
    "approver": "human", "call": {"id": "c1", "function": "find_order"}, "explanation": "no",
}  # fmt: skip


def test_events_of_inspect_tell_times_errors_approvals_and_scores(read_file: Read) -> None:
    log = _inspect(
        MODEL_EVENT, APPROVAL, TOOL_EVENT,
        attachments={"abc": "where is order 7?"}, scores={"match": {"value": "I"}},
    )  # fmt: skip
    read = read_file(log)
    [call] = read.rows("select status, error_type, duration_ns, result_preview from tool_call")
    assert tuple(call.values()) == ("error", "timeout", 250_000_000, "too slow")
    [guard] = read.rows("select rule, decision, tool_call_id from guard_event")
    assert tuple(guard.values()) == ("human", "block", "c1")
    assert read.rows("select name, value, label from score") == [
        {"name": "match", "value": 0.0, "label": "I"}
    ]
    assert read.rows("select trial from case_run") == [{"trial": 2}]
    [span] = read.rows("select attributes from span where name like 'chat%'")
    assert "where is order 7?" in span["attributes"]


def test_the_zip_of_inspect_is_the_same_log(read_file: Read) -> None:
    log = _inspect(MODEL_EVENT, TOOL_EVENT)
    plain = read_file(log)
    [sample] = log.pop("samples")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("header.json", json.dumps(log))
        archive.writestr("samples/1_epoch_2.json", json.dumps(sample))
    zipped = read_file(data=packed.getvalue(), name="log.eval")
    assert (zipped.line.container, zipped.line.n_merged) == ("inspect", plain.line.n_stored)


def test_an_invocation_of_adk_is_a_trace_of_its_session(read_file: Read) -> None:
    call = {"functionCall": {"id": "c1", "name": "find_order", "args": {"id": 7}}}
    answer = {"functionResponse": {"id": "c1", "name": "find_order", "response": {"error": "gone"}}}
    events = [
        {"author": "user", "invocationId": "i1", "content": {"parts": [{"text": "go"}]}},
        {
            "author": "shop", "invocationId": "i1", "timestamp": 1_700_000_000.5,
            "content": {"role": "model", "parts": [call]},
            "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2},
        },
        {"author": "shop", "invocationId": "i1", "content": {"role": "user", "parts": [answer]}},
    ]  # fmt: skip
    read = read_file({"id": "sess", "appName": "app", "events": events})
    assert read.line.container == "adk-session"
    assert [(name, status) for name, status, _ in read.calls()] == [("find_order", "error")]
    [trace] = read.rows("select session_id, input_tokens from trace")
    assert tuple(trace.values()) == ("sess", 7)


def test_a_saved_run_waits_for_its_approval(read_file: Read) -> None:
    item = {
        "type": "tool_call_item", "agent": {"name": "shop"},
        "raw_item": {"type": "function_call", "call_id": "c1", "name": "refund", "arguments": "{}"},
    }  # fmt: skip
    waiting = {"type": "tool_approval_item", "tool_name": "refund", "raw_item": item["raw_item"]}
    state = {
        "$schemaVersion": "1.5", "generated_items": [item], "current_agent": {"name": "shop"},
        "original_input": "refund order 7", "context": {},
        "current_step": {"type": "next_step_interruption", "data": {"interruptions": [waiting]}},
        "input_guardrail_results": [
            {"guardrail": {"name": "no_abuse"}, "output": {"tripwire_triggered": True}}
        ],
    }  # fmt: skip
    read = read_file(state)
    assert read.calls() == [("refund", "pending", None)]
    rows = read.rows("select rule, decision from guard_event order by rule")
    assert [tuple(row.values()) for row in rows] == [
        ("no_abuse", "block"),
        ("tool_approval", "pending"),
    ]


def test_a_hook_of_the_agent_sdk_is_a_guard(read_file: Read) -> None:
    request = {
        "subtype": "hook_callback", "tool_use_id": "c1",
        "input": {"hook_event_name": "PreToolUse", "tool_name": "Bash"},
    }  # fmt: skip
    decision = {"hookSpecificOutput": {"permissionDecision": "deny"}}
    messages = [
        {"type": "user", "message": {"role": "user", "content": "go"}},
        {"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": [
            {"type": "tool_use", "id": "c1", "name": "Bash", "input": {}}
        ]}},
        {"type": "control_request", "request_id": "r1", "request": request},
        {"type": "control_response", "response": {"request_id": "r1", "response": decision}},
    ]  # fmt: skip
    entries = [{"direction": "recv", "message": message} for message in messages]
    read = read_file({"metadata": {}, "messages": entries})
    assert read.line.container == "claude-agent-sdk-log"
    assert read.rows("select rule, decision, tool_name from guard_event") == [
        {"rule": "PreToolUse", "decision": "block", "tool_name": "Bash"}
    ]


def test_a_guard_log_is_evaluations_of_its_runs(read_file: Read) -> None:
    def row(action: str) -> dict[str, Any]:
        return {
            "record_type": "event", "run_id": "r1", "tool": "send_money",
            "decision": {"action": action, "rule": "limit"}, "timestamp": "2026-01-01T00:00:00Z",
        }  # fmt: skip

    read = read_file(lines=[row("allow"), row("block"), row("dance")])
    assert (read.line.container, read.line.n_rejected) == ("guard-decisions", 1)
    rows = read.rows("select decision, count(*) as n from guard_event group by 1 order by 1")
    assert [tuple(item.values()) for item in rows] == [("allow", 1), ("block", 1)]
