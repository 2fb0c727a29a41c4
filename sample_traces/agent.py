"""One task of the world: the library's agent, with everything around it simulated."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from opentelemetry.trace import Tracer

from pipeline.agent import Agent, Shown, Task
from pipeline.execution import Breakers, Call, CallResult, Executor
from pipeline.guard import Confirmations, Guard
from pipeline.guard.confirmation import TOKEN_PARAMETER
from pipeline.observation import Context
from pipeline.planning import ToolCallPlanner
from sample_traces import chat
from sample_traces.clock import LoopClock
from sample_traces.contracts import registry_at, tools_of
from sample_traces.draws import stream
from sample_traces.guard import shop_rules
from sample_traces.intents import Call as WantedCall
from sample_traces.intents import Intent, draw_intent
from sample_traces.observing import Disturbance, ShopObserver, context_of
from sample_traces.policy import ScriptedModel, rates
from sample_traces.progress import Progress, RunRecord
from sample_traces.shop import draw_case
from sample_traces.shop_model import KilledError, ShopModel
from sample_traces.systems import Systems
from sample_traces.timeline import GuardOff, ModelRollout, NewStatus, NoiseDrill, Timeline
from sample_traces.traffic import Arrival
from sample_traces.truth import new_truth
from sample_traces.units import NS_PER_SECOND
from sample_traces.virtual_loop import VirtualLoop
from sample_traces.virtual_spans import VirtualTracer

CALL_CAP: Final = 8
"""Calls a task may make before it is stopped and reported. Source: S3 §7.3."""
TASK_SECONDS: Final = 600.0
NEVER: Final = 1_000_000
"""Neither breakers nor the loop guard step in here: the stories are about what happens without."""
MODEL_DOWN_RATE: Final = 0.012
"""Share of tasks whose run fails because the model does not answer."""
KILLED_RATE: Final = 0.01
"""Share of tasks whose process dies midway: the root is never ended, hence never exported."""
_SECRET: Final = b"the shop's own, and no secret at all"


class SimulatedTask:
    """Runs one task on a loop of its own, whose time is the world's.

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
        self._arrival = arrival
        self._timeline = timeline
        self._seed = seed
        self._is_detailed = is_detailed
        self._loop = VirtualLoop()
        self._clock = LoopClock(self._loop, arrival.time_ns)
        streams = {"model": self._stream("model"), "execution": self._stream("execution")}
        self._streams = streams

        def draws_of(word: str) -> Random:
            return streams["model" if word in ("invoke_agent", "chat") else "execution"]

        self._tracer = VirtualTracer(tracer, self._clock, draws_of, self._span_started)
        new_statuses = timeline.effects(NewStatus, arrival.time_ns)
        self._case = draw_case(self._stream("case"), arrival.time_ns, arrival.user_id, new_statuses)
        self._confirmations = Confirmations(
            _SECRET, lambda: self._clock.now_ns / NS_PER_SECOND, nonce=lambda: arrival.key
        )
        asked = draw_intent(self._stream("intent"), self._case, arrival.caller)
        self._intent = _confirmed(asked, self._token)
        self._progress = Progress("", arrival.time_ns, new_truth(self._intent.name))
        self._model = self._new_model()

    def run(self) -> RunRecord:
        """Runs the task to its end, whatever that is."""
        try:
            result = self._loop.run_until_complete(self._agent().run(self._task()))
        except KilledError:
            result = None
        finally:
            self._loop.close()
        if result is not None and not self._tracer.is_dead:
            self._progress.finish(result)
        return self._progress.record()

    def _task(self) -> Task:
        arrival = self._arrival
        return Task(
            f"task-{arrival.key}",
            self._intent.utterance,
            arrival.caller,
            arrival.user_id,
            arrival.conversation_id,
            context_of(self._intent, self._case),
            tools_of(arrival.caller),
        )

    def _agent(self) -> Agent:
        arrival, timeline, execution = self._arrival, self._timeline, self._streams["execution"]
        off = frozenset(rule.rule for rule in timeline.effects(GuardOff, arrival.time_ns))
        rules = shop_rules(self._case, execution, self._confirmations, off)
        executor = Executor(
            registry_at(timeline, arrival.time_ns),
            Systems(timeline, self._case, self._clock, self._stream("downstream")),
            guard=Guard(rules, self._tracer),
            breakers=Breakers(failures_to_open=NEVER),
            tracer=self._tracer,
            jitter=lambda: execution.uniform(0.5, 1.5),
            now=self._clock.moment,
        )
        return Agent(
            ToolCallPlanner(self._model, chat.INSTRUCTIONS, self._tracer),
            executor,
            _Told(self._observer(), self._model),
            name="shop_agent",
            tracer=self._tracer,
            max_calls=CALL_CAP,
            task_seconds=TASK_SECONDS,
            max_rounds=NEVER,
        )

    def _observer(self) -> ShopObserver:
        draw = self._stream("noise").random()
        intensity = _noise_intensity(self._timeline, self._arrival.time_ns, draw)
        return ShopObserver(
            self._tracer,
            self._clock,
            self._stream("observation"),
            Disturbance(intensity, self._seed),
            is_detailed=self._is_detailed,
        )

    def _new_model(self) -> ShopModel:
        at_ns = self._arrival.time_ns
        name = _pick_model(self._timeline, at_ns, self._stream("rollout").random())
        is_small = name == chat.SMALL_MODEL
        policy = ScriptedModel(
            self._intent,
            rates(self._timeline, at_ns, is_small_model=is_small),
            self._stream("policy"),
        )
        fate = self._stream("fate").random()
        return ShopModel(
            name,
            policy,
            self._progress,
            self._clock,
            self._streams["model"],
            self._tracer,
            is_down=fate < MODEL_DOWN_RATE,
            is_killed=fate > 1 - KILLED_RATE,
        )

    def _span_started(self, name: str) -> None:
        self._progress.truth["guard_evaluations"] += name.startswith("guard ")

    def _token(self, call: WantedCall) -> str:
        """What the user's confirmation gave: good for this very call."""
        arrival = self._arrival
        task_id = f"task-{arrival.key}"
        return self._confirmations.issue(
            Call(task_id, 0, call.tool, call.arguments, caller=arrival.caller)
        )

    def _stream(self, purpose: str) -> Random:
        return stream(self._seed, self._arrival.key, purpose)


class _Told:
    """Shows results to the agent's model, and lets the script know what it was shown."""

    def __init__(self, observer: ShopObserver, model: ShopModel) -> None:
        self._observer = observer
        self._model = model

    def show(self, results: Sequence[CallResult], context: Context) -> Shown:
        shown = self._observer.show(results, context)
        self._model.was_shown(results, shown)
        return shown


def _confirmed(intent: Intent, token: Callable[[WantedCall], str]) -> Intent:
    """The intent with real tokens where the user has confirmed a call."""

    def real(call: WantedCall | None) -> WantedCall | None:
        if call is None or TOKEN_PARAMETER not in call.arguments:
            return call
        return replace(call, arguments={**call.arguments, TOKEN_PARAMETER: token(call)})

    groups = tuple(
        tuple(
            replace(
                step,
                best=real(step.best) or step.best,
                alternative=real(step.alternative),
                confusable=real(step.confusable),
                broken=real(step.broken),
                narrower=real(step.narrower),
            )
            for step in group
        )
        for group in intent.groups
    )
    return replace(intent, groups=groups)


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
