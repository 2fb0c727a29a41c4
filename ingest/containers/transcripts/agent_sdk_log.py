"""Claude Agent SDK control protocol: what the SDK and the command line said to each other.

Assistant and user messages are a Claude Code session; hooks and permission requests carry the
decisions of guards, answered by the request id.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import Desk, Draft, Format, Pieces, SpanDraft
from ingest.containers.fields import arr, first, obj, objects, txt
from ingest.containers.parts import read_message
from ingest.containers.transcripts.claude_code import AGENT, anthropic_usage
from ingest.containers.turns import Turn
from ingest.kinds import Container

_VERDICTS: Final = {
    "allow": "allow", "deny": "deny", "ask": "escalate", "block": "deny", "approve": "allow",
}  # fmt: skip
_PROBED: Final = 5


def sign(value: Any) -> str | None:
    """`messages` with a direction each."""
    for item in arr(obj(value).get("messages"))[:_PROBED]:
        if obj(item).keys() >= {"direction", "message"}:
            return "its messages have a direction"
    return None


def read_logs(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """The spans of each exchange."""
    for piece in pieces:
        yield from _Exchange(desk.stem).read(obj(piece.value))


class _Exchange:
    def __init__(self, name: str) -> None:
        self._conversation = Conversation(name, agent=AGENT, session=name)
        self._turns: dict[str, SpanDraft] = {}
        self._asked: dict[str, Mapping[str, Any]] = {}
        self._tools: list[dict[str, Any]] = []
        self._model: str | None = None
        self._error: str | None = None

    def read(self, log: Mapping[str, Any]) -> Iterator[Draft]:
        for entry in objects(log.get("messages")):
            found = obj(entry.get("message"))
            handle = _HANDLERS.get(txt(found.get("type")) or "")
            if handle is not None:
                handle(self, found)
        yield from self._conversation.spans(error=self._error)

    def init(self, found: Mapping[str, Any]) -> None:
        if found.get("subtype") == "init":
            names = [txt(name) for name in arr(found.get("tools"))]
            self._tools = [{"type": "function", "name": name} for name in names if name]
            self._conversation.session = txt(found.get("session_id")) or self._conversation.session

    def hear(self, found: Mapping[str, Any]) -> None:
        heard = read_message(found.get("message"))
        if heard is not None:
            self._conversation.hear(heard)

    def say(self, found: Mapping[str, Any]) -> None:
        raw = obj(found.get("message"))
        spoken, key = read_message(raw), txt(raw.get("id"))
        if spoken is None:
            return
        turn = Turn(
            model=txt(raw.get("model")),
            provider="anthropic",
            usage=anthropic_usage(raw.get("usage")),
            finish=txt(raw.get("stop_reason")),
            response_id=key,
            tools=self._tools,
        )
        if key in self._turns:
            self._conversation.say_more(self._turns[key], spoken, turn)
        else:
            span = self._conversation.say(spoken, turn)
            if key is not None:
                self._turns[key] = span

    def ask(self, found: Mapping[str, Any]) -> None:
        request_id = txt(found.get("request_id"))
        if request_id is not None:
            self._asked[request_id] = obj(found.get("request"))

    def answer(self, found: Mapping[str, Any]) -> None:
        response = obj(found.get("response"))
        request = self._asked.pop(txt(response.get("request_id")) or "", {})
        name, verdict, reason = _decision(request, obj(response.get("response")))
        if name is None or verdict is None:
            return
        shown = obj(request.get("input"))
        call_id = txt(first(request, "tool_use_id")) or txt(shown.get("tool_use_id"))
        tool = txt(first(request, "tool_name")) or txt(shown.get("tool_name"))
        self._conversation.guard(name, verdict, call_id=call_id, tool_name=tool, reason=reason)

    def finish(self, found: Mapping[str, Any]) -> None:
        if found.get("is_error") is True:
            self._error = txt(first(found, "result", "subtype")) or "error"


def _decision(
    request: Mapping[str, Any], answer: Mapping[str, Any]
) -> tuple[str | None, str | None, str | None]:
    """Name, verdict and reason of a hook or of a permission; no verdict for other requests."""
    kind = request.get("subtype")
    if kind == "can_use_tool":
        verdict = _VERDICTS.get(str(answer.get("behavior")))
        return "permission", verdict, txt(answer.get("message"))
    if kind != "hook_callback":
        return None, None, None
    own = obj(answer.get("hookSpecificOutput"))
    written = first(own, "permissionDecision") or answer.get("decision")
    event = txt(obj(request.get("input")).get("hook_event_name")) or "hook"
    reason = txt(first(own, "permissionDecisionReason")) or txt(answer.get("reason"))
    return event, _VERDICTS.get(str(written)), reason


_HANDLERS: Final = {
    "system": _Exchange.init,
    "user": _Exchange.hear,
    "assistant": _Exchange.say,
    "control_request": _Exchange.ask,
    "control_response": _Exchange.answer,
    "result": _Exchange.finish,
}
FORMAT: Final = Format(Container.AGENT_SDK_LOG, "a Claude Agent SDK control log", sign, read_logs)
