"""A model that says what a script says, for tests of agents."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.planning import Completion, ModelError, ModelRequest, ToolRequest, Usage

Line = Completion | ModelError | Callable[[ModelRequest], Completion]


@dataclass
class ScriptedModel:
    """Says its lines one after the other, and keeps what it was asked."""

    lines: Sequence[Line]
    name: str = "scripted-1"
    provider: str = "tests"
    asked: list[ModelRequest] = field(default_factory=list)

    async def complete(self, request: ModelRequest) -> Completion:
        kept = ModelRequest(
            request.instructions, [*request.messages], request.tools, request.conversation_id
        )
        self.asked.append(kept)
        line = self.lines[min(len(self.asked), len(self.lines)) - 1]
        if isinstance(line, ModelError):
            raise line
        return line if isinstance(line, Completion) else line(request)


def calls(*wanted: tuple[str, dict[str, Any]], turn: int = 0) -> Completion:
    """A turn that asks for calls."""
    requests = tuple(
        ToolRequest(tool, arguments, f"call_{turn}_{at}")
        for at, (tool, arguments) in enumerate(wanted)
    )
    return Completion(requests=requests, usage=Usage(100, 20), response_id=f"resp_{turn}")


def says(text: str) -> Completion:
    """A turn that answers, or writes a plan."""
    return Completion(text, usage=Usage(120, 30))
