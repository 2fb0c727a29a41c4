"""What a tool is given in confidence is in no span, log or prompt of a task (S4 §3.2)."""

import json
import logging
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.agent import Agent, Observing, Task, TaskResult
from pipeline.contracts import Registry
from pipeline.execution import MASK, Executor, Masker
from pipeline.planning import JsonPlanner, Planner, ToolCallPlanner
from sample_traces.virtual_loop import run_virtually
from tests.contract_samples import contract
from tests.faulty_system import FaultySystem, Recorded
from tests.scripted import ScriptedModel, calls, says

TOOL = "query_customer"
CONTRACT = contract(
    name=TOOL,
    description="按手机号查询客户，只读。",
    returns=None,
    fallback=None,
    sensitive=frozenset({"phone", "user"}),
    input_schema={"type": "object", "properties": {"phone": {}, "user": {}, "note": {}}},
)
PHONE = "13800138000"


def run(model: ScriptedModel, recorded: Recorded, answer: Any, *, is_json: bool) -> TaskResult:
    async def main() -> TaskResult:
        registry, tracer = Registry([CONTRACT]), recorded.tracer
        planner: Planner = ToolCallPlanner(model, "你是客服助手。", tracer)
        if is_json:
            planner = JsonPlanner(model, registry, tracer=tracer)
        executor = Executor(registry, {TOOL: FaultySystem(answer=answer)}, tracer=tracer)
        agent = Agent(planner, executor, Observing(tracer=tracer), tracer=tracer)
        return await agent.run(Task("task-1", f"我的手机号是 {PHONE}，查一下", "app"))

    return run_virtually(main())


def lines(arguments: dict[str, Any], *, is_json: bool) -> list[Any]:
    answer = f"{PHONE} 是金卡会员。"
    if not is_json:
        return [calls((TOOL, arguments)), says(answer)]
    plan = [{"tool": TOOL, "params": arguments, "reason": "查客户"}]
    return [says(json.dumps(plan)), says("[]"), says(answer)]


@pytest.mark.parametrize("is_json", [False, True])
def test_no_span_of_a_task_holds_a_sensitive_value_and_the_model_keeps_what_it_needs(
    is_json: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    recorded = Recorded()
    arguments = {"phone": PHONE, "user": {"id": 42_424_242}, "note": f"回电 {PHONE}"}
    model = ScriptedModel(lines(arguments, is_json=is_json))

    result = run(model, recorded, {"tel": PHONE, "id": 42_424_242}, is_json=is_json)

    told = recorded.text() + caplog.text
    assert PHONE not in told
    assert "42424242" not in told
    assert MASK in told
    assert result.answer == f"{PHONE} 是金卡会员。", "the user is answered in full"
    asked = model.asked[1].messages
    assert PHONE in str(asked[0]), "the model reads what the user wrote"
    assert PHONE not in str(asked[-1]), "no tool repeats it"


def test_what_an_answer_names_like_a_sensitive_parameter_is_masked_whosever_it_is() -> None:
    masker = Masker(CONTRACT, {"phone": PHONE})

    shown = masker.value({"rows": [{"phone": "13900139000", "level": "gold"}, {"phone": None}]})

    assert shown == {"rows": [{"phone": MASK, "level": "gold"}, {"phone": None}]}


def test_the_form_of_a_conversation_stays_whatever_is_secret_in_it() -> None:
    recorded = Recorded()
    words = {"phone": "text", "user": "content"}

    run(ScriptedModel(lines(words, is_json=False)), recorded, {"role": "user"}, is_json=False)

    chat = dict(recorded.spans("chat")[-1].attributes or {})
    first, second, third = json.loads(str(chat["gen_ai.input.messages"]))
    assert [part["type"] for part in first["parts"]] == ["text"]
    (request,) = second["parts"]
    assert (request["type"], request["name"]) == ("tool_call", TOOL)
    assert request["arguments"] == {"phone": MASK, "user": MASK}
    assert third["parts"][0]["response"] == {"role": "user"}, "four letters of form, not the secret"


SECRETS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="<>*{}:, phone"), min_size=4
)


@given(SECRETS, st.booleans())
@settings(max_examples=30)
def test_any_secret_is_masked_in_texts_and_in_json_within_texts(secret: str, ascii_: bool) -> None:
    masker = Masker(CONTRACT, {"phone": secret})
    written = json.dumps({"phone": secret}, ensure_ascii=ascii_)

    assert masker.text(f"<{secret}>") == f"<{MASK}>"
    assert json.loads(masker.text(written)) == {"phone": MASK}
