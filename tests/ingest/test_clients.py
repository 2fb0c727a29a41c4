"""Real agent frameworks: what the store says of their spans is what really happened.

The truth comes from the fake model's and the tools' own logs, never from spans. What the bytes do not
tell stands in client_differences.json, each with the attribute that is missing.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ingest import import_paths
from metrics import TraceReport, by_trace
from replay_store import derive
from tests.stores import memory_store

Truth = Mapping[str, Any]
Difference = tuple[str, str, str, Any, Any]

LISTED = json.loads(Path(__file__).with_name("client_differences.json").read_text(encoding="utf-8"))
HIDDEN = {
    "anthropic-native": {"tools", "tool_errors", "retries", "identical_calls_in_a_row"},
    "autogen-native": {"llm_calls", "input_tokens", "output_tokens", "cached_tokens"},
    "autogen-openinference": {"cached_tokens"},
    "claude_agent_sdk-openinference": {
        "llm_calls",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
    },
    "crewai-openinference": {"llm_calls", "input_tokens", "output_tokens", "cached_tokens"},
    "crewai-traceloop": {
        "llm_calls",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "tools",
        "tool_errors",
        "retries",
        "identical_calls_in_a_row",
    },
    "llama_index-otelgenai": {"llm_calls", "input_tokens", "output_tokens", "cached_tokens"},
    "openai-v2": {"cached_tokens"},
    "openai_agents-openinference": {"cached_tokens"},
    "openai_agents-traceloop": {"input_tokens", "output_tokens", "cached_tokens"},
    "openai_js-traceloop_openai": {"cached_tokens"},
    "smolagents-openinference": {"cached_tokens"},
    "smolagents-otelgenai": {
        "llm_calls",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "tools",
        "tool_errors",
        "retries",
        "identical_calls_in_a_row",
    },
}
"""What no span of a client shows of a run whose model answered."""


@pytest.fixture(scope="module")
def truth(shared: Path) -> Truth:
    """Of each client whose bytes carry the trace ids that the truth knows."""
    text = (shared / "clients" / "expected.json").read_text(encoding="utf-8")
    clients = {name: told["scenarios"] for name, told in json.loads(text)["clients"].items()}
    return {
        name: scenarios
        for name, scenarios in clients.items()
        if any(facts["trace_ids"] for facts in scenarios.values())
    }


@pytest.fixture(scope="module")
def reports(shared: Path, truth: Truth) -> Iterator[Mapping[str, TraceReport]]:
    paths = [path for name in truth for path in _files(shared / "clients" / "captures" / name)]
    with memory_store() as database:
        lines = import_paths(paths, database)
        assert sum(line.n_rejected for line in lines) == 0
        derive(database)
        yield by_trace(database)


def _files(folder: Path) -> Sequence[Path]:
    """The request bodies as they were received: JSON where the client sent it, else protobuf."""
    sent_as_json = sorted(folder.glob("*.raw.json.gz"))
    return sent_as_json or sorted([*folder.glob("*.traces.pb"), *folder.glob("*.logs.pb")])


def _sum(values: Sequence[Any], join: Callable[[Sequence[Any]], Any]) -> Any:
    """The values of a scenario's traces as one; None when the spans show none of them."""
    shown = [value for value in values if value is not None]
    return join(shown) if shown else None


def _told(rows: Sequence[TraceReport]) -> dict[str, Any]:
    """What the product says of the traces of one scenario."""
    told = {
        field: _sum([getattr(row, field) for row in rows], sum)
        for field in (
            "llm_calls",
            "tool_errors",
            "retries",
            "input_tokens",
            "output_tokens",
            "cached_tokens",
        )
    }
    told["tools"] = _sum([row.tools for row in rows], lambda lists: [n for x in lists for n in x])
    told["run_failed"] = _sum([row.run_failed for row in rows], any)
    told["identical_calls_in_a_row"] = _sum([row.identical_calls_in_a_row for row in rows], max)
    return told


def _is_right(field: str, value: Any, facts: Mapping[str, Any]) -> bool:
    """Whether a value is the truth; calls that were asked for and never ran may count or not."""
    if field == "tools":
        return value in (facts["tools_executed"], facts["tool_names_requested"])
    if field == "tool_errors":
        return bool(facts["tool_errors"] <= value <= facts["tool_call_failures_max"])
    return bool(value == (len(facts["retries"]) if field == "retries" else facts[field]))


def _compare(
    truth: Truth, reports: Mapping[str, TraceReport]
) -> tuple[int, list[Difference], dict[str, set[str]]]:
    """How many values were compared, which differ, and which fields a client never shows."""
    n_checked, differences, hidden = 0, [], {}
    for client, scenarios in truth.items():
        shown: set[str] = set()
        for scenario, facts in scenarios.items():
            rows = [reports[trace] for trace in facts["trace_ids"] if trace in reports]
            for field, value in _told(rows).items() if rows else ():
                if value is None:
                    continue
                shown |= {field} if facts["llm_calls"] else set()
                n_checked += 1
                if not _is_right(field, value, facts):
                    wanted = facts["tools_executed"] if field == "tools" else facts.get(field)
                    wanted = len(facts["retries"]) if field == "retries" else wanted
                    differences.append((client, scenario, field, wanted, value))
        if missing := _told([]).keys() - shown:
            hidden[client] = missing
    return n_checked, differences, hidden


def test_the_facts_of_every_client_are_read_right_but_for_the_listed_ones(
    truth: Truth, reports: Mapping[str, TraceReport]
) -> None:
    n_checked, differences, hidden = _compare(truth, reports)
    listed = [
        (row["client"], row["scenario"], row["field"], row["expected"], row["product"])
        for row in LISTED
    ]
    assert sorted(differences, key=str) == sorted(listed, key=str)
    assert all(row["missing"] for row in LISTED)
    assert len(differences) <= 0.01 * n_checked
    assert n_checked > 6_500
    assert hidden == HIDDEN


def test_every_trace_is_found_but_of_calls_that_left_no_span(
    truth: Truth, reports: Mapping[str, TraceReport]
) -> None:
    lost = {
        (client, scenario)
        for client, scenarios in truth.items()
        for scenario, facts in scenarios.items()
        if facts["trace_ids"] and not any(trace in reports for trace in facts["trace_ids"])
    }
    assert {scenario for _, scenario in lost} <= {"llm_error"}, lost
