"""One small value of every foreign container, for the suites that run over all of them."""

from dataclasses import dataclass
from typing import Any

from tests.ingest.containers.test_benchmarks import ANSWER, MESSAGES, QUESTION, TRIAL
from tests.ingest.containers.test_platforms import EXPORTS
from tests.ingest.containers.test_transcripts import (
    APPROVAL,
    CLAUDE,
    CODEX,
    CONVERSATIONS,
    MANAGED,
    MODEL_EVENT,
    TOOL_EVENT,
    _inspect,
)


@dataclass(frozen=True)
class Sample:
    """A file of one container."""

    name: str
    container: str
    value: Any
    """The document, or the lines."""
    is_lines: bool = False
    has_records: bool = True


NUMBERED = [{**message, "index": index} for index, message in enumerate(MESSAGES, 1)]
TEAM = [{"role": "human", "content": "x"}, {"role": "Orchestrator (thought)", "content": "y"}]
STEP = {"source": "agent", "message": "x", "tool_calls": []}
SAMPLES = [
    *(Sample(name, container, value) for name, (container, value) in EXPORTS.items()),
    *(Sample(name, "messages", value) for name, value in CONVERSATIONS.items()),
    Sample("claude code", "claude-code", CLAUDE, is_lines=True),
    Sample("claude code web", "claude-code", {"loglines": CLAUDE}),
    Sample("codex", "codex", CODEX, is_lines=True),
    Sample("managed agents", "anthropic-managed-agents", MANAGED, is_lines=True),
    Sample("inspect", "inspect", _inspect(MODEL_EVENT, APPROVAL, TOOL_EVENT)),
    Sample("inspect events", "inspect", {"events": [MODEL_EVENT, TOOL_EVENT]}),
    Sample(
        "adk session", "adk-session",
        {"id": "s", "events": [
            {"author": "user", "content": {"parts": [{"text": "x"}]}},
            {"author": "shop", "content": {"role": "model", "parts": [{"text": "y"}]}},
        ]},
    ),
    Sample(
        "adk eval set", "adk-eval-set",
        {"eval_set_id": "s", "eval_cases": [{"eval_id": "e", "conversation": [
            {"intermediate_data": {"tool_uses": [{"name": "f", "args": {}}]}}
        ]}]},
    ),
    Sample(
        "agent sdk log", "claude-agent-sdk-log",
        {"messages": [{"direction": "recv", "message": {
            "type": "assistant", "message": {"role": "assistant", "content": "x"},
        }}]},
    ),
    Sample(
        "run state", "openai-agents-state",
        {"$schemaVersion": "1.2", "generated_items": [], "original_input": "x", "context": {
            "approvals": {"f": {"approved": ["c"]}},
        }},
    ),
    Sample(
        "guard decisions", "guard-decisions",
        [{"record_type": "event", "decision": {"action": "allow"}, "tool": "f"}], is_lines=True,
    ),
    Sample("tau-bench", "tau-bench", [TRIAL]),
    Sample("agentrx tau", "agentrx-tau", [TRIAL | {"traj": NUMBERED}]),
    Sample(
        "agentrx labels", "agentrx-labels",
        [{"trajectory_id": 1, "failures": [{"failure_id": 1, "step_number": 2}]}],
    ),
    Sample("who and when", "who-and-when", {"history": TEAM, "mistake_agent": "x"}),
    Sample("magentic one", "magentic-one", TEAM),
    Sample("api-bank", "api-bank", [{"role": "API", "api_name": "F", "param_dict": {}}], True),
    Sample("bfcl questions", "bfcl-questions", [QUESTION], True, has_records=False),
    Sample("bfcl answers", "bfcl-answers", [ANSWER], True),
    Sample("bfcl results", "bfcl-results", [{"id": "x", "result": "y", "latency": 1.0}], True),
    Sample(
        "tau2", "tau2",
        {"id": "s", "task_id": "t", "termination_reason": "x", "messages": [
            {"role": "assistant", "tool_calls": [{"id": "c", "name": "f", "arguments": {}}]},
            {"role": "tool", "id": "c", "content": "x", "error": False},
        ]},
    ),
    Sample("tau2 task", "tau2", {
        "id": "t", "user_scenario": {}, "evaluation_criteria": {"actions": [{"name": "f"}]},
    }),
    Sample("swe-agent", "swe-agent", {"trajectory": [], "history": [
        {"role": "assistant", "content": "x", "action": "ls"}, {"role": "user", "content": "y"},
    ]}),
    Sample("atif", "atif", {"schema_version": "ATIF-v1", "session_id": "s", "steps": [STEP]}),
    Sample(
        "agentdojo", "agentdojo",
        {"suite_name": "s", "user_task_id": "u", "messages": MESSAGES, "utility": True},
    ),
]  # fmt: skip
