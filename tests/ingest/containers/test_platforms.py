"""Exports of platforms and dumps of spans, by small files: what is read out of each."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

Read = Callable[..., Any]
TRACE = "0af7651916cd43dd8448eb211c80319c"
ROOT, CALL = "00f067aa0ba902b7", "b7ad6b7169203331"
MS = 1_000_000


def _b64(text: str) -> str:
    return base64.b64encode(bytes.fromhex(text)).decode()


def _tags(**values: Any) -> list[dict[str, Any]]:
    return [{"key": key.replace("__", "."), "value": value} for key, value in values.items()]


TOOL_TAGS = {
    "gen_ai__operation__name": "execute_tool",
    "gen_ai__tool__name": "find_order",
    "gen_ai__tool__call__arguments": '{"id": 7}',
    "gen_ai__tool__call__result": "shipped",
}
JAEGER_SPAN = {
    "traceID": TRACE, "spanID": CALL, "operationName": "execute_tool find_order",
    "references": [{"refType": "CHILD_OF", "traceID": TRACE, "spanID": ROOT}],
    "startTime": 1_700_000_000_000_000, "duration": 2_500, "tags": _tags(**TOOL_TAGS),
    "logs": [], "processID": "p1",
}  # fmt: skip
OTEL_TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "find_order",
    "gen_ai.tool.call.arguments": '{"id": 7}',
    "gen_ai.tool.call.result": "shipped",
}
ZIPKIN_SPAN = {
    "traceId": TRACE, "id": CALL, "parentId": ROOT, "name": "execute_tool find_order",
    "timestamp": 1_700_000_000_000_000, "duration": 2_500,
    "localEndpoint": {"serviceName": "shop"}, "tags": OTEL_TOOL,
}  # fmt: skip
OTLP_SPAN = {
    "traceId": TRACE, "spanId": CALL, "name": "execute_tool find_order",
    "startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000000002500000",
    "attributes": [
        {"key": key, "value": {"stringValue": value}} for key, value in OTEL_TOOL.items()
    ],
}  # fmt: skip
GROUP = {"resource": {}, "scopeSpans": [{"scope": {}, "spans": [OTLP_SPAN]}]}
LANGFUSE_TOOL = {
    "id": "obs-1", "traceId": "trace-1", "type": "TOOL", "name": "find_order",
    "startTime": "2023-11-14T22:13:20.000Z", "endTime": "2023-11-14T22:13:20.002500Z",
    "parentObservationId": None, "level": "DEFAULT", "input": '"{\\"id\\": 7}"',
    "output": "shipped", "metadata": "{}",
}  # fmt: skip
RUN = {
    "id": "6f8d2449-33ed-4c7c-82e7-5410e34ee4e6", "trace_id": "6f8d2449-33ed-4c7c-82e7-5410e34ee4e6",
    "dotted_order": "20231114T221320000000Z6f8d2449-33ed-4c7c-82e7-5410e34ee4e6",
    "run_type": "tool", "name": "find_order", "start_time": 1_700_000_000_000,
    "inputs": {"input": '{"id": 7}'},
}  # fmt: skip
MLFLOW_SPAN = {
    "trace_id": _b64(TRACE), "span_id": _b64(CALL), "parent_span_id": None,
    "name": "find_order_1", "start_time_unix_nano": 1_700_000_000_000_000_000,
    "end_time_unix_nano": 1_700_000_000_002_500_000,
    "status": {"code": "STATUS_CODE_OK"},
    "attributes": {
        "mlflow.spanType": '"TOOL"', "mlflow.spanInputs": '{"id": 7}',
        "mlflow.spanOutputs": '"shipped"', "mlflow.spanFunctionName": '"find_order"',
    },
}  # fmt: skip
OPIK_SPAN = {
    "id": "01890000-0000-7000-8000-000000000001",
    "trace_id": "01890000-0000-7000-8000-0000000000ff",
    "type": "tool", "name": "find_order", "project_name": "shop",
    "start_time": "2023-11-14T22:13:20Z", "end_time": "2023-11-14T22:13:20.0025Z",
    "input": {"id": 7}, "output": "shipped",
}  # fmt: skip
AGENTS_SPAN = {
    "object": "trace.span", "id": "span_1", "trace_id": f"trace_{TRACE}", "parent_id": None,
    "started_at": "2023-11-14T22:13:20+00:00", "ended_at": "2023-11-14T22:13:20.002500+00:00",
    "span_data": {
        "type": "function", "name": "find_order", "input": '{"id": 7}', "output": "shipped",
    },
}  # fmt: skip
CONSOLE_SPAN: dict[str, Any] = {
    "name": "execute_tool find_order",
    "context": {"trace_id": f"0x{TRACE}", "span_id": f"0x{CALL}", "trace_state": "[]"},
    "kind": "SpanKind.INTERNAL", "parent_id": None,
    "start_time": "2023-11-14T22:13:20.000000Z", "end_time": "2023-11-14T22:13:20.002500Z",
    "status": {"status_code": "UNSET"}, "attributes": OTEL_TOOL, "events": [],
    "resource": {"attributes": {"service.name": "shop"}},
}  # fmt: skip
READABLE_SPAN = {
    "name": "ai.toolCall", "spanContext": {"traceId": TRACE, "spanId": CALL}, "kind": 0,
    "startTime": [1_700_000_000, 0], "endTime": [1_700_000_000, 2_500_000],
    "status": {"code": 0},
    "attributes": {
        "ai.operationId": "ai.toolCall", "ai.toolCall.name": "find_order",
        "ai.toolCall.args": '{"id": 7}', "ai.toolCall.result": '"shipped"',
    },
}  # fmt: skip
PHOENIX_SPAN = {
    "name": "find_order", "context": {"trace_id": TRACE, "span_id": CALL}, "span_kind": "TOOL",
    "parent_id": None, "start_time": "2023-11-14T22:13:20+00:00",
    "end_time": "2023-11-14T22:13:20.002500+00:00", "status_code": "OK",
    "attributes": {
        "tool": {"name": "find_order"}, "input": {"value": '{"id": 7}'},
        "output": {"value": "shipped"},
    },
}  # fmt: skip
TRAIL_SPAN = {
    "trace_id": TRACE, "span_id": ROOT, "parent_span_id": None, "span_name": "agent",
    "timestamp": "2023-11-14T22:13:20Z", "duration": "PT0.0100S", "span_kind": "Internal",
    "status_code": "Unset", "span_attributes": {"openinference.span.kind": "AGENT"},
    "child_spans": [
        {
            "trace_id": TRACE, "span_id": CALL, "parent_span_id": ROOT, "span_name": "find_order",
            "timestamp": "2023-11-14T22:13:20Z", "duration": "PT0.0025S", "status_code": "Ok",
            "span_attributes": {
                "openinference.span.kind": "TOOL", "tool.name": "find_order",
                "input.value": '{"id": 7}', "output.value": "shipped",
            },
            "child_spans": [],
        }
    ],
}  # fmt: skip
CLICKHOUSE_ROW = {
    "TraceId": TRACE, "SpanId": CALL, "ParentSpanId": "", "SpanName": "execute_tool find_order",
    "Timestamp": "2023-11-14 22:13:20.000000000", "Duration": 2_500_000,
    "SpanAttributes": OTEL_TOOL, "ResourceAttributes": {}, "StatusCode": "STATUS_CODE_UNSET",
    "Events.Name": [], "Events.Timestamp": [], "Events.Attributes": [],
}  # fmt: skip

EXPORTS: dict[str, tuple[str, Any]] = {
    "jaeger interface": (
        "jaeger",
        {"data": [{"traceID": TRACE, "spans": [JAEGER_SPAN], "processes": {"p1": {}}}]},
    ),
    "jaeger trace": ("jaeger", {"traceID": TRACE, "spans": [JAEGER_SPAN], "processes": {}}),
    "jaeger store": ("jaeger", JAEGER_SPAN | {"process": {"serviceName": "shop"}}),
    "jaeger api 3": ("tempo", {"result": {"resourceSpans": [GROUP]}}),
    "zipkin": ("zipkin", [ZIPKIN_SPAN]),
    "tempo 1": ("tempo", {"batches": [GROUP]}),
    "tempo 2": ("tempo", {"trace": {"resourceSpans": [GROUP]}}),
    "langfuse export": (
        "langfuse",
        {"trace": {"id": "trace-1", "name": "run"}, "observations": [LANGFUSE_TOOL]},
    ),
    "langfuse api": (
        "langfuse", {"id": "trace-1", "timestamp": "x", "observations": [LANGFUSE_TOOL]},
    ),
    "langfuse page": ("langfuse", {"data": [LANGFUSE_TOOL], "meta": {}}),
    "langfuse rows": ("langfuse", [LANGFUSE_TOOL]),
    "langfuse batch": (
        "langfuse-batch",
        {
            "batch": [
                {"id": "e1", "type": "tool-create", "timestamp": "x", "body": LANGFUSE_TOOL},
                {"id": "e2", "type": "tool-update", "timestamp": "y", "body": {"id": "obs-1"}},
            ]
        },
    ),
    "langsmith batch": (
        "langsmith",
        {
            "post": [RUN],
            "patch": [
                {
                    "dotted_order": RUN["dotted_order"], "end_time": "2023-11-14T22:13:20.0025",
                    "outputs": {"output": "shipped"},
                }
            ],
        },
    ),
    "langsmith runs": (
        "langsmith",
        [RUN | {"end_time": "2023-11-14T22:13:20.0025Z", "outputs": {"output": "shipped"}}],
    ),
    "mlflow 3": (
        "mlflow", {"info": {"trace_id": f"tr-{TRACE}"}, "data": {"spans": [MLFLOW_SPAN]}},
    ),
    "opik": ("opik", [OPIK_SPAN]),
    "opik page": ("opik", {"content": [OPIK_SPAN], "page": 1}),
    "openai agents": ("openai-agents", {"data": [AGENTS_SPAN]}),
    "openai agents rows": ("openai-agents", [AGENTS_SPAN]),
    "printed spans": ("otel-console", [CONSOLE_SPAN]),
    "javascript spans": ("otel-js-spans", [READABLE_SPAN]),
    "phoenix": ("phoenix", [PHOENIX_SPAN]),
    "trail": ("trail", {"trace_id": TRACE, "spans": [TRAIL_SPAN]}),
    "clickhouse": ("clickhouse-spans", [CLICKHOUSE_ROW]),
}  # fmt: skip
"""One call of `find_order`, 2.5 ms long, in every form."""


@pytest.mark.parametrize("case", EXPORTS)
def test_one_call_is_the_same_in_every_export_and_counts_once(case: str, read_file: Read) -> None:
    container, document = EXPORTS[case]
    read = read_file(document)
    assert (read.line.container, read.line.n_rejected, read.line.message) == (container, 0, None)
    [call] = read.rows(
        "select tool_name, status, duration_ns, arguments_preview, result_preview from tool_call"
    )
    assert (call["tool_name"], call["status"]) == ("find_order", "ok")
    assert call["duration_ns"] == 2_500_000
    assert call["arguments_preview"].replace(" ", "") == '{"id":7}'
    assert call["result_preview"].strip('"') == "shipped"
    again = read_file(document).line
    assert (again.n_stored, again.n_merged) == (0, read.line.n_stored)


def test_an_id_that_is_opentelemetrys_stays_and_another_is_kept_beside(read_file: Read) -> None:
    native = read_file([CONSOLE_SPAN]).rows("select hex_trace(trace_id) as id from trace")
    assert native == [{"id": TRACE}]
    [span] = read_file([LANGFUSE_TOOL]).rows(
        "select attributes from span where attributes like '%trace-1%'"
    )
    assert '"source.trace_id":"trace-1"' in span["attributes"]
    assert '"source.span_id":"obs-1"' in span["attributes"]


def test_attributes_inside_langfuse_metadata_are_read_again(read_file: Read) -> None:
    inner = {"openinference.span.kind": "TOOL", "tool.name": "find_order"}
    observation = LANGFUSE_TOOL | {"type": "SPAN", "metadata": {"attributes": inner}}
    read = read_file({"trace": {"id": "trace-1"}, "observations": [observation]})
    assert read.calls() == [("find_order", "ok", "shipped")]
    [role] = read.rows("select dialects from span_role")
    assert role["dialects"] == ["openinference"]


def test_langfuse_usage_counts_cached_tokens_in(read_file: Read) -> None:
    generation = {
        "id": "g", "traceId": "t", "type": "GENERATION", "name": "chat", "startTime": "2026-01-01",
        "level": "DEFAULT", "model": "m", "input": [{"role": "user", "content": "hi"}],
        "output": {"role": "assistant", "content": "hello"},
        "usageDetails": {"input": 10, "output": 3, "input_cached_tokens": 90},
    }  # fmt: skip
    [row] = read_file([generation]).rows(
        "select input_tokens, output_tokens, cached_input_tokens, output_preview from llm_call"
    )
    assert tuple(row.values()) == (100, 3, 90, "hello")


def test_langfuse_scores_are_kept(read_file: Read) -> None:
    score = {"name": "quality", "value": 0.5, "source": "ANNOTATION", "comment": "meh"}
    trace = {"id": "trace-1", "scores": [score]}
    rows = read_file({"trace": trace, "observations": [LANGFUSE_TOOL]}).rows(
        "select name, value, explanation, annotator_kind, source from score"
    )
    assert [tuple(row.values()) for row in rows] == [("quality", 0.5, "meh", "HUMAN", "langfuse")]


def test_a_tool_message_with_an_error_is_an_error_although_the_run_is_none(read_file: Read) -> None:
    output = {
        "lc": 1, "type": "constructor", "id": ["langchain", "schema", "ToolMessage"],
        "kwargs": {"content": "no such order", "status": "error", "tool_call_id": "call_1"},
    }  # fmt: skip
    run = RUN | {"outputs": {"output": output}, "end_time": 1_700_000_000_003}
    [call] = read_file([run]).rows("select status, tool_call_id, error_source from tool_call")
    assert tuple(call.values()) == ("error", "call_1", "flag")


def test_child_runs_and_model_runs_of_langsmith_are_spans(read_file: Read) -> None:
    model = {
        "id": "11111111-1111-4111-8111-111111111111", "run_type": "llm", "name": "ChatOpenAI",
        "start_time": "2026-01-01T00:00:00", "end_time": "2026-01-01T00:00:01",
        "extra": {"metadata": {"ls_model_name": "gpt", "ls_provider": "openai"}},
        "inputs": {"messages": [[{"lc": 1, "id": ["HumanMessage"], "kwargs": {"content": "hi"}}]]},
        "outputs": {
            "generations": [[{
                "message": {
                    "lc": 1, "id": ["AIMessage"],
                    "kwargs": {
                        "content": "", "usage_metadata": {"input_tokens": 5, "output_tokens": 2},
                        "tool_calls": [{"name": "find_order", "args": {"id": 7}, "id": "call_1"}],
                    },
                }
            }]]
        },
    }  # fmt: skip
    root = {
        "id": "22222222-2222-4222-8222-222222222222", "run_type": "chain", "name": "agent",
        "trace_id": "22222222-2222-4222-8222-222222222222", "child_runs": [model],
    }  # fmt: skip
    read = read_file([root])
    assert read.calls() == [("find_order", "pending", None)]
    [row] = read.rows("select request_model, provider, input_tokens from llm_call")
    assert tuple(row.values()) == ("gpt", "openai", 5)
    [trace] = read.rows("select n_spans, n_orphan_spans from trace")
    assert tuple(trace.values()) == (2, 0)


def test_a_tripped_guardrail_of_openai_agents_is_a_hit(read_file: Read) -> None:
    guard = AGENTS_SPAN | {
        "id": "span_2", "span_data": {"type": "guardrail", "name": "no_refunds", "triggered": True},
    }  # fmt: skip
    trace = {"object": "trace", "id": f"trace_{TRACE}", "workflow_name": "shop", "group_id": "g"}
    read = read_file({"data": [trace, AGENTS_SPAN, guard]})
    [row] = read.rows("select name, session_id, n_guard_hits, n_root_spans from trace")
    assert tuple(row.values()) == ("shop", "g", 1, 1)


def test_the_errors_people_found_in_a_trail_trace_are_scores(read_file: Read) -> None:
    error = {"category": "Tool Selection Errors", "location": CALL, "description": "wrong tool"}
    document = {"errors": [error], "scores": [{"reliability_score": 3}]}
    rows = read_file(document, name=f"{TRACE}.json").rows(
        "select name, label, hex_span(span_id) as span, value from score order by name"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("error", "Tool Selection Errors", CALL, None),
        ("reliability_score", None, None, 3.0),
    ]


def test_the_server_of_a_shared_span_lies_beneath_its_client(read_file: Read) -> None:
    client = ZIPKIN_SPAN | {"kind": "CLIENT", "tags": {}}
    server = client | {"kind": "SERVER", "shared": True}
    rows = read_file([client, server]).rows(
        "select otel_kind, parent_span_id is not null as has_parent from span order by otel_kind"
    )
    assert rows == [{"otel_kind": 2, "has_parent": True}, {"otel_kind": 3, "has_parent": True}]


def test_strings_of_zipkin_become_what_they_say(read_file: Read) -> None:
    tags = {"n": "42", "ok": "true", "zip": "007", "json": '{"a": 1}', "error": "boom"}
    [span] = read_file([ZIPKIN_SPAN | {"tags": tags}]).rows(
        "select attributes, status_code, status_message from span"
    )
    assert span["attributes"] == '{"error":"boom","json":{"a":1},"n":42,"ok":true,"zip":"007"}'
    assert (span["status_code"], span["status_message"]) == (2, "boom")


def _part(name: str, value: Any) -> str:
    return (
        f'--b0undary\r\nContent-Disposition: form-data; name="{name}"\r\n'
        f"Content-Type: application/json\r\n\r\n{json.dumps(value, ensure_ascii=False)}\r\n"
    )


def test_a_multipart_upload_of_langsmith_is_one_run_with_its_fields(read_file: Read) -> None:
    run = {name: value for name, value in RUN.items() if name not in ("id", "inputs")}
    body = "".join(
        [
            _part(f"post.{RUN['id']}", run),
            _part(f"post.{RUN['id']}.inputs", {"input": '{"id": 7}'}),
            _part(f"patch.{RUN['id']}", {"end_time": 1_700_000_000_003}),
            _part(f"patch.{RUN['id']}.outputs", {"output": "已发货"}),
            _part("feedback.1", {"score": 1}),
            "--b0undary--\r\n",
        ]
    )

    found = read_file(data=body.encode(), name="upload.bin")

    assert found.line.container == "langsmith"
    assert (found.line.n_stored, found.line.n_rejected) == (1, 1)
    assert found.calls() == [("find_order", "ok", "已发货")]
    [reject] = found.rows("select place, detail from reject")
    assert reject["place"] == "part feedback.1"


@pytest.mark.parametrize("cut", [40, 120, 400, -12])
def test_a_multipart_upload_that_is_cut_is_accounted_for(read_file: Read, cut: int) -> None:
    body = _part(f"post.{RUN['id']}", RUN) + _part(f"post.{RUN['id']}.outputs", {"a": "b" * 99})
    read_file(data=body.encode()[:cut], name="upload.bin")
