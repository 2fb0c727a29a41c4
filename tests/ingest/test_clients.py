"""Real agent frameworks: what the store says of their spans is what really happened.

The truth comes from the fake model's and the tools' own logs, never from spans.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ingest import import_paths
from metrics import by_trace
from replay_store import Database, derive

CLIENTS = (
    "pydantic_ai-native",
    "langchain-openinference",
    "openai_agents-openinference",
    "strands-native",
)
FIELDS = {
    "llm_calls": "llm_calls",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cached_tokens": "cached_tokens",
    "run_failed": "run_failed",
    "identical_calls_in_a_row": "identical_calls_in_a_row",
}


@pytest.fixture(scope="module")
def reports(shared: Path) -> Iterator[Mapping[str, Any]]:
    with Database.open() as database:
        for client in CLIENTS:
            folder = shared / "clients" / "captures" / client
            lines = import_paths(sorted(folder.glob("*.traces.pb")), database)
            assert sum(line.n_rejected for line in lines) == 0
        derive(database)
        yield by_trace(database)


@pytest.fixture(scope="module")
def truth(shared: Path) -> Mapping[str, Any]:
    expected = json.loads((shared / "clients" / "expected.json").read_text(encoding="utf-8"))
    return {client: expected["clients"][client]["scenarios"] for client in CLIENTS}


def _sum(values: list[Any], join: Callable[[list[Any]], Any] = sum) -> Any:
    """The values of a scenario's traces as one; None when the spans show none of them."""
    shown = [value for value in values if value is not None]
    return join(shown) if shown else None


@pytest.mark.parametrize("client", CLIENTS)
def test_every_trace_is_found_and_its_numbers_hold(
    client: str, reports: Mapping[str, Any], truth: Mapping[str, Any]
) -> None:
    n_checked = 0
    for scenario, facts in truth[client].items():
        rows = [reports[trace_id] for trace_id in facts["trace_ids"]]
        assert rows, scenario
        tools = [tool for row in rows for tool in row.tools]
        assert tools in (facts["tools_executed"], facts["tool_names_requested"]), scenario
        errors = _sum([row.tool_errors for row in rows])
        assert facts["tool_errors"] <= errors <= facts["tool_call_failures_max"], scenario
        assert _sum([row.retries for row in rows]) == len(facts["retries"]), scenario
        for field, key in FIELDS.items():
            join = any if field == "run_failed" else max if field.startswith("identical") else sum
            value = _sum([getattr(row, field) for row in rows], join)
            if value is not None:
                assert value == facts[key], (scenario, field)
                n_checked += 1
    assert n_checked > 4 * len(truth[client])
