"""tau-bench results: OpenAI messages of each trial, the task's reference calls, and the reward.

The reference calls lead to the right final state; other reads are legal, so a run is scored by how
many of them it made, not by everything else it did. AgentRx publishes the same form with an `index`
on each message, which its failure labels name.
"""

from collections.abc import Iterator
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import (
    CaseRunDraft,
    Draft,
    ExpectationDraft,
    Format,
    ScoreDraft,
    each,
)
from ingest.containers.fields import arr, obj, objects, real, txt, whole
from ingest.containers.messages import hear_all
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind

AGENTRX: Final = "agentrx"
"""Prefix of the case ids of AgentRx' copy."""
_TAU: Final = "tau-bench"


def sign(value: Any) -> str | None:
    """A trial: `task_id`, `traj` and the task's reference calls."""
    fields = obj(value)
    if not fields.keys() >= {"task_id", "traj", "info"}:
        return None
    return "it has task_id, traj and info" if "task" in obj(fields["info"]) else None


def agentrx_sign(value: Any) -> str | None:
    """A trial whose messages are numbered."""
    reason = sign(value)
    is_numbered = any("index" in message for message in objects(obj(value).get("traj")))
    return f"{reason}, its messages an index" if reason and is_numbered else None


def read_trial(value: Any) -> Iterator[Draft]:
    """The spans, reference calls and reward of one trial."""
    trial = obj(value)
    trajectory = trial.get("traj")
    if sign(value) is None or not isinstance(trajectory, list):
        raise RecordError(
            Reason.SHAPE,
            "no trial of tau-bench: expected task_id, traj (a list of messages) and info.task; "
            "remove the item",
        )
    prefix = AGENTRX if agentrx_sign(value) else _TAU
    case = f"{prefix}/{txt(trial.get('task_id'))}"
    task = obj(obj(trial.get("info")).get("task"))
    key = f"{case}/{txt(task.get('user_id'))}/{txt(trial.get('trial'))}"
    conversation = Conversation(key, agent=_TAU, attributes={"source.case_id": case})
    hear_all(conversation, trajectory)
    yield from conversation.spans()
    yield CaseRunDraft(key, case, whole(trial.get("trial")))
    yield from _expectations(task, key, case)
    reward = real(trial.get("reward"))
    if reward is not None:
        yield ScoreDraft(
            "reward",
            case_id=case,
            trace_key=key,
            value=reward,
            annotator=_TAU,
            annotator_kind=AnnotatorKind.RULE,
        )


def _expectations(task: Any, key: str, case: str) -> Iterator[Draft]:
    for position, action in enumerate(arr(task.get("actions"))):
        call = obj(action)
        yield ExpectationDraft(
            case_id=case,
            trace_key=key,
            position=position,
            tool_name=txt(call.get("name")),
            arguments=call.get("kwargs"),
        )


FORMAT: Final = Format(Container.TAU_BENCH, "tau-bench trials", sign, each(read_trial))
AGENTRX_FORMAT: Final = Format(
    Container.AGENTRX_TAU, "AgentRx' tau-bench trials", agentrx_sign, each(read_trial)
)
