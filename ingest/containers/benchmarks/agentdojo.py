"""AgentDojo runs: chat messages, whether the task was done, and whether an attack got through.

In the benchmark's own runs `security: true` says that the injected goal WAS reached; the Luna copy
says the opposite, and can be told by its `evaluation`. Both are kept as written; `attack_success` is
the same for both.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import CaseRunDraft, Draft, Format, ScoreDraft, each
from ingest.containers.fields import after_ns, arr, iso_ns, kept, length_ns, obj, txt
from ingest.containers.messages import hear_all
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind

_JUDGE: Final = "agentdojo"
_FACTS: Final = (
    "utility", "security", "forbidden_behavior", "missed_help", "over_help",
)  # fmt: skip


def sign(value: Any) -> str | None:
    """`suite_name` and `messages`, with a user task or the tools on offer."""
    run = obj(value)
    if not run.keys() >= {"suite_name", "messages"}:
        return None
    own = sorted(run.keys() & {"user_task_id", "available_tools"})
    return f"it has suite_name, messages and {own[0]}" if own else None


def read_run(value: Any) -> Iterator[Draft]:
    """The spans and the verdicts of one run."""
    run = obj(value)
    messages = run.get("messages")
    if not isinstance(messages, list):
        raise RecordError(
            Reason.SHAPE, "no AgentDojo run: expected messages (a list); export it again"
        )
    task, injection = txt(run.get("user_task_id")), txt(run.get("injection_task_id"))
    names = [txt(run.get("suite_name")), task, injection]
    case = "agentdojo/" + "/".join(name for name in names if name)
    parts = [
        case,
        txt(run.get("pipeline_name")),
        txt(run.get("attack_type")),
        txt(run.get("run_id")),
    ]
    key = "/".join(part for part in parts if part)
    start = iso_ns(run.get("evaluation_timestamp"))
    conversation = Conversation(
        key,
        agent=txt(run.get("pipeline_name")) or _JUDGE,
        attributes=kept({"source.case_id": case, "agentdojo.attack": txt(run.get("attack_type"))}),
    )
    tools = [
        {"type": "function", "name": name} for name in map(txt, arr(run.get("available_tools")))
    ]
    hear_all(conversation, messages, tools)
    end = after_ns(start, length_ns(run.get("duration")))
    yield from conversation.spans(
        start=start if end else None, end=end, error=txt(run.get("error"))
    )
    yield CaseRunDraft(key, case)
    yield from _scores(run, key, case, is_attacked=injection is not None)


def _scores(run: Mapping[str, Any], key: str, case: str, *, is_attacked: bool) -> Iterator[Draft]:
    evaluation = obj(run.get("evaluation"))
    facts = evaluation or run
    for name in _FACTS:
        if isinstance(fact := facts.get(name), bool):
            yield _score(name, key, case, float(fact))
    if (outcome := txt(evaluation.get("outcome"))) is not None:
        yield _score("outcome", key, case, None, outcome)
    security = facts.get("security")
    if isinstance(security, bool) and (is_attacked or evaluation):
        yield _score("attack_success", key, case, float(not security if evaluation else security))


def _score(
    name: str, key: str, case: str, value: float | None, label: str | None = None
) -> ScoreDraft:
    return ScoreDraft(
        name,
        case_id=case,
        trace_key=key,
        value=value,
        label=label,
        annotator=_JUDGE,
        annotator_kind=AnnotatorKind.RULE,
    )


FORMAT: Final = Format(Container.AGENTDOJO, "an AgentDojo run", sign, each(read_run))
