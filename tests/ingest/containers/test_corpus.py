"""Public files of every kind: the figures that are known of them come out of the store."""

from dataclasses import asdict
from typing import Any

import pytest

from metrics import by_container

Corpus = Any

TRACES = """
    select count(*) from trace where trace_id in (
        select trace_id from span inner join ingest_file using (file_id) where contains(path, $path)
    )
"""
CALLS = """
    select count(*) from tool_call where trace_id in (
        select trace_id from span inner join ingest_file using (file_id) where contains(path, $path)
    )
"""
GOLD = """
    select count(*) from expectation inner join ingest_file using (file_id)
    where contains(path, $path) and tool_name is not null
"""
SCORES = """
    select count(*) from score inner join ingest_file using (file_id) where contains(path, $path)
"""
FILES = {
    "agentrx/ground_truth/tau_ground_truth.json": ("agentrx-labels", {SCORES: 39 + 29}),
    "agentrx/magentic/": ("magentic-one", {TRACES: 12, CALLS: 0}),
    "agentrx/tau_retail/": ("agentrx-tau", {TRACES: 100, CALLS: 793, GOLD: 545}),
    "api-bank/level": ("api-bank", {TRACES: 263, CALLS: 508, GOLD: 508}),
    "bfcl/possible_answer/BFCL_v4_live_parallel": ("bfcl-answers", {GOLD: 39}),
    "bfcl/possible_answer/BFCL_v4_live_simple": ("bfcl-answers", {GOLD: 258}),
    "bfcl/possible_answer/BFCL_v4_multi_turn_base": ("bfcl-answers", {GOLD: 1142}),
    "bfcl/possible_answer/BFCL_v4_multi_turn_miss": ("bfcl-answers", {GOLD: 1140}),
    "bfcl/possible_answer/BFCL_v4_multiple": ("bfcl-answers", {GOLD: 200}),
    "bfcl/possible_answer/BFCL_v4_parallel.json": ("bfcl-answers", {GOLD: 540}),
    "bfcl/possible_answer/BFCL_v4_parallel_multiple": ("bfcl-answers", {GOLD: 607}),
    "bfcl/possible_answer/BFCL_v4_simple_python": ("bfcl-answers", {GOLD: 400}),
    "bfcl/questions/": ("bfcl-questions", {GOLD: 0}),
    "claude-agent-sdk-control/": ("claude-agent-sdk-log", {TRACES: 1, CALLS: 1}),
    "claude-code-edge/": ("claude-code", {CALLS: 3}),
    "claude-code-real/hello": ("claude-code", {TRACES: 1, CALLS: 2}),
    "claude-code-real/stop-hook-fast": ("claude-code", {TRACES: 1, CALLS: 1}),
    "claude-code-real/stop-hook-reflection-first": ("claude-code", {TRACES: 1, CALLS: 4}),
    "claude-code-real/stop-hook-reflection-second": ("claude-code", {TRACES: 1, CALLS: 0}),
    "claude-code-web/sample_session.jsonl": ("claude-code", {CALLS: 2}),
    "claude-code-web/sample_session_web": ("claude-code", {CALLS: 12}),
    "google-adk/ecommerce": ("adk-eval-set", {TRACES: 1, GOLD: 7}),
    "google-adk/flow": ("adk-session", {TRACES: 1, CALLS: 2}),
    "google-adk/home_automation_agent__simple_test2": ("adk-eval-set", {TRACES: 0, GOLD: 1}),
    "google-adk/home_automation_agent__test_files__dependent": ("adk-eval-set", {GOLD: 2}),
    "google-adk/trip": ("adk-eval-set", {TRACES: 1, GOLD: 0}),
    "inspect-ai/2024": ("inspect", {TRACES: 1, CALLS: 0}),
    "inspect-ai/2025": ("inspect", {TRACES: 1, CALLS: 4, SCORES: 1}),
    "inspect-ai/log_read_sample.eval": ("inspect", {TRACES: 1, CALLS: 0}),
    "inspect-ai/skeleton__basic": ("inspect", {TRACES: 1, CALLS: 1}),
    "jaeger/ui_01": ("jaeger", {TRACES: 1}),
    "jaeger/es_01": ("jaeger", {TRACES: 1}),
    "jaeger/domain_01": ("jaeger", {TRACES: 1}),
    "langfuse-framework-traces/agno": ("langfuse", {TRACES: 1, CALLS: 1}),
    "langfuse-framework-traces/autogen": ("langfuse", {TRACES: 1, CALLS: 0}),
    "langfuse-framework-traces/crewai": ("langfuse", {TRACES: 1, CALLS: 0}),
    "langfuse-framework-traces/csharp": ("langfuse", {TRACES: 1, CALLS: 2}),
    "langfuse-framework-traces/koog": ("langfuse", {TRACES: 1, CALLS: 2}),
    "langfuse-framework-traces/microsoft": ("langfuse", {TRACES: 1, CALLS: 1}),
    "langfuse-framework-traces/pydantic-ai-tools": ("langfuse", {TRACES: 1, CALLS: 0}),
    "langfuse-framework-traces/vercel": ("langfuse", {TRACES: 1, CALLS: 1}),
    "langsmith/js__anthropic_managed_builtin": ("anthropic-managed-agents", {TRACES: 1, CALLS: 1}),
    "langsmith/js__anthropic_managed_custom": ("anthropic-managed-agents", {TRACES: 1, CALLS: 1}),
    "langsmith/js__anthropic_managed_mcp": ("anthropic-managed-agents", {TRACES: 1, CALLS: 1}),
    "langsmith/js__langsmith": ("langsmith", {TRACES: 2, CALLS: 0}),
    "langsmith/py__langsmith": ("langsmith", {TRACES: 2, CALLS: 0}),
    "open-agent-traces/": ("otlp-json-lines", {TRACES: 2}),
    "openai-agents-runstate/minimal__v1_1": ("openai-agents-state", {TRACES: 7}),
    "otlp-examples/trace": ("otlp-json", {TRACES: 1}),
    "swe-agent/demo__ctf__pwn": ("swe-agent", {TRACES: 1, CALLS: 7}),
    "swe-agent/demo__function": ("swe-agent", {TRACES: 1, CALLS: 5}),
    "swe-agent/demo__replay__marshmallow-code__marshmallow-1867__function_calling__": (
        "swe-agent", {CALLS: 11},
    ),
    "swe-agent/demo__replay__marshmallow-code__marshmallow-1867__function_calling_replace": (
        "swe-agent", {CALLS: 13},
    ),
    "swe-agent/test_data": ("swe-agent", {CALLS: 12}),
    "tau-bench/": ("tau-bench", {TRACES: 200, CALLS: 1164, GOLD: 632, SCORES: 200}),
    "tau2-bench/simulations/": ("tau2", {TRACES: 3, CALLS: 0}),
    "tau2-bench/tasks/airline": ("tau2", {GOLD: 142}),
    "tau2-bench/tasks/mock": ("tau2", {GOLD: 8}),
    "tau2-bench/tasks/retail": ("tau2", {GOLD: 550}),
    "vercel-ai-spans/": ("otel-js-spans", {TRACES: 10}),
    "who-and-when/": ("who-and-when", {TRACES: 29, SCORES: 58}),
}  # fmt: skip
"""Files by the beginning of their path: container, and counts that the corpus' index knows."""


@pytest.mark.parametrize("path", FILES)
def test_a_public_file_is_known_by_its_content_and_read_whole(path: str, corpus: Corpus) -> None:
    container, counts = FILES[path]
    mine = [line for name, line in corpus.lines.items() if name.startswith(path)]
    known = [line for line in mine if line.container is not None]
    assert {line.container for line in known} == {container}
    assert all(line.container_reason for line in known)
    assert sum(line.n_rejected for line in known) == 0
    for sql, expected in counts.items():
        assert corpus.count(path, sql) == expected, sql


def test_what_is_no_trace_says_what_it_looked_like_and_what_was_tried(corpus: Corpus) -> None:
    unknown = [line for line in corpus.lines.values() if line.container is None]
    assert unknown
    for line in unknown:
        assert line.message
        is_told = "formats were tried" in line.message or line.message.startswith("empty")
        assert is_told, line.path
        assert "; " in line.message


@pytest.mark.parametrize(
    ("container", "figures"),
    [
        (
            "tau-bench",
            {
                "n_traces": 200, "n_calls": 1164, "n_tools": 14, "n_errors": 73,
                "n_next_retries": 29, "n_next_retries_ok": 10, "mean_turns": 12.27,
                "n_expected": 632, "n_found": 466,
            },
        ),
        (
            "agentrx-tau",
            {
                "n_traces": 100, "n_calls": 793, "n_errors": 34, "n_next_retries": 7,
                "n_next_retries_ok": 6, "mean_turns": 14.18, "n_expected": 545, "n_found": 484,
            },
        ),
        (
            "api-bank",
            {
                "n_traces": 263, "n_calls": 508, "n_errors": 0, "n_next_retries": 0,
                "n_expected": 508, "n_found": 508, "n_found_with_arguments": 508,
            },
        ),
    ],
)  # fmt: skip
def test_the_known_figures_of_a_benchmark_come_out_of_the_report(
    container: str, figures: dict[str, float], corpus: Corpus
) -> None:
    """73, 29 and 10 of tau-bench are by the order of its messages.

    Its model numbers calls anew within a run: joined by id, an answer would belong to a later call
    of the same id, which gives 72, 31 and 14.
    """
    found = asdict(by_container(corpus.database)[container])
    assert {name: found[name] for name in figures} == figures


@pytest.mark.parametrize(("container", "reward"), [("tau-bench", 84), ("agentrx-tau", 73)])
def test_rewards_are_scores(container: str, reward: float, corpus: Corpus) -> None:
    [score] = by_container(corpus.database)[container].scores
    assert (score.name, score.total) == ("reward", reward)


def test_failure_labels_meet_the_runs_they_judge(corpus: Corpus) -> None:
    """27 of the 29 labelled tasks are among the hundred published runs, all of them failed."""
    rows = corpus.database.rows("""
        select distinct case_run.trace_id, reward.value
        from score as failure
        inner join case_run using (case_id)
        inner join score as reward on reward.trace_id = case_run.trace_id and reward.name = 'reward'
        where failure.source = 'agentrx-labels' and failure.name = 'failure'
    """)
    assert len(rows) == 27
    assert {row["value"] for row in rows} == {0.0}


def test_the_speaker_of_a_mistake_is_who_made_it(corpus: Corpus) -> None:
    """`mistake_step` counts messages from zero; the speaker agrees in all but a few files."""
    [row] = corpus.database.rows("""
        select count(*) as n, count(step) as n_steps, count(label) as n_agents
        from score where source = 'who-and-when' and name = 'mistake'
    """)
    assert row == {"n": 29, "n_steps": 29, "n_agents": 29}


def test_one_trace_as_jaeger_and_as_otlp_is_one_record(corpus: Corpus) -> None:
    assert corpus.lines["jaeger/otlp2jaeger-out.json"].n_merged == 2
    assert corpus.lines["jaeger/otlp2jaeger-out.json"].n_stored == 0
