"""LangSmith runs: batches of `post` and `patch`, lists and lines of runs, and nested child runs.

A patch carries the end of a run; its id may stand only at the end of `dotted_order`. A failure that
the graph handled leaves no run error: the tool message says `status: error`. `session_name` is the
project, not a conversation.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ingest.containers.drafts import (
    Desk,
    Draft,
    Format,
    Pieces,
    Refused,
    ScoreDraft,
    SpanDraft,
)
from ingest.containers.fields import (
    NS_PER_MS,
    arr,
    decoded,
    first,
    kept,
    moment_ns,
    obj,
    objects,
    real,
    txt,
)
from ingest.containers.kinds_of_span import (
    agent_attributes,
    model_attributes,
    tool_attributes,
    usage_of,
)
from ingest.containers.parts import answers_of, read_message
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind

_UUID_LENGTH: Final = 36
_RUN_SIGNS: Final = frozenset({"dotted_order", "parent_run_id", "trace_id", "child_runs"})
_ERROR: Final = 2
_USAGE_PLACES: Final = (
    ("usage_metadata",),
    ("llm_output", "token_usage"),
    ("llm_output", "usage"),
    ("usage",),
)


def sign(value: Any) -> str | None:
    """A batch of runs, or a run: `run_type` with an order, a parent or a trace."""
    found = obj(value)
    for name in ("post", "patch"):
        runs = arr(found.get(name))
        if runs and obj(runs[0]).keys() & {"run_type", "dotted_order"}:
            return f"{name} holds runs"
    if "run_type" in found and found.keys() & _RUN_SIGNS:
        return f"it has run_type and {min(found.keys() & _RUN_SIGNS)}"
    return None


def read_runs(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of all runs of the file; what a batch tells of one is held until all is read."""
    held: dict[str, dict[str, Any]] = {}
    for piece in pieces:
        value = obj(piece.value)
        is_batch = bool(value.keys() & {"post", "patch"})
        for run in _runs_of(value):
            key = _id(run)
            if key is None:
                error = RecordError(
                    Reason.SPAN_ID, "a run without id: expected id or dotted_order; export it again"
                )
                yield Refused(piece.place, error, dict(run))
            elif is_batch:
                held[key] = held.get(key, {"id": key}) | _given(run)
            else:
                yield from _drafts({"id": key} | _given(run))
    for whole in held.values():
        yield from _drafts(whole)


def _drafts(run: Mapping[str, Any]) -> Iterator[Draft]:
    yield _span(run)
    yield from _scores(run)


def _runs_of(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "post" in value or "patch" in value:
        for name in ("post", "patch"):
            for run in objects(value.get(name)):
                yield from _runs_of(run)
        return
    yield value
    for child in objects(value.get("child_runs")):
        of_parent = {"parent_run_id": value.get("id"), "trace_id": value.get("trace_id")}
        yield from _runs_of({**of_parent, **child})


def _given(run: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with something in them: an empty `outputs` of a post is no answer."""
    return {
        name: value
        for name, value in run.items()
        if name != "child_runs" and value is not None and value != {}
    }


def _id(run: Mapping[str, Any]) -> str | None:
    written = txt(run.get("id"))
    order = txt(run.get("dotted_order"))
    return written or (order[-_UUID_LENGTH:] if order and len(order) > _UUID_LENGTH else None)


def _span(run: Mapping[str, Any]) -> SpanDraft:
    key = str(run["id"])
    error = txt(run.get("error"))
    metadata = obj(obj(run.get("extra")).get("metadata"))
    return SpanDraft(
        txt(run.get("trace_id")) or key,
        key,
        txt(run.get("name")) or txt(run.get("run_type")) or "run",
        parent_key=txt(run.get("parent_run_id")) or _parent_of_order(run),
        start=moment_ns(run.get("start_time"), NS_PER_MS),
        end=moment_ns(run.get("end_time"), NS_PER_MS),
        status_code=_ERROR if error else 0,
        status_message=error,
        attributes=_attributes(run, metadata),
        events=[_event(event) for event in objects(run.get("events"))],
        resource=kept({"langsmith.project": txt(run.get("session_name"))}),
    )


def _parent_of_order(run: Mapping[str, Any]) -> str | None:
    steps = (txt(run.get("dotted_order")) or "").split(".")
    return steps[-2][-_UUID_LENGTH:] if len(steps) > 1 else None


def _event(event: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "time_ns": moment_ns(event.get("time"), NS_PER_MS),
        "name": txt(event.get("name")) or "event",
        "attributes": kept({"kwargs": event.get("kwargs") or None}),
    }


def _attributes(run: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    kind = txt(run.get("run_type")) or ""
    common = kept(
        {
            "source.run_type": kind,
            "session.id": txt(first(metadata, "session_id", "thread_id", "conversation_id")),
            "user.id": txt(metadata.get("user_id")),
            "tag.tags": list(arr(run.get("tags"))) or None,
            "error.type": _error_type(run),
        }
    )
    if kind == "tool":
        return common | _tool(run, metadata)
    if kind == "llm":
        return common | _model(run, metadata)
    shown = kept({"langsmith.inputs": run.get("inputs"), "langsmith.outputs": run.get("outputs")})
    named = {"langsmith.span.kind": kind} if kind else {}
    agent = agent_attributes(txt(run.get("name"))) if metadata.get("ls_agent_type") else {}
    return common | shown | (agent or named)


def _error_type(run: Mapping[str, Any]) -> str | None:
    """The class at the head of a written exception (`ValueError('...')`, `ToolError: ...`)."""
    head = (txt(run.get("error")) or "").split("(")[0].split(":")[0].strip()
    return head if head.isidentifier() else None


def _tool(run: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    inputs, outputs = obj(run.get("inputs")), run.get("outputs")
    result = obj(outputs).get("output", outputs) if outputs is not None else None
    call_id = txt(first(inputs, "tool_call_id")) or txt(metadata.get("tool_call_id"))
    flag = None
    answer = read_message(result)
    for part in answers_of(answer) if answer else ():
        result, call_id = part["response"], call_id or part.get("id")
        flag = "error" if part.get("is_error") else "success" if part.get("status") else None
    arguments = decoded(inputs["input"]) if set(inputs) == {"input"} else dict(inputs)
    attributes = tool_attributes(txt(run.get("name")), arguments, result, call_id=call_id)
    return attributes | ({"gen_ai.tool.status": flag} if flag else {})


def _model(run: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    inputs, outputs = obj(run.get("inputs")), obj(run.get("outputs"))
    parameters = obj(obj(run.get("extra")).get("invocation_params"))
    return model_attributes(
        inputs.get("messages", inputs),
        outputs,
        model=txt(first(metadata, "ls_model_name")) or txt(first(inputs, "model")),
        provider=txt(metadata.get("ls_provider")),
        usage=usage_of(_usage(run, outputs)),
        tools=list(arr(parameters.get("tools")) or arr(inputs.get("tools"))),
    )


def _usage(run: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    for path in (*_USAGE_PLACES,):
        found: Any = outputs
        for name in path:
            found = obj(found).get(name)
        if isinstance(found, dict):
            return found
    for group in arr(outputs.get("generations")):
        for item in arr(group) or [group]:
            message = obj(obj(item).get("message"))
            inner = obj(message.get("kwargs")) or obj(message.get("data")) or message
            if isinstance(inner.get("usage_metadata"), dict):
                return inner["usage_metadata"]
    names = ("prompt_tokens", "completion_tokens")
    return {name: run.get(name) for name in names}


def _scores(run: Mapping[str, Any]) -> Iterable[Draft]:
    for name, value in obj(run.get("feedback_stats")).items():
        mean = real(obj(value).get("avg")) if isinstance(value, dict) else real(value)
        yield ScoreDraft(
            name,
            trace_key=txt(run.get("trace_id")) or str(run["id"]),
            span_key=str(run["id"]),
            value=mean,
            annotator_kind=AnnotatorKind.RULE,
        )


FORMAT: Final = Format(Container.LANGSMITH, "LangSmith runs", sign, read_runs)
