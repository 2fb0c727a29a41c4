"""How long the stages of an observation take. Run with `pytest tests/bench --benchmark-enable`."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pipeline.observation import (
    PROFILES,
    TEMPLATES,
    Context,
    CriticalityChecker,
    ToolOutput,
    align,
    inject,
    observe,
    package_rules,
    parse,
    primary_entity,
    related_entities,
    render,
    resolve,
)

ASKED = datetime(2024, 6, 11, 15, 5, 44, tzinfo=UTC)
RULES = package_rules()
CONTEXT = Context.from_mapping(
    {
        "target_order_id": "12345",
        "user_id": "U789",
        "query_timestamp": ASKED,
        "user_intent": "track_delivery",
    }
)
EVENTS = [
    {"time": f"2024-06-{day:02}T08:23:11Z", "event": f"Passed station {day} on its way to the city"}
    for day in range(1, 11)
]
BODIES: dict[str, Any] = {
    "order_api": {
        "order_id": "12345",
        "status": "shipped",
        "estimated_delivery": "2024-06-15",
        "logistics_info": EVENTS,
    },
    "points_api": {"user_id": "U789", "points_balance": 1250},
    "coupon_api": {
        "user_id": "U789",
        "coupons": [{"status": "valid", "valid_until": "2024-07-01", "discount": 5}],
    },
    "inventory_check": {
        "code": 200,
        "data": [{"province": "Jiangsu", "current_stock": 12500, "min_safe_level": 10000}],
    },
    "sales_summary": {"data": [{"province": "Jiangsu", "amount": 50000, "sales": 5000}]},
}
OUTPUTS = [ToolOutput(tool, "1", ASKED, body) for tool, body in BODIES.items()]
N_TOOLS = pytest.mark.parametrize("n_tools", [1, 5, 20])


def _outputs(n_tools: int) -> list[ToolOutput]:
    rounds = range(-(-n_tools // len(OUTPUTS)))
    return [
        ToolOutput(o.tool, o.version, ASKED - timedelta(minutes=number), o.body)
        for number in rounds
        for o in OUTPUTS
    ][:n_tools]


def _fragments(n_tools: int) -> list[Any]:
    return [f for output in _outputs(n_tools) for f in parse(output, RULES, CONTEXT)]


def _resolved(n_tools: int) -> Any:
    return resolve(
        align(_fragments(n_tools)),
        ASKED,
        primary_entity(RULES, CONTEXT),
        rules=RULES,
        related=related_entities(RULES, CONTEXT),
    )


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda output: output.tool)
def test_parse(benchmark: Any, output: ToolOutput) -> None:
    assert benchmark(parse, output, RULES, CONTEXT)


def _megabyte(case: str) -> Any:
    """An answer of about 1 MB of JSON text: a long history, many coupons, provinces, orders or keys."""
    tool = case.split()[0]
    if case == "order_api records":
        return [BODIES[tool] | {"order_id": str(number)} for number in range(1_050)]
    if case == "order_api offsets":
        events = [
            {"time": f"2024-06-11T14:{number % 60:02}:44+08:00", "event": "Passed a station"}
            for number in range(14_500)
        ]
        return BODIES[tool] | {"logistics_info": events}
    if tool == "order_api":
        times = (ASKED - timedelta(seconds=number) for number in range(16_000))
        events = [{"time": f"{t:%Y-%m-%dT%H:%M:%SZ}", "event": "Passed a station"} for t in times]
        return BODIES[tool] | {"logistics_info": events}
    if case == "sales_summary keys":
        return {"data": [BODIES[tool]["data"][0] | {f"key_{n}": n for n in range(54_000)}]}
    if tool == "coupon_api":
        days = (ASKED + timedelta(days=number % 900) for number in range(15_000))
        coupons = [
            {"status": "valid", "valid_until": f"{day:%Y-%m-%d}", "discount": number % 50}
            for number, day in enumerate(days)
        ]
        return BODIES[tool] | {"coupons": coupons}
    provinces = [
        {"province": f"P{number}", "current_stock": number, "min_safe_level": 5, "note": "x" * 900}
        for number in range(1_000)
    ]
    return {"code": 200, "data": provinces}


@pytest.mark.parametrize("form", ["parsed", "text"])
@pytest.mark.parametrize(
    "case",
    [
        "order_api",
        "order_api records",
        "order_api offsets",
        "coupon_api",
        "inventory_check",
        "sales_summary keys",
    ],
)
def test_parse_a_megabyte(benchmark: Any, case: str, form: str) -> None:
    """The 99th percentile is told beside the others; S0 §3.1 asks for 50 ms."""
    body = _megabyte(case)
    text = json.dumps(body)
    output = ToolOutput(case.split()[0], "1", ASKED, text if form == "text" else body)
    assert 900_000 < len(text) < 1_100_000

    assert benchmark.pedantic(parse, (output, RULES, CONTEXT), rounds=100, warmup_rounds=3)
    if benchmark.stats is not None:
        times = sorted(benchmark.stats.stats.data)
        benchmark.extra_info["p99_ms"] = 1_000 * times[int(0.99 * (len(times) - 1))]


@N_TOOLS
def test_align(benchmark: Any, n_tools: int) -> None:
    assert len(benchmark(align, _fragments(n_tools))) > 0


@N_TOOLS
def test_resolve(benchmark: Any, n_tools: int) -> None:
    snapshot = align(_fragments(n_tools))

    assert benchmark(resolve, snapshot, ASKED, rules=RULES).cells


@N_TOOLS
def test_inject(benchmark: Any, n_tools: int) -> None:
    snapshot = align(_fragments(n_tools))
    whitelist = CriticalityChecker(RULES).check(CONTEXT)

    assert benchmark(inject, snapshot, PROFILES["seed-v1"], 0, 0.3, whitelist)


@N_TOOLS
@pytest.mark.parametrize("template", TEMPLATES)
def test_render(benchmark: Any, template: str, n_tools: int) -> None:
    assert benchmark(render, _resolved(n_tools), template, rules=RULES).text


@N_TOOLS
def test_whole_chain(benchmark: Any, n_tools: int) -> None:
    assert benchmark(observe, _outputs(n_tools), CONTEXT, cni_enabled=True).prompts
