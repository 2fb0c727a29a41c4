"""The model of this world: a script behind the library's planner, which knows how right it is."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from opentelemetry.trace import format_trace_id, get_current_span

from pipeline.agent import Shown
from pipeline.execution import CallResult
from pipeline.planning import Completion, ModelError, ModelRequest, ToolRequest
from sample_traces import answers, chat
from sample_traces.clock import LoopClock
from sample_traces.draws import log_normal
from sample_traces.observing import seen_in
from sample_traces.policy import Choice, Outcome, ScriptedModel
from sample_traces.progress import Progress
from sample_traces.virtual_spans import VirtualTracer

DOWN_MS = (9_000, 10_000)


class KilledError(Exception):
    """The process of the run has died."""


class ShopModel:
    """Asks for the calls that its policy chooses, and answers by what it was shown.

    Args:
        name: Of the model.
        policy: Chooses.
        progress: Keeps what happens, and what an honest judge says of it.
        clock: Of the task.
        draws: How long thinking takes.
        tracer: Told when the process dies.
        is_down: Whether it does not answer at all.
        is_killed: Whether the process dies after the first turn.
    """

    provider = chat.PROVIDER

    def __init__(
        self,
        name: str,
        policy: ScriptedModel,
        progress: Progress,
        clock: LoopClock,
        draws: Random,
        tracer: VirtualTracer,
        *,
        is_down: bool,
        is_killed: bool,
    ) -> None:
        self.name = name
        self._policy = policy
        self._progress = progress
        self._clock = clock
        self._draws = draws
        self._tracer = tracer
        self._is_down = is_down
        self._is_killed = is_killed
        self._meter = chat.TokenMeter()
        self._choices: tuple[Choice, ...] = ()
        self._outcomes: list[Outcome] = []

    async def complete(self, request: ModelRequest) -> Completion:
        """One turn.

        Raises:
            ModelError: The model is down.
            KilledError: The process has died.
        """
        if self._tracer.is_dead:
            raise KilledError
        progress = self._progress
        progress.trace_id = format_trace_id(get_current_span().get_span_context().trace_id)
        if self._is_down:
            progress.truth["llm_errors"] += 1
            await asyncio.sleep(self._draws.uniform(*DOWN_MS) / 1000)
            raise ModelError("model gateway: service unavailable", "503")
        self._choices = self._policy.choices(self._outcomes)
        if self._is_killed and not self._choices:
            self._tracer.dies_after = "chat"
        completion = self._said(request)
        progress.judge(self._choices, self._policy.answer_label(), self._clock.now_ns)
        n_output = completion.usage.output_tokens or 0
        spent_ms = log_normal(self._draws, chat.MEDIAN_MS[self.name], 0.35)
        await asyncio.sleep((spent_ms + n_output * chat.MS_PER_TOKEN[self.name]) / 1000)
        response_id = progress.new_id("resp", progress.truth["llm_calls"])
        progress.count_usage(completion.usage)
        return replace(completion, response_id=response_id)

    def was_shown(self, results: Sequence[CallResult], shown: Shown) -> None:
        """What came of the calls of its last turn."""
        progress, seen = self._progress, None
        if shown.observation is not None:
            seen = seen_in(shown.observation, self._clock.now_ns)
            progress.see(seen.n_unknown, seen.noise_rows)
        self._outcomes = []
        for at, (choice, result) in enumerate(zip(self._choices, results, strict=True)):
            outcome = _outcome(choice, result)
            if seen is not None and at in shown.observed:
                outcome = replace(outcome, facts=seen.facts, clean_facts=seen.clean_facts)
            self._outcomes.append(outcome)
            progress.settle(result, outcome)
        if self._is_killed:
            self._tracer.is_dead = True
        else:
            self._clock.advance_ms(self._draws.uniform(1, 5))

    def _said(self, request: ModelRequest) -> Completion:
        if self._choices:
            requests = tuple(
                ToolRequest(
                    choice.call.tool, dict(choice.call.arguments), self._progress.ask(choice)
                )
                for choice in self._choices
            )
            asking = Completion(requests=requests)
            return replace(asking, usage=self._meter.usage(request, asking.message))
        words, true_words = _closings(self._progress.outcomes)
        self._progress.truth["is_misled"] = words != true_words
        answer = Completion(words)
        return replace(answer, usage=self._meter.usage(request, answer.message))


def _outcome(choice: Choice, result: CallResult) -> Outcome:
    shown = result.value if result.is_ok else result.text
    return Outcome(choice, result.status, shown, result.error_class)


def _closings(outcomes: Sequence[Outcome]) -> tuple[str, str]:
    """The closing words, and what they would be had there been no noise."""
    clean = [replace(outcome, facts=outcome.clean_facts) for outcome in outcomes]
    return answers.closing(outcomes), answers.closing(clean)
