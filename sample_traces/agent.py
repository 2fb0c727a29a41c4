"""The agent loop: one task from the user's words to the answer, as spans under one root."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context

from pipeline import attributes as names
from sample_traces import answers, chat
from sample_traces.clock import VirtualClock
from sample_traces.contracts import Catalogue, compact_json
from sample_traces.downstream import Downstream
from sample_traces.draws import log_normal, stream
from sample_traces.executor import Executor, Run, Ticket
from sample_traces.intents import draw_intent
from sample_traces.observing import NOTHING, Observer, Seen
from sample_traces.policy import Outcome, ScriptedModel, rates
from sample_traces.progress import Progress, RunRecord
from sample_traces.shop import draw_case
from sample_traces.timeline import GuardOff, ModelRollout, NewStatus, NoiseDrill, Timeline
from sample_traces.traffic import Arrival
from sample_traces.truth import new_truth

CALL_CAP = 8
"""Calls a task may make before it is stopped and reported. Source: S3 §7.3."""
MODEL_DOWN_RATE = 0.012
"""Share of tasks whose run fails because the model does not answer."""
KILLED_RATE = 0.01
"""Share of tasks whose process dies midway: the root is never ended, hence never exported."""


class Agent:
    """Runs one task.

    Args:
        arrival: The task.
        timeline: What holds when.
        tracer: Where its spans go.
        seed: Of the world; the task draws from streams of its own.
        is_detailed: Whether its observations are recorded with their stages and in all templates.
    """

    def __init__(
        self,
        arrival: Arrival,
        timeline: Timeline,
        tracer: Tracer,
        seed: int,
        *,
        is_detailed: bool = False,
    ) -> None:
        at_ns = arrival.time_ns
        self._arrival = arrival
        self._seed = seed
        self._tracer = tracer
        self._draws = self._stream("model")
        self._task_id = f"task-{arrival.key}"
        self._llm = _pick_model(timeline, at_ns, self._stream("rollout").random())
        new_statuses = timeline.effects(NewStatus, at_ns)
        case = draw_case(self._stream("case"), at_ns, arrival.user_id, new_statuses)
        self._intent = draw_intent(self._stream("intent"), case, arrival.caller)
        self._policy = ScriptedModel(
            self._intent,
            rates(timeline, at_ns, is_small_model=self._llm == chat.SMALL_MODEL),
            self._stream("policy"),
        )
        catalogue = Catalogue(timeline, at_ns)
        self._conversation = chat.Conversation(catalogue.definitions(arrival.caller))
        self._executor = Executor(
            tracer,
            Downstream(timeline, self._stream("downstream")),
            catalogue,
            case,
            self._task_id,
            arrival.caller,
            self._stream("execution"),
            frozenset(off.rule for off in timeline.effects(GuardOff, at_ns)),
        )
        self._observer = Observer(
            tracer,
            case,
            self._intent,
            self._stream("observation"),
            intensity=_noise_intensity(timeline, at_ns, self._stream("noise").random()),
            seed=seed,
            is_detailed=is_detailed,
        )

    def run(self) -> RunRecord:
        """Runs the task to its end, whatever that is."""
        clock = VirtualClock(self._arrival.time_ns)
        root = self._start_root(clock)
        trace_id = f"{root.get_span_context().trace_id:032x}"
        progress = Progress(trace_id, clock.now_ns, new_truth(self._intent.name))
        clock.advance_ms(self._draws.uniform(2, 9))
        self._conversation.say(self._intent.utterance)
        fate = self._stream("fate").random()
        if fate < MODEL_DOWN_RATE:
            self._chat_fails(progress, clock, root)
            self._end(progress, clock, root, "ModelUnavailable")
        elif self._turns(progress, clock, root, is_killed=fate > 1 - KILLED_RATE):
            self._end(progress, clock, root, _over_cap(progress))
        return progress.record()

    def _turns(
        self, progress: Progress, clock: VirtualClock, root: Span, *, is_killed: bool
    ) -> bool:
        """Turn after turn until the answer; False when the process dies on the way."""
        outcomes: Sequence[Outcome] = ()
        while _over_cap(progress) is None:
            tickets = [progress.ticket(choice) for choice in self._policy.choices(outcomes)]
            self._chat(progress, tickets, clock, root)
            if tickets and not is_killed:
                outcomes = self._call(progress, tickets, clock, root)
                clock.advance_ms(self._draws.uniform(1, 5))
            elif tickets:
                self._call(progress, tickets, clock, root)
                return False
            else:
                return not is_killed
        return True

    def _call(
        self, progress: Progress, tickets: Sequence[Ticket], clock: VirtualClock, root: Span
    ) -> list[Outcome]:
        """Runs the calls of one turn side by side, and shows the model what came of them.

        The clock stops with the slowest.
        """
        first = len(progress.past) - len(tickets)
        runs = []
        end = clock.fork()
        for ticket in tickets:
            own = clock.fork()
            runs.append(self._executor.run(ticket, own, root))
            end.catch_up(own)
        clock.catch_up(end)
        seen = self._observer.show(runs, clock, root)
        if seen is not NOTHING:
            progress.see(seen.n_unknown, seen.noise_rows)
        outcomes = [_seen_outcome(run, position, seen) for position, run in enumerate(runs)]
        for position, (ticket, run) in enumerate(zip(tickets, runs, strict=True)):
            progress.settle(first + position, run, ticket, outcomes[position])
        self._conversation.show(
            [
                (ticket, seen.texts.get(position, outcomes[position].shown))
                for position, ticket in enumerate(tickets)
            ]
        )
        return outcomes

    def _chat(
        self, progress: Progress, tickets: Sequence[Ticket], clock: VirtualClock, root: Span
    ) -> None:
        """One answered model call: asks for the calls, or says the closing words."""
        span = self._start_chat(clock, root)
        input_text = compact_json(self._conversation.messages)
        if tickets:
            output = self._conversation.ask(tickets)
        else:
            words, true_words = _closings(progress.outcomes)
            output = self._conversation.answer(words)
            progress.truth["is_misled"] = words != true_words
        usage = self._conversation.usage(output, input_text)
        progress.judge(tickets, self._policy.answer_label(), clock.now_ns)
        clock.advance_ms(
            log_normal(self._draws, chat.MEDIAN_MS[self._llm], 0.35)
            + usage.output_tokens * chat.MS_PER_TOKEN[self._llm]
        )
        response_id = progress.new_id("resp", progress.truth["llm_calls"])
        span.set_attributes(chat.response_attributes(self._llm, response_id, output, usage))
        span.end(clock.now_ns)
        clock.advance_ms(self._draws.uniform(0.5, 2))
        progress.count_usage(usage)

    def _chat_fails(self, progress: Progress, clock: VirtualClock, root: Span) -> None:
        span = self._start_chat(clock, root)
        clock.advance_ms(self._draws.uniform(9_000, 10_000))
        span.set_status(Status(StatusCode.ERROR, "model gateway: service unavailable"))
        span.set_attribute("error.type", "503")
        span.end(clock.now_ns)
        progress.truth["llm_errors"] += 1

    def _start_root(self, clock: VirtualClock) -> Span:
        return self._tracer.start_span(
            "invoke_agent shop_agent",
            context=Context(),
            kind=SpanKind.INTERNAL,
            start_time=clock.now_ns,
            attributes={
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": "shop_agent",
                "gen_ai.conversation.id": self._arrival.conversation_id,
                "user.id": self._arrival.user_id,
                names.TASK_ID: self._task_id,
                names.CALLER: self._arrival.caller,
            },
        )

    def _start_chat(self, clock: VirtualClock, root: Span) -> Span:
        attributes = chat.request_attributes(
            self._llm, self._arrival.conversation_id, self._conversation
        )
        return self._tracer.start_span(
            f"chat {self._llm}",
            context=set_span_in_context(root, Context()),
            kind=SpanKind.CLIENT,
            start_time=clock.now_ns,
            attributes=attributes,
        )

    def _end(
        self, progress: Progress, clock: VirtualClock, root: Span, error_type: str | None
    ) -> None:
        if error_type is not None:
            root.set_status(Status(StatusCode.ERROR, error_type))
            root.set_attribute("error.type", error_type)
        clock.advance_ms(self._draws.uniform(1, 6))
        root.end(clock.now_ns)
        progress.truth["is_finished"] = True
        progress.truth["run_failed"] = error_type is not None

    def _stream(self, purpose: str) -> Random:
        return stream(self._seed, self._arrival.key, purpose)


def _seen_outcome(run: Run, position: int, seen: Seen) -> Outcome:
    if position not in seen.texts:
        return run.outcome
    return replace(run.outcome, facts=seen.facts, clean_facts=seen.clean_facts)


def _closings(outcomes: Sequence[Outcome]) -> tuple[str, str]:
    """The closing words, and what they would be had there been no noise."""
    clean = [replace(outcome, facts=outcome.clean_facts) for outcome in outcomes]
    return answers.closing(outcomes), answers.closing(clean)


def _over_cap(progress: Progress) -> str | None:
    return "CallLimitExceeded" if len(progress.past) >= CALL_CAP else None


def _pick_model(timeline: Timeline, at_ns: int, draw: float) -> str:
    for rollout in timeline.effects(ModelRollout, at_ns):
        if draw < rollout.share:
            return rollout.model
    return chat.LARGE_MODEL


def _noise_intensity(timeline: Timeline, at_ns: int, draw: float) -> float:
    for drill in timeline.effects(NoiseDrill, at_ns):
        if draw < drill.share:
            return drill.intensity
    return 0.0
