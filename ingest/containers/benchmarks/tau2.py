"""tau2-bench: simulations (chat, or ticks of a voice call), result files, and tasks.

Calls are made by the agent or by the simulated user (`requestor`); a user's calls and turns are shown
as the user's and are no steps of the agent. `reward_info` is the verdict, with each expected action
judged; a task's `evaluation_criteria.actions` are what is expected of every run.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import (
    CaseRunDraft,
    Draft,
    ExpectationDraft,
    Format,
    ScoreDraft,
    any_sign,
    each,
    keys_sign,
)
from ingest.containers.fields import (
    arr,
    iso_ns,
    kept,
    length_ns,
    obj,
    objects,
    real,
    txt,
    whole,
)
from ingest.containers.kinds_of_span import usage_of
from ingest.containers.parts import answer_part, call_part, message, text_part
from ingest.containers.turns import Run, Turn
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind

_JUDGE: Final = "tau2-bench"
_USER: Final = "user"
_FAILURES: Final = frozenset({"agent_error", "too_many_errors", "infrastructure_error"})


def _simulation_sign(value: Any) -> str | None:
    found = obj(value)
    is_simulation = found.keys() >= {"task_id", "termination_reason"}
    has_course = bool(found.keys() & {"messages", "ticks"})
    return "it has task_id and termination_reason" if is_simulation and has_course else None


def _task_sign(value: Any) -> str | None:
    found = obj(value)
    is_task = found.keys() >= {"id", "user_scenario", "evaluation_criteria"}
    return "it has user_scenario and evaluation_criteria" if is_task else None


sign = any_sign((keys_sign("simulations", "tasks"), _simulation_sign, _task_sign))


def read_tau2(value: Any) -> Iterator[Draft]:
    """A result file, a simulation or a task."""
    found = obj(value)
    if "simulations" in found:
        domain = txt(obj(obj(found.get("info")).get("environment_info")).get("domain_name"))
        for task in objects(found.get("tasks")):
            yield from _task(task, domain)
        for simulation in objects(found["simulations"]):
            yield from _simulation(simulation, domain)
    elif "user_scenario" in found:
        yield from _task(found, _domain(found))
    else:
        yield from _simulation(found, None)


def _domain(task: Mapping[str, Any]) -> str | None:
    instructions = obj(obj(task.get("user_scenario")).get("instructions"))
    return txt(instructions.get("domain"))


def _case(domain: str | None, task_id: Any) -> str:
    return "/".join(part for part in (_JUDGE, domain, txt(task_id)) if part)


def _task(task: Mapping[str, Any], domain: str | None) -> Iterator[Draft]:
    case = _case(domain, task.get("id"))
    actions = arr(obj(task.get("evaluation_criteria")).get("actions"))
    for position, action in enumerate(objects(actions)):
        if action.get("requestor") == _USER:
            continue
        yield _expectation(action, case, None, position)


def _expectation(
    action: Mapping[str, Any], case: str, trace_key: str | None, position: int
) -> ExpectationDraft:
    arguments = action.get("arguments")
    compared = action.get("compare_args")
    if isinstance(compared, list) and isinstance(arguments, dict):
        arguments = {name: arguments[name] for name in arguments if name in compared}
    return ExpectationDraft(
        case_id=case,
        trace_key=trace_key,
        position=position,
        tool_name=txt(action.get("name")),
        arguments=arguments,
    )


def _simulation(simulation: Mapping[str, Any], domain: str | None) -> Iterator[Draft]:
    case = _case(domain, simulation.get("task_id"))
    trial = whole(simulation.get("trial"))
    key = txt(simulation.get("id")) or f"{case}/{trial}"
    conversation = Conversation(
        key,
        agent=_JUDGE,
        attributes=kept(
            {
                "source.case_id": case,
                "tau2.termination_reason": txt(simulation.get("termination_reason")),
                "tau2.mode": txt(simulation.get("mode")),
            }
        ),
    )
    for item in objects(simulation.get("messages")):
        _message(conversation, item)
    for tick in objects(simulation.get("ticks")):
        _tick(conversation, tick)
    reason = txt(simulation.get("termination_reason"))
    yield from conversation.spans(
        start=iso_ns(simulation.get("start_time")),
        end=iso_ns(simulation.get("end_time")),
        error=reason if reason in _FAILURES else None,
    )
    yield CaseRunDraft(key, case, trial)
    yield from _verdict(obj(simulation.get("reward_info")), key, case)


def _message(conversation: Conversation, item: Mapping[str, Any]) -> None:
    role = item.get("role")
    if role == "tool":
        for answer in list(objects(item.get("tool_messages"))) or [item]:
            _answer(conversation, answer, iso_ns(item.get("timestamp")))
    elif role == "assistant":
        start, length = iso_ns(item.get("timestamp")), item.get("generation_time_seconds")
        duration = length_ns(length)
        # The time of a message is when it was there: its making lies before.
        begun = start - duration if start is not None and duration is not None else None
        parts = [text_part(text)] if (text := txt(item.get("content"))) else []
        turn = Turn(
            start=begun if begun is not None else start,
            end=start if begun is not None else None,
            usage=usage_of(item.get("usage")),
        )
        conversation.say(message("assistant", *parts, *_calls(item.get("tool_calls"))), turn)
    elif role in (_USER, "system"):
        conversation.hear(message(str(role), text_part(txt(item.get("content")) or "")))


def _calls(calls: Any) -> Iterator[dict[str, Any]]:
    for call in objects(calls):
        if call.get("requestor") != _USER:
            yield call_part(txt(call.get("id")), txt(call.get("name")), call.get("arguments"))


def _answer(conversation: Conversation, item: Mapping[str, Any], time: int | None) -> None:
    if item.get("requestor") == _USER:
        return
    is_error = item.get("error")
    answer = answer_part(
        txt(item.get("id")),
        item.get("content"),
        is_error=is_error if isinstance(is_error, bool) else None,
    )
    run = Run(attributes=kept({"source.answered_time_ns": time}))
    conversation.hear(message("tool", answer), run)


def _tick(conversation: Conversation, tick: Mapping[str, Any]) -> None:
    """A moment of a voice call: what either said, and the calls the agent made in it."""
    time = iso_ns(tick.get("timestamp"))
    said = txt(obj(tick.get("user_chunk")).get("content"))
    if said is not None:
        conversation.hear(message("user", text_part(said)))
    text = txt(obj(tick.get("agent_chunk")).get("content"))
    calls = list(_calls(tick.get("agent_tool_calls")))
    if text is not None or calls:
        parts = [text_part(text)] if text is not None else []
        conversation.say(message("assistant", *parts, *calls), Turn(start=time))
    for answer in objects(tick.get("agent_tool_results")):
        _answer(conversation, answer, time)


def _verdict(verdict: Mapping[str, Any], key: str, case: str) -> Iterator[Draft]:
    reward = real(verdict.get("reward"))
    if reward is not None:
        yield _score("reward", key, case, reward)
    for position, check in enumerate(objects(verdict.get("action_checks"))):
        action = obj(check.get("action"))
        if action.get("requestor") != _USER:
            yield _expectation(action, case, key, position)
        matched = check.get("action_match")
        if isinstance(matched, bool):
            yield _score(
                "action_match", key, case, float(matched), txt(action.get("name")), position
            )


def _score(
    name: str, key: str, case: str, value: float, label: str | None = None, step: int | None = None
) -> ScoreDraft:
    return ScoreDraft(
        name,
        case_id=case,
        trace_key=key,
        step=step,
        value=value,
        label=label,
        annotator=_JUDGE,
        annotator_kind=AnnotatorKind.RULE,
    )


FORMAT: Final = Format(Container.TAU2, "tau2-bench data", sign, each(read_tau2))
