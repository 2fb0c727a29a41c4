"""A new tool is data only: contract, adapter and rules appear, and a running agent uses them."""

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from pipeline.agent import Agent, Observing, Task, TaskResult, Toolbox
from pipeline.contracts import ContractError
from pipeline.execution import AdapterError, Call, Executor, TaskBudget
from pipeline.planning import JsonPlanner
from tests.contract_samples import QUERY_ORDER
from tests.scripted import ScriptedModel, says

LIMIT: dict[str, Any] = {
    "name": "query_payment_limit",
    "description": "查询跨境支付的剩余限额，只读。",
    "when": ["我的跨境支付限额还剩多少"],
    "when_not": "不要用来查订单。",
    "input_schema": {"type": "object", "properties": {"country": {"type": "string"}}},
    "danger": "read",
}
ADAPTER = {"url": "https://pay.shop.example/limit", "result": {"root": "data", "rename": {"rem": "remaining"}}}  # fmt: skip
DOMAIN = """domain: pay
entities: {country: {zh: 国家, en: Country}}
fact_types: {LIMIT_LEFT: {label: {zh: 剩余限额, en: Limit left}}}
"""
RULE = """name: limit
label: {zh: 限额查询, en: Limit lookup}
tools: [query_payment_limit]
entity: {type: country, id: country}
required_keys: [country, remaining]
empty: {reason: {zh: 未查询到限额, en: No limit found}}
output_schema: [{name: remaining, fact_type: LIMIT_LEFT, type: number}]
"""


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    path.write_text(text, encoding="utf-8")


def _system(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"data": {"country": "JP", "rem": 4200}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    _write(tmp_path / "contracts" / "query_order_status.json", QUERY_ORDER)
    _write(tmp_path / "adapters" / "query_order_status.json", {"url": "https://o.example/x"})
    return tmp_path


def test_a_new_tool_is_planned_asked_and_read_without_a_restart(folder: Path) -> None:
    step = [{"tool": "query_payment_limit", "params": {"country": "JP"}, "reason": "查限额"}]
    unavailable = [{"tool": "unavailable", "params": {}, "reason": "需求超出能力范围"}]

    def line(request: Any) -> Any:
        if request.messages[-1]["role"] == "tool":
            return says("[]")
        knows = "query_payment_limit" in request.instructions
        return says(json.dumps(step if knows else unavailable))

    model = ScriptedModel([line, line, line, says("还剩 4200。")])

    async def main() -> tuple[TaskResult, TaskResult]:
        async with httpx.AsyncClient(transport=httpx.MockTransport(_system)) as client:
            toolbox = Toolbox(folder, client)
            planner = JsonPlanner(model, toolbox.registry)
            executor = Executor(toolbox.registry, toolbox)
            agent = Agent(planner, executor, Observing(rules=lambda: toolbox.rules))
            before = await agent.run(Task("t1", "我的跨境支付限额还剩多少"))
            _write(folder / "contracts" / "limit.json", LIMIT)
            _write(folder / "adapters" / "query_payment_limit.json", ADAPTER)
            _write(folder / "rules" / "domain.yaml", DOMAIN)
            _write(folder / "rules" / "limit.yaml", RULE)
            assert toolbox.look(), toolbox.problem
            return before, await agent.run(Task("t2", "我的跨境支付限额还剩多少"))

    before, after = asyncio.run(main())

    assert before.answer == "需求超出能力范围"
    assert after.answer == "还剩 4200。"
    shown = str(model.asked[2].messages[-1]["parts"][0]["response"])
    assert "剩余限额" in shown
    assert "4200" in shown


def test_what_cannot_be_used_leaves_everything_as_it_is(folder: Path) -> None:
    toolbox = Toolbox(folder, httpx.AsyncClient())
    rules = toolbox.rules
    assert not toolbox.look()

    _write(folder / "contracts" / "limit.json", LIMIT)
    assert not toolbox.look()
    assert "add adapters/query_payment_limit.json" in str(toolbox.problem)
    _write(folder / "adapters" / "query_payment_limit.json", {**ADAPTER, "url": "nowhere"})
    assert not toolbox.look()
    assert "url" in str(toolbox.problem)
    assert set(toolbox.registry.contracts) == {"query_order_status"}
    assert toolbox.rules is rules
    _write(folder / "adapters" / "query_payment_limit.json", ADAPTER)
    assert toolbox.look()
    assert toolbox.problem is None
    assert set(toolbox.registry.contracts) == {"query_order_status", "query_payment_limit"}


def test_a_tool_uses_no_credentials_but_those_of_its_own_domain(folder: Path) -> None:
    seen: list[str | None] = []

    def system(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("authorization"))
        return httpx.Response(200, json={"status": "shipped"})

    def write(domain: str) -> None:
        adapter = {"url": "https://o.example/x", "auth": {"domain": domain}}
        _write(folder / "adapters" / "query_order_status.json", adapter)

    async def main() -> str | None:
        write("orders")
        async with httpx.AsyncClient(transport=httpx.MockTransport(system)) as client:
            toolbox = Toolbox(folder, client, {"orders": "o-key", "payments": "p-key"})
            call = Call("t", 0, "query_order_status", {"order_no": "202611200815"})
            executor = Executor(toolbox.registry, toolbox)
            await executor.run(call, TaskBudget(asyncio.get_running_loop().time()))
            write("payments")
            assert not toolbox.look()
            await executor.run(call, TaskBudget(asyncio.get_running_loop().time()))
            return toolbox.problem

    problem = asyncio.run(main())
    assert seen == ["Bearer o-key", "Bearer o-key"]
    assert "auth.domain: payments: the contract query_order_status says orders" in str(problem)


class _Stop(threading.Event):
    """Lets somebody look twice, and changes the folder before the first."""

    def __init__(self, change: Callable[[], None]) -> None:
        super().__init__()
        self.waited: list[float | None] = []
        self._change = change

    def wait(self, timeout: float | None = None) -> bool:
        if not self.waited:
            self._change()
        self.waited.append(timeout)
        return len(self.waited) > 2


def test_a_watched_folder_is_looked_at_until_somebody_says_stop(folder: Path) -> None:
    toolbox = Toolbox(folder, httpx.AsyncClient())

    def change() -> None:
        _write(folder / "contracts" / "limit.json", LIMIT)
        _write(folder / "adapters" / "query_payment_limit.json", ADAPTER)

    stop = _Stop(change)
    toolbox.watch(2.0, stop)

    assert "query_payment_limit" in toolbox.registry.contracts
    assert stop.waited == [2.0] * 3


def test_a_folder_that_cannot_be_used_at_the_start_is_an_error(
    folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(ContractError):
        Toolbox(tmp_path / "none", httpx.AsyncClient())

    async def function(request: object) -> None:
        return None

    with pytest.raises(AdapterError, match="is a function too"):
        Toolbox(folder, httpx.AsyncClient(), {}, {"query_order_status": function})
