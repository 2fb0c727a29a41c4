"""What a model is given and what it says, in the message parts of the GenAI conventions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Message: TypeAlias = dict[str, Any]
"""`{"role": ..., "parts": [...]}`."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call; None where the model does not tell."""

    input_tokens: int | None = None
    """Cached ones included."""
    output_tokens: int | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A call that the model asks for."""

    tool: str
    arguments: Any
    """An object, or whatever the model wrote in its place."""
    call_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model said in one turn."""

    text: str = ""
    requests: tuple[ToolRequest, ...] = ()
    usage: Usage = Usage()
    model: str | None = None
    """The one that answered."""
    response_id: str | None = None
    finish_reason: str | None = None

    @property
    def message(self) -> Message:
        """As a message of the assistant."""
        parts = [text_part(self.text)] if self.text else []
        return {"role": "assistant", "parts": [*parts, *map(_request_part, self.requests)]}


@dataclass(slots=True)
class Conversation:
    """The messages of one task so far."""

    conversation_id: str | None = None
    messages: list[Message] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Add what the user says."""
        self.messages.append({"role": "user", "parts": [text_part(text)]})

    def add(self, completion: Completion) -> None:
        """Add what the model said."""
        self.messages.append(completion.message)

    def show(self, shown: Iterable[tuple[str, object]]) -> None:
        """Add what the tools showed, by the id of the call."""
        parts = [
            {"type": "tool_call_response", "id": call_id, "response": response}
            for call_id, response in shown
        ]
        self.messages.append({"role": "tool", "parts": parts})


def text_part(text: str) -> dict[str, Any]:
    """A part that is text."""
    return {"type": "text", "content": text}


def _request_part(request: ToolRequest) -> Mapping[str, Any]:
    return {
        "type": "tool_call",
        "id": request.call_id,
        "name": request.tool,
        "arguments": request.arguments,
    }


def texts_of(messages: Sequence[Message]) -> str:
    """All text that users said, for looking tools up."""
    return "\n".join(
        str(part.get("content") or "")
        for message in messages
        if message["role"] == "user"
        for part in message["parts"]
    )
