"""The agents of a load test: each task has a ticket made and looks at it once."""

import random
from collections.abc import Sequence
from typing import Any, Final

from pipeline.planning import Completion, ModelRequest, ToolRequest

THINKING_SECONDS: Final = (0.1, 0.4)
"""What a turn of the model takes."""
MAX_REPEATS: Final = 2
_KINDS: Final = ("damaged", "missing", "late", "other")


class CustomerModel:
    """Stands for the model: asks for a ticket, asks again a few times when told to, looks, answers.

    Args:
        target: Tool that is called; `create_ticket` is followed by a look at the ticket.
        seed: Of the thinking times.
    """

    name = "scripted-customer"
    provider = "toolsight"

    def __init__(self, target: str, seed: int) -> None:
        self._target = target
        self._draws = random.Random(seed)  # noqa: S311  repeatable on purpose

    async def complete(self, request: ModelRequest) -> Completion:
        """The next turn, by what was said so far."""
        import asyncio

        await asyncio.sleep(self._draws.uniform(*THINKING_SECONDS))
        asked = _asked(request.messages)
        if not asked:
            return self._ask(request, self._target, _first_arguments(self._target, request), 0)
        answer = _answer(request.messages[-1])
        tool, arguments = asked[-1]
        if answer is None:
            n_repeats = sum(item == asked[-1] for item in asked) - 1
            if n_repeats >= MAX_REPEATS or not _may_repeat(request.messages[-1]):
                return Completion("抱歉，暂时没有办成。")
            return self._ask(request, tool, arguments, len(asked))
        if tool == "create_ticket":
            number = {"ticket_no": answer.get("ticket_no")}
            return self._ask(request, "query_ticket", number, len(asked))
        return Completion(f"工单 {answer.get('ticket_no')} 正在处理。")

    def _ask(
        self, request: ModelRequest, tool: str, arguments: dict[str, Any], at: int
    ) -> Completion:
        call_id = f"call_{request.conversation_id}_{at}"
        return Completion(requests=(ToolRequest(tool, arguments, call_id),))


def _first_arguments(target: str, request: ModelRequest) -> dict[str, Any]:
    """By the order number that the user's words end with."""
    words = request.messages[0]["parts"][0]["content"]
    order_no = words[-12:]
    if target == "query_ticket":
        return {"ticket_no": f"T{order_no[-6:]}"}
    return {"order_no": order_no, "kind": _KINDS[int(order_no) % len(_KINDS)]}


def _asked(messages: Sequence[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    return [
        (part["name"], part["arguments"])
        for message in messages
        for part in message["parts"]
        if part["type"] == "tool_call"
    ]


def _answer(message: dict[str, Any]) -> dict[str, Any] | None:
    """What a tool answered; None for advice after a failure."""
    found = message["parts"][0]["response"]
    return found if isinstance(found, dict) else None


def _may_repeat(message: dict[str, Any]) -> bool:
    return "可稍后" in str(message["parts"][0]["response"])
