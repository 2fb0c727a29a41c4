"""Adapters as data: addresses, credentials, forms, pages, results and errors of systems over HTTP."""

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipeline.contracts import Contract, Danger, ErrorRule
from pipeline.execution import AdapterError, Partial, Request, ToolError
from pipeline.execution.adapters import HttpAdapter, McpAdapter, parse_adapter, read_adapters
from pipeline.vocabulary import ErrorClass
from tests.contract_samples import contract

READ = contract(errors={"E42": ErrorRule(ErrorClass.TOO_LARGE, "请缩小范围。")})
ORDER = {"order_no": "202611200815"}
SPEC: dict[str, Any] = {
    "url": "https://orders.shop.example/v2/orders/{no}",
    "auth": {"domain": "orders"},
    "parameters": {
        "order_no": {"in": "path", "name": "no"},
        "since": {"name": "from", "as": "epoch_seconds"},
        "price": {"as": "cents"},
        "tags": {"as": "comma"},
    },
    "result": {"root": "data", "rename": {"st": "status"}, "keep": ["status"]},
    "errors": {"field": "code", "ok": [0]},
}


def ask(
    handler: Any,
    arguments: dict[str, Any],
    spec: dict[str, Any] = SPEC,
    contract_: Contract = READ,
) -> Any:
    """What an adapter makes of a system that answers as `handler` says."""
    request = Request(contract_, arguments, "key-1", 1.0, {"traceparent": "00-1-2-01"})

    async def main() -> Any:
        async with httpx.AsyncClient(transport=httpx.MockTransport(handler)) as client:
            adapter = HttpAdapter(parse_adapter(spec, "orders"), client, {"orders": "s3cret"})
            return await adapter(request)

    return asyncio.run(main())


def test_a_request_is_made_as_the_file_says_and_the_answer_shaped() -> None:
    seen: list[httpx.Request] = []

    def system(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"code": 0, "data": {"st": "shipped", "request_id": 7}})

    answer = ask(
        system,
        {
            "order_no": "../../admin?x=1",
            "since": "2026-11-20T00:00:00+08:00",
            "price": 199.9,
            "tags": ["a", "b"],
        },
    )

    assert answer == {"status": "shipped"}
    (request,) = seen
    assert request.url.host == "orders.shop.example"
    assert request.url.raw_path.startswith(b"/v2/orders/..%2F..%2Fadmin%3Fx%3D1?")
    assert dict(request.url.params) == {"from": "1795104000", "price": "19990", "tags": "a,b"}
    assert request.headers["authorization"] == "Bearer s3cret"
    assert request.headers["traceparent"] == "00-1-2-01"
    assert "idempotency-key" not in request.headers


def test_a_write_carries_its_idempotency_key_and_its_body() -> None:
    seen: list[httpx.Request] = []

    def system(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(201, json={"ticket_no": "T1"})

    spec = {"url": "https://t.example/tickets", "method": "POST"}
    answer = ask(system, {"kind": "late"}, spec, contract(danger=Danger.WRITE))

    assert answer == {"ticket_no": "T1"}
    assert seen[0].headers["idempotency-key"] == "key-1"
    assert json.loads(seen[0].content) == {"kind": "late"}


@pytest.mark.parametrize(
    ("status", "body", "error_class", "may_have_happened"),
    [
        (400, {}, ErrorClass.INVALID_ARGUMENT, False),
        (401, {}, ErrorClass.AUTH, False),
        (403, {}, ErrorClass.PERMISSION, False),
        (404, {}, ErrorClass.NOT_FOUND, False),
        (413, {}, ErrorClass.TOO_LARGE, False),
        (429, {}, ErrorClass.UPSTREAM, False),
        (500, {}, ErrorClass.UPSTREAM, True),
        (503, {}, ErrorClass.UPSTREAM, False),
        (504, {}, ErrorClass.TIMEOUT, True),
        (302, {}, ErrorClass.UPSTREAM, False),
        (200, {"code": "E42"}, ErrorClass.TOO_LARGE, False),
        (200, {"code": 7}, ErrorClass.UPSTREAM, False),
    ],
)
def test_an_error_is_told_in_the_words_of_the_contract(
    status: int, body: dict[str, Any], error_class: ErrorClass, may_have_happened: bool
) -> None:
    with pytest.raises(ToolError) as caught:
        ask(lambda _: httpx.Response(status, json=body), ORDER)

    assert caught.value.error_class is error_class
    assert caught.value.may_have_happened is may_have_happened
    assert caught.value.http_status == status
    assert caught.value.advice == ("请缩小范围。" if body.get("code") == "E42" else None)


def test_a_status_is_told_in_the_words_of_the_contract_where_it_knows_it() -> None:
    errors = {"404": ErrorRule(ErrorClass.NOT_FOUND, "请先用 search_orders 定位。"), "418": ErrorRule(ErrorClass.PERMISSION)}  # fmt: skip
    for status, rule in errors.items():
        with pytest.raises(ToolError) as caught:
            ask(
                lambda _, code=status: httpx.Response(int(code)),
                ORDER,
                SPEC,
                contract(errors=errors),
            )
        assert caught.value.error_class is rule.error_class
        assert caught.value.advice == rule.advice


def test_a_redirect_is_not_followed_with_the_credentials_in_hand() -> None:
    asked: list[str] = []

    def system(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(302, headers={"location": "https://elsewhere.example/"})

    with pytest.raises(ToolError):
        ask(system, ORDER)
    assert asked == ["orders.shop.example"]


@pytest.mark.parametrize(
    ("raised", "error_class", "may_have_happened"),
    [
        (httpx.ConnectError("no route to 10.0.0.9"), ErrorClass.UPSTREAM, False),
        (httpx.ConnectTimeout("slow"), ErrorClass.UPSTREAM, False),
        (httpx.ReadTimeout("slow"), ErrorClass.TIMEOUT, True),
        (httpx.RemoteProtocolError("gone"), ErrorClass.UPSTREAM, True),
    ],
)
def test_what_was_never_sent_cannot_have_happened(
    raised: Exception, error_class: ErrorClass, may_have_happened: bool
) -> None:
    def system(_: httpx.Request) -> httpx.Response:
        raise raised

    with pytest.raises(ToolError) as caught:
        ask(system, ORDER)
    assert caught.value.error_class is error_class
    assert caught.value.may_have_happened is may_have_happened
    assert "10.0.0.9" not in str(caught.value)


def test_pages_are_followed_to_their_end_and_no_further_than_the_limit() -> None:
    pages = {None: ([1, 2], "b"), "b": ([3], "c"), "c": ([4], None)}
    n_asked = 0

    def system(request: httpx.Request) -> httpx.Response:
        nonlocal n_asked
        n_asked += 1
        rows, following = pages[request.url.params.get("cursor")]
        return httpx.Response(200, json={"rows": [{"n": n} for n in rows], "next": following})

    paging = {"parameter": "cursor", "next": "next", "items": "rows"}
    spec: dict[str, Any] = {"url": "https://o.example/rows", "paging": paging}
    assert ask(system, {}, spec) == [{"n": n} for n in (1, 2, 3, 4)]
    assert n_asked == 3
    short = {**spec, "paging": {**paging, "max_pages": 2}}
    assert ask(system, {}, short) == Partial([{"n": n} for n in (1, 2, 3)]), "there is more"


def test_a_further_page_is_asked_for_where_the_other_parameters_are() -> None:
    asked: list[tuple[str, Any]] = []

    def system(request: httpx.Request) -> httpx.Response:
        asked.append((request.url.query.decode(), json.loads(request.content)))
        return httpx.Response(
            200, json={"rows": [len(asked)], "next": "b" if len(asked) < 2 else ""}
        )

    paging = {"parameter": "cursor", "next": "next", "items": "rows"}
    spec = {"url": "https://o.example/search", "method": "POST", "paging": paging}
    assert ask(system, {"q": "杯"}, spec) == [1, 2]
    assert asked == [("", {"q": "杯"}), ("", {"q": "杯", "cursor": "b"})]


@pytest.mark.parametrize("arguments", [{}, {"order_no": None}])
def test_an_address_without_its_value_is_asked_of_nobody(arguments: dict[str, Any]) -> None:
    with pytest.raises(ToolError) as caught:
        ask(lambda _: pytest.fail("was asked"), arguments)
    assert caught.value.error_class is ErrorClass.INVALID_ARGUMENT
    assert "no" in str(caught.value)


def test_what_is_not_given_is_left_out_of_the_query() -> None:
    spec = {"url": "https://o.example/orders"}
    answer = ask(
        lambda request: httpx.Response(200, json=request.url.query.decode()),
        {"status": None, "page": 2},
        spec,
    )
    assert answer == "page=2"


@pytest.mark.parametrize(("content", "is_failure"), [(b"", False), (b"<html>log in</html>", True)])
def test_an_answer_that_is_no_json_is_a_failure_and_not_an_empty_answer(
    content: bytes, is_failure: bool
) -> None:
    spec = {"url": "https://o.example/orders"}
    if not is_failure:
        assert ask(lambda _: httpx.Response(204, content=content), {}, spec) is None
        return
    with pytest.raises(ToolError) as caught:
        ask(lambda _: httpx.Response(200, content=content), {}, spec)
    assert (caught.value.error_class, caught.value.may_have_happened) == (ErrorClass.UPSTREAM, True)
    assert "log in" not in str(caught.value)


def test_a_domain_without_credentials_and_an_endless_answer_are_refused() -> None:
    spec = {**SPEC, "auth": {"domain": "payments"}}
    with pytest.raises(ToolError) as caught:
        ask(lambda _: httpx.Response(200, json={}), ORDER, spec)
    assert caught.value.error_class is ErrorClass.AUTH
    with pytest.raises(ToolError) as caught:
        ask(lambda _: httpx.Response(200, content=b"x" * (4 * 1024**2 + 1)), ORDER)
    assert caught.value.error_class is ErrorClass.TOO_LARGE


def test_the_client_logs_no_address(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    ask(lambda _: httpx.Response(200, json={"data": {}}), {"order_no": "13800138000"})

    assert "13800138000" not in caplog.text


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"url": "ftp://x/"}, "url"),
        ({"url": "https://{host}/x"}, "url"),
        ({"methd": "GET"}, "methd"),
        ({"parameters": {"a": {"in": "cookie"}}}, "parameters.a.in"),
        ({"paging": {"parameter": "p"}}, "paging"),
    ],
)
def test_a_wrong_field_of_an_adapter_is_named(change: dict[str, Any], told: str) -> None:
    with pytest.raises(AdapterError, match=told):
        parse_adapter({**SPEC, **change}, "orders", "orders.json")


def test_adapter_files_are_read_by_name(tmp_path: Path) -> None:
    (tmp_path / "orders.json").write_text(json.dumps(SPEC))
    (tmp_path / "b.json").write_text(json.dumps({**SPEC, "name": "tickets"}))
    assert set(read_adapters(tmp_path)) == {"orders", "tickets"}
    (tmp_path / "c.json").write_text(json.dumps({**SPEC, "name": "tickets"}))
    with pytest.raises(AdapterError, match="another file has it too"):
        read_adapters(tmp_path)
    (tmp_path / "c.json").write_text("{")
    with pytest.raises(AdapterError, match="is no JSON"):
        read_adapters(tmp_path)


class _Session:
    """Answers as an MCP server does."""

    def __init__(self, **answer: Any) -> None:
        self.answer = answer
        self.asked: list[tuple[str, Any]] = []

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        self.asked.append((name, arguments))
        return self.answer


def _mcp(session: _Session) -> Any:
    request = Request(READ, {"order_no": "1"}, "key", 1.0, {})
    return asyncio.run(_call(McpAdapter(session, "get_order"), request))


async def _call(adapter: McpAdapter, request: Request) -> Any:
    return await adapter(request)


def test_an_mcp_tool_answers_with_what_is_structured_else_with_text() -> None:
    session = _Session(structuredContent={"status": "ok"}, content=[{"text": "ok"}])
    assert _mcp(session) == {"status": "ok"}
    assert session.asked == [("get_order", {"order_no": "1"})]
    assert _mcp(_Session(content=[{"text": "a"}, {"type": "image"}, {"text": "b"}])) == "a\nb"


def ask_server(order_no: str, name: str = "get_order") -> Any:
    """What the adapter makes of a real server's answer to the official client, or the error."""
    from mcp import Client
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError as ServerToolError

    server = MCPServer("shop")

    @server.tool()
    def get_order(order_no: str) -> dict[str, str]:
        if order_no == "many":
            raise ServerToolError("E42: too many")
        return {"order_no": order_no, "status": "已发货"}

    async def main() -> Any:
        request = Request(contract(errors=READ.errors), {"order_no": order_no}, "key", 1.0, {})
        async with Client(server) as client:
            try:
                return await McpAdapter(client.session, name)(request)
            except ToolError as error:  # out of the client's task group, which would wrap it
                return error

    return asyncio.run(main())


def test_a_real_mcp_server_is_asked_and_its_errors_are_errors() -> None:
    assert ask_server("1") == {"order_no": "1", "status": "已发货"}
    too_many = ask_server("many")
    assert isinstance(too_many, ToolError)
    assert (too_many.error_class, too_many.advice) == (ErrorClass.TOO_LARGE, "请缩小范围。")
    unknown = ask_server("1", "nobody_has_this")
    assert isinstance(unknown, ToolError)
    assert unknown.error_class is ErrorClass.UPSTREAM


def test_a_failed_mcp_tool_is_classed_by_the_contract() -> None:
    with pytest.raises(ToolError) as caught:
        _mcp(_Session(isError=True, content=[{"text": "E42: too many"}]))
    assert caught.value.error_class is ErrorClass.TOO_LARGE
    with pytest.raises(ToolError) as caught:
        _mcp(_Session(isError=True, content=[]))
    assert caught.value.error_class is ErrorClass.UPSTREAM
