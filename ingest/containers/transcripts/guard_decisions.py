"""Guard decision logs: a line an evaluation, `record_type: event` with `decision.action`.

Such a log names the run and the tool, and a call only sometimes; each run becomes one trace of guard
spans.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import Desk, Draft, Format, Pieces, Refused
from ingest.containers.fields import first, moment_ns, obj, txt
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

_VERDICTS: Final = {
    "allow": "allow", "permit": "allow", "block": "deny", "deny": "deny", "reject": "deny",
    "modify": "modify", "redact": "modify", "warn": "warn", "escalate": "escalate",
    "require_approval": "pending",
}  # fmt: skip


def sign(value: Any) -> str | None:
    """A line with `record_type` event and an action."""
    row = obj(value)
    is_event = row.get("record_type") == "event" and "action" in obj(row.get("decision"))
    return "a line has record_type event and decision.action" if is_event else None


def read_decisions(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The guard spans of every run."""
    runs: dict[str, Conversation] = {}
    for piece in pieces:
        row = obj(piece.value)
        decision = obj(row.get("decision"))
        verdict = _VERDICTS.get(str(decision.get("action")).lower())
        if verdict is None:
            error = RecordError(
                Reason.SHAPE,
                "no guard decision: expected decision.action such as allow or block; "
                "remove the line",
            )
            yield Refused(piece.place, error, piece.value)
            continue
        run = txt(first(row, "run_id", "session_id", "trace_id")) or desk.stem
        conversation = runs.setdefault(run, Conversation(run, session=run))
        _guard(conversation, row, decision, verdict)
    for conversation in runs.values():
        yield from conversation.spans()


def _guard(
    conversation: Conversation, row: Mapping[str, Any], decision: Mapping[str, Any], verdict: str
) -> None:
    tool = row.get("tool")
    name = txt(obj(tool).get("name")) or txt(tool) or txt(row.get("tool_name"))
    conversation.guard(
        txt(first(decision, "rule", "rule_id", "policy")) or txt(row.get("rule")) or "policy",
        verdict,
        call_id=txt(first(row, "tool_call_id", "call_id")),
        tool_name=name,
        reason=txt(first(decision, "reason", "message")),
        time=moment_ns(first(row, "timestamp", "time")),
    )


FORMAT: Final = Format(Container.GUARD_DECISIONS, "a guard decision log", sign, read_decisions)
