"""Decisions, guard evaluations and the one row a trace."""

from typing import Any

import pytest

from pipeline import attributes as names


def test_a_turn_that_asks_for_nothing_is_one_no_call_decision(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "get", "{}"), ("c2", "put", "{}")))
    agent.model(3, 3, 4, says="done")
    agent.write()
    assert agent.rows("decision", "turn_index, call_index, tool_name", "1, 2") == [
        (0, 0, "get"),
        (0, 1, "put"),
        (1, None, "NO_CALL"),
    ]


def test_a_turn_whose_output_is_hidden_is_told_by_what_ran_or_not_at_all(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2)
    agent.tool(3, 3, 4, "get", result="fine")
    agent.model(4, 5, 6)
    agent.write()
    assert agent.rows("decision", "turn_index, tool_name", "1") == [(0, "get")]


def test_a_decision_knows_whether_its_tool_was_on_offer(agent: Any) -> None:
    offer = {"gen_ai.tool.definitions": '[{"type": "function", "name": "get"}]'}
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "get", "{}"), ("c2", "ghost", "{}")), attributes=offer)
    agent.write()
    assert agent.rows("decision", "tool_name, is_offered", "1") == [("get", True), ("ghost", False)]


def test_guard_spans_and_block_texts_are_evaluations_counted_once(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "refund", "{}"), ("c2", "export", "{}")))
    for span_id, rule, decision, call_id in (
        (3, "confirm", "escalate", "c1"),
        (4, "quota", "allow", "c2"),
    ):
        attributes = {
            names.GUARD_RULE: rule,
            names.GUARD_DECISION: decision,
            "gen_ai.tool.call.id": call_id,
        }
        agent.span(span_id, 1, 3, 3.1, name=f"guard {rule}", attributes=attributes)
    agent.model(
        5, 5, 6, answers=(("c1", "Blocked by policy"), ("c2", "操作被拦截：批量导出")), says="no"
    )
    agent.write()
    assert agent.rows("guard_evaluation", "rule, decision, is_hit, evidence", "time_ns, rule") == [
        (None, "block", True, "result"),
        ("confirm", "escalate", True, names.GUARD_DECISION),
        ("quota", "allow", False, names.GUARD_DECISION),
    ]
    assert agent.rows("trace", "n_guard_evaluations, n_guard_hits", "1") == [(3, 2)]


def test_canaries_and_verdicts_unknown_stay_out_of_the_counts(agent: Any) -> None:
    agent.root()
    canary = {
        names.GUARD_RULE: "export",
        names.GUARD_DECISION: "block",
        names.GUARD_SYNTHETIC: True,
    }
    agent.span(3, 1, 3, 3.1, name="guard export", attributes=canary)
    agent.span(4, 1, 3, 3.1, name="pii", attributes={"openinference.span.kind": "GUARDRAIL"})
    agent.write()
    assert agent.rows("guard_evaluation", "decision", "1") == [("block",), ("unknown",)]
    assert agent.rows("trace", "n_guard_evaluations, n_guard_hits", "1") == [(0, 0)]


def test_tokens_are_null_unless_every_answered_call_shows_them(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, says="one")
    agent.write()
    assert agent.rows("trace", "input_tokens, output_tokens, cached_input_tokens", "1") == [
        (100, 20, None)
    ]
    agent.model(3, 3, 4, says="two", tokens=None)
    agent.write()
    assert agent.rows("trace", "input_tokens, output_tokens", "1") == [(None, None)]


@pytest.mark.parametrize(
    ("recovers", "expected"), [(True, ("ok", False)), (False, ("error", True))]
)
def test_a_run_has_failed_when_no_model_call_is_answered_after_the_error(
    agent: Any, recovers: bool, expected: tuple[str, bool]
) -> None:
    agent.root(status_code=1)
    agent.span(
        2, 1, 1, 2, name="turn", status_code=2, attributes={"openinference.span.kind": "CHAIN"}
    )
    if recovers:
        agent.model(3, 3, 4, says="again")
    agent.write()
    assert agent.rows("trace", "status, is_run_failed", "1") == [expected]


def test_a_failed_model_call_is_no_turn(agent: Any) -> None:
    agent.root(status_code=2)
    agent.model(2, 1, 2, status_code=2)
    agent.write()
    assert agent.rows("trace", "n_llm_calls, n_llm_errors, is_run_failed, n_steps", "1") == [
        (0, 1, True, None)
    ]


def test_steps_are_step_indexes_or_else_turns(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, says="one")
    agent.model(3, 3, 4, says="two")
    agent.write()
    assert agent.rows("trace", "n_steps", "1") == [(2,)]
    for span_id, step in ((5, 0), (6, 1), (7, 1), (8, 2)):
        agent.tool(span_id, span_id, span_id + 0.5, "get", attributes={names.STEP_INDEX: step})
    agent.write()
    assert agent.rows("trace", "n_steps", "1") == [(3,)]


def test_a_span_whose_parent_never_came_is_an_orphan_and_the_trace_is_not_finished(
    agent: Any,
) -> None:
    agent.span(3, 99, 1, 2, name="late")
    agent.write()
    assert agent.rows("trace", "n_root_spans, n_orphan_spans, is_finished, status", "1") == [
        (0, 1, False, "unknown")
    ]


def test_a_cycle_of_parents_ends(agent: Any) -> None:
    agent.tool(3, 1, 2, "get", parent=4)
    agent.tool(4, 1, 2, "put", parent=3)
    agent.tool(5, 1, 2, "self", parent=5)
    agent.write()
    assert agent.rows("trace", "n_tool_calls", "1") == [(3,)]


def test_an_end_before_the_start_gives_no_duration(agent: Any) -> None:
    agent.root(until=-3.0)
    agent.tool(2, 5, 4, "get", result="fine")
    agent.write()
    assert agent.rows("trace", "duration_ns", "1") == [(None,)]
    assert agent.rows("tool_call", "duration_ns, lat_bucket", "1") == [(None, None)]


def test_versions_of_a_model_span_are_one_model_call_and_the_outermost_counts(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, None, says="hello")
    agent.model(2, 1, 3, says="hello")
    agent.model(3, 1.5, 2.5, parent=2, says="hello")
    agent.write()
    assert agent.rows("model_call", "span_id, model, duration_ns", "1") == [
        (2, "qwen-max", 2 * 10**9)
    ]
