"""A trace told step by step, and the signs of a fault in it."""

from typing import Any

import pytest

from replay_store import Database
from replay_store.story import Act, fault_signs, trace_steps

TRACE = "0af7651916cd43dd8448eb211c80319c"
ASK = ("c1", "get", {"id": "7"})


def acts(database: Database) -> list[tuple[Any, ...]]:
    return [
        (step.act, step.status, step.subject, step.call_index)
        for step in trace_steps(database, TRACE)
    ]


def signs(database: Database) -> list[tuple[Any, ...]]:
    return [
        (sign.sign, sign.tool_name, sign.call_index, sign.is_recovered)
        for sign in fault_signs(database, TRACE)
    ]


@pytest.fixture
def told(agent: Any) -> Any:
    """A call that fails, is tried again with other arguments, and answered."""
    agent.root()
    agent.model(2, 1, 2, asks=(ASK,))
    agent.tool(
        3,
        2,
        3,
        "get",
        call_id="c1",
        arguments='{"id":"7"}',
        status_code=2,
        attributes={"error.type": "INVALID_ARGUMENT"},
    )
    agent.model(4, 3, 4, asks=(("c2", "get", {"id": "8"}),), answers=(("c1", "no such id"),))
    agent.tool(5, 4, 5, "get", call_id="c2", arguments='{"id":"8"}', result="fine")
    agent.model(6, 5, 6, answers=(("c2", "fine"),), says="Done: 订单已发货")
    return agent


def test_a_trace_is_told_from_the_plan_to_the_answer(told: Any) -> None:
    told.write()

    assert acts(told.database) == [
        (Act.PLANNED, "ok", "qwen-max", None),
        (Act.CALLED, "error", "get", 0),
        (Act.PLANNED, "ok", "qwen-max", None),
        (Act.RETRIED, "ok", "get", 1),
        (Act.ANSWERED, "ok", "qwen-max", None),
    ]
    answer = trace_steps(told.database, TRACE)[-1]
    assert answer.detail == "Done: 订单已发货"
    assert answer.duration_ns == 10**9
    assert signs(told.database) == [("invalid_argument", "get", 0, True)]


def test_a_call_that_never_ran_stands_at_the_end_of_its_turn(agent: Any) -> None:
    agent.root(until=None)
    agent.model(2, 1, 2, asks=(ASK,))
    agent.write()

    assert acts(agent.database) == [
        (Act.PLANNED, "ok", "qwen-max", None),
        (Act.CALLED, "pending", "get", 0),
    ]
    planned, called = trace_steps(agent.database, TRACE)
    assert called.time_ns == planned.end_time_ns


def test_the_attempts_of_a_call_after_the_first_are_steps_of_their_own(agent: Any) -> None:
    agent.root()
    agent.tool(3, 1, 5, "get")
    for number, span_id in enumerate((31, 32)):
        agent.span(
            span_id,
            3,
            1 + number * 2,
            2 + number * 2,
            name="attempt",
            attributes={"toolsight.attempt": number + 1},
        )
    agent.write()

    first, second = trace_steps(agent.database, TRACE)

    assert (first.act, first.n_attempts, first.attempt_index) == (Act.CALLED, 2, None)
    assert (second.act, second.call_index, second.attempt_index) == (Act.RETRIED, 0, 1)
    assert second.span_id == f"{32:016x}"
    assert second.wait_ns == 10**9


def test_a_call_that_begins_before_it_was_asked_for_keeps_its_times(agent: Any) -> None:
    agent.root()
    agent.model(2, 5, 6, asks=(ASK,))
    agent.tool(3, 4, 7, "get", call_id="c1", arguments='{"id":"7"}', result="fine")
    agent.write()

    [call] = [step for step in trace_steps(agent.database, TRACE) if step.act is Act.CALLED]

    assert call.wait_ns == -2 * 10**9


def test_a_call_with_an_answer_already_is_a_sign_when_made_again(agent: Any) -> None:
    agent.root()
    for span_id, at in ((3, 1), (4, 2)):
        agent.tool(span_id, at, at + 1, "get", arguments='{"id":"7"}', result="fine")
    agent.tool(5, 4, 5, "get", arguments='{"id":"8"}', result="fine")
    agent.write()

    assert signs(agent.database) == [("repeated_call", "get", 1, False)]


def test_trying_again_unchanged_after_a_refusal_is_futile(agent: Any) -> None:
    agent.root()
    for span_id, at in ((3, 1), (4, 2)):
        agent.tool(
            span_id,
            at,
            at + 1,
            "get",
            arguments='{"id":"7"}',
            status_code=2,
            attributes={"error.type": "PERMISSION"},
        )
    agent.write()

    assert signs(agent.database) == [
        ("permission", "get", 0, False),
        ("futile_retry", "get", 1, False),
        ("permission", "get", 1, False),
    ]


def test_an_answer_that_was_cut_is_a_sign(agent: Any) -> None:
    agent.root()
    agent.model(
        2, 1, 2, says="The order", attributes={"gen_ai.response.finish_reasons": ["length"]}
    )
    agent.write()

    assert signs(agent.database) == [("cut_answer", None, None, False)]


def test_a_long_story_is_cut_where_asked(told: Any) -> None:
    told.write()

    assert len(trace_steps(told.database, TRACE, limit=2)) == 2
    assert trace_steps(told.database, "9" * 32) == []
    assert fault_signs(told.database, "9" * 32) == []
