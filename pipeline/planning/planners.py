"""Planners: from what a task has seen so far to the next steps, or the answer.

`ToolCallPlanner` lets the model ask by native tool calls; `JsonPlanner` has it write a plan as JSON,
with the top tools in the prompt and two tries at the format (S4 §3.1, §4.2).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from pipeline.contracts import Contract, Registry
from pipeline.execution import arguments_hash
from pipeline.planning.conversation import (
    Completion,
    Conversation,
    Message,
    ToolRequest,
    text_part,
    texts_of,
)
from pipeline.planning.errors import PlanError
from pipeline.planning.model import Model, ModelRequest, ask, default_tracer, definitions_of
from pipeline.planning.plan import Plan, Step, parse_plan
from pipeline.planning.prompts import format_reminder, planner_prompt
from pipeline.planning.retrieval import Retriever

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

FORMAT_RETRIES: Final = 2


@dataclass(frozen=True, slots=True)
class PastStep:
    """A step that was taken, as later plans are told of it (S4 §5.1)."""

    tool: str
    step_index: int
    status: str
    """`ok`, `error` or `blocked`."""

    @property
    def label(self) -> str:
        """Such as `sales_summary_step1`."""
        return f"{self.tool}_step{self.step_index + 1}"


@dataclass(frozen=True, slots=True)
class Situation:
    """What a planner is given."""

    conversation: Conversation
    offered: Sequence[Contract]
    past: Sequence[PastStep] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """What a planner decided."""

    completion: Completion
    is_parallel: bool
    """Whether the calls asked for do not depend on each other."""

    @property
    def requests(self) -> tuple[ToolRequest, ...]:
        """The calls; empty when the answer is there."""
        return self.completion.requests


class Planner(Protocol):
    """Decides what to do next; any object with this method will do."""

    def plan(self, situation: Situation) -> Awaitable[Turn]:
        """The next calls, or the answer.

        Raises:
            PlanningError: Neither.
        """
        ...


class ToolCallPlanner:
    """The model asks by native tool calls; those of one turn are independent.

    Args:
        model: Answers.
        instructions: The system's words.
        tracer: Where `chat` spans go; the global provider's when None.
    """

    def __init__(self, model: Model, instructions: str, tracer: "Tracer | None" = None) -> None:
        self._model = model
        self._instructions = instructions
        self._tracer = tracer or default_tracer()

    async def plan(self, situation: Situation) -> Turn:
        """See `Planner`.

        Raises:
            ModelError: The model did not answer.
        """
        request = ModelRequest(
            self._instructions,
            situation.conversation.messages,
            situation.offered,
            situation.conversation.conversation_id,
            definitions_of(situation.offered),
        )
        completion = await ask(self._model, request, self._tracer, contracts=situation.offered)
        return Turn(completion, is_parallel=True)


class JsonPlanner:
    """The model writes a plan; once nothing is left to do, it is asked for the answer.

    Args:
        model: Writes.
        registry: Where tools are looked up, as it is at that moment.
        language: Of prompts and sentences, `zh` or `en`.
        retriever: Finds the tools that a prompt tells of.
        tracer: Where `chat` spans go; the global provider's when None.
    """

    def __init__(
        self,
        model: Model,
        registry: Registry,
        *,
        language: str = "zh",
        retriever: Retriever | None = None,
        tracer: "Tracer | None" = None,
    ) -> None:
        self._model = model
        self._language = language
        self._retriever = retriever or Retriever(registry)
        self._tracer = tracer or default_tracer()

    async def plan(self, situation: Situation) -> Turn:
        """See `Planner`.

        Raises:
            ModelError: The model did not answer.
            PlanError: It wrote no plan in three tries.
        """
        allowed = {contract.name for contract in situation.offered}
        tools = self._retriever.top(texts_of(situation.conversation.messages), among=allowed)
        reading = _Reading(situation, tools, self._language)
        completion = await self._written(situation, reading)
        if reading.plan.is_done:
            completion = await self._answer(situation)
        return Turn(completion, is_parallel=False)

    async def _written(self, situation: Situation, reading: "_Reading") -> Completion:
        """A plan, with two more tries in which the model is told what was wrong."""
        history = [step.label for step in situation.past]
        prompt = planner_prompt(reading.tools, history, self._language)
        messages = list(situation.conversation.messages)
        for _ in range(FORMAT_RETRIES):
            try:
                return await self._asked(situation, prompt, messages, reading.read)
            except PlanError as error:
                reminder = format_reminder(error.problems, self._language)
                wrote = Completion(text=reading.text).message
                messages += [wrote, {"role": "user", "parts": [text_part(reminder)]}]
        return await self._asked(situation, prompt, messages, reading.read)

    async def _answer(self, situation: Situation) -> Completion:
        words = "只依据以上工具返回的事实，简短回答用户。"
        if self._language != "zh":
            words = "Answer the user briefly, by the facts that the tools gave and nothing else."
        return await self._asked(situation, words, situation.conversation.messages)

    async def _asked(
        self,
        situation: Situation,
        instructions: str,
        messages: Sequence[Message],
        read: Callable[[Completion], Completion] | None = None,
    ) -> Completion:
        conversation_id = situation.conversation.conversation_id
        request = ModelRequest(instructions, messages, (), conversation_id)
        return await ask(self._model, request, self._tracer, read, situation.offered)


class _Reading:
    """Reads a plan out of what a model wrote, and keeps both."""

    def __init__(self, situation: Situation, tools: Sequence[Contract], language: str) -> None:
        self.tools = tools
        self.text = ""
        self.plan = Plan(())
        self._situation = situation
        self._language = language

    def read(self, completion: Completion) -> Completion:
        """The completion with the planned calls, or with the reason why there is none.

        Raises:
            PlanError: It is no plan.
        """
        self.text = completion.text
        self.plan = parse_plan(completion.text, self.tools, self._language)
        if self.plan.unavailable is not None:
            return replace(completion, text=self.plan.unavailable)
        return replace(completion, requests=requests_of(self._situation, self.plan.steps))


def requests_of(situation: Situation, steps: Sequence[Step]) -> tuple[ToolRequest, ...]:
    """The steps as calls; the same plan at the same place gives the same ids."""
    return tuple(
        ToolRequest(
            step.tool,
            dict(step.params),
            f"call_{at}_{arguments_hash(step.tool, step.params)[:8]}",
            step.reason,
        )
        for at, step in enumerate(steps, len(situation.past))
    )
