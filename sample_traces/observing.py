"""What the model is shown of its tools: the library's observer on the virtual clock.

Whether a task sees noise, and in how much detail it is recorded, is the world's affair; so is what
the scripted model makes of the facts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from types import MappingProxyType
from typing import Final

from pipeline.agent import Observing, Shown
from pipeline.execution import CallResult
from pipeline.observation import (
    Context,
    EntityRef,
    Observation,
    ObservationSettings,
    ResolvedSnapshot,
)
from sample_traces.clock import LoopClock
from sample_traces.intents import Intent
from sample_traces.policy import Facts
from sample_traces.shop import Case
from sample_traces.timeline import rfc3339
from sample_traces.virtual_spans import StageTracer, VirtualTimer, VirtualTracer

LANGUAGE: Final = "zh"
SHOWN_TEMPLATE: Final = "concise"
ALL_TEMPLATES: Final = ("concise", "verbose", "debug")
PRIMARY: Final[Mapping[str, str]] = MappingProxyType(
    {
        "track_delivery": "order",
        "find_order": "order",
        "complaint": "order",
        "refund": "order",
        "coupon_and_points": "order",
        "points": "user",
    }
)
"""What the requests of each intent are about; the staff's are about no single thing."""
CONTEXT_INTENTS: Final[Mapping[str, str]] = MappingProxyType({"stock": "check_stock"})
"""Intents whose name in the dictionary is another one."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What an observation says, as the scripted model reads it."""

    facts: Facts
    clean_facts: Facts
    """What the facts would have been without noise."""
    noise_rows: Sequence[dict[str, object]]
    n_unknown: int


@dataclass(frozen=True, slots=True)
class Disturbance:
    """How a task's observations are disturbed."""

    intensity: float
    seed: int


class ShopObserver:
    """Shows one task's results to its model.

    Args:
        tracer: Where spans go.
        clock: Of the task.
        draws: How long it takes.
        noise: How results are disturbed.
        is_detailed: Whether stages are recorded, and all templates.
    """

    def __init__(
        self,
        tracer: VirtualTracer,
        clock: LoopClock,
        draws: Random,
        noise: Disturbance,
        *,
        is_detailed: bool,
    ) -> None:
        self._tracer = tracer
        self._clock = clock
        self._draws = draws
        self._noise = noise
        self._is_detailed = is_detailed

    def show(self, results: Sequence[CallResult], context: Context) -> Shown:
        """What the model reads of one turn."""
        clock, noise = self._clock, self._noise
        observing = Observing(
            settings=ObservationSettings(noise.intensity > 0, noise.intensity),
            seed=noise.seed,
            template=SHOWN_TEMPLATE,
            templates=ALL_TEMPLATES if self._is_detailed else (SHOWN_TEMPLATE,),
            language=LANGUAGE,
            tracer=StageTracer(self._tracer, clock, self._draws, is_detailed=self._is_detailed),
            timer=VirtualTimer(clock, self._draws),
            now=clock.moment,
        )
        return observing.show(results, context)


def context_of(intent: Intent, case: Case) -> Context:
    """Whom and what a task is about."""
    kind = PRIMARY.get(intent.name)
    ids = {"order": case.order_no, "user": case.user_id}
    return Context(
        intent=CONTEXT_INTENTS.get(intent.name, intent.name),
        primary=None if kind is None else EntityRef(kind, ids[kind]),
        values={"user_id": case.user_id, "target_order_id": case.order_no} if kind else {},
    )


def seen_in(observation: Observation, at_ns: int) -> Seen:
    """What an observation says."""
    rows = [asdict(record) | {"time": rfc3339(at_ns)} for record in observation.noise]
    return Seen(
        facts=_facts(observation.shown.resolved),
        clean_facts=_facts(observation.clean.resolved),
        noise_rows=[{name: row[name] for name in row if name != "time_ns"} for row in rows],
        n_unknown=observation.clean.resolved.health.n_unknown,
    )


def _facts(resolved: ResolvedSnapshot) -> Facts:
    """Each fact type's texts by entity; the empty text for what has no one value."""
    found: dict[str, dict[str, str]] = {}
    for cell in resolved.cells:
        text = dict(cell.words).get(LANGUAGE) or ("" if cell.value is None else str(cell.value))
        found.setdefault(cell.type, {})[cell.entity.id] = text
    return found
