"""What the model is shown of its tools: the real pipeline, run between the tools and the model.

Outputs of tools that the dictionary knows go through `pipeline.observation.observe`, all of one
turn together; everything else (other tools, calls the guard stopped) is shown as it came.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from random import Random
from types import MappingProxyType

from opentelemetry.trace import Span, Tracer

from pipeline.observation import (
    Context,
    EntityRef,
    Observation,
    PromptKey,
    ResolvedSnapshot,
    RuleSet,
    ToolOutput,
    observe,
    package_rules,
)
from sample_traces.clock import NS_PER_SECOND, VirtualClock
from sample_traces.executor import Run
from sample_traces.intents import Intent
from sample_traces.policy import Facts
from sample_traces.shop import Case
from sample_traces.timeline import SHANGHAI, rfc3339
from sample_traces.virtual_spans import VirtualTimer, VirtualTracer

LANGUAGE = "zh"
SHOWN_TEMPLATE = "concise"
ALL_TEMPLATES = ("concise", "verbose", "debug")
MERGED = "（结果已并入本轮第一条观察）"
"""What stands at the later calls of a turn: the turn's outputs are one observation."""
PRIMARY: Mapping[str, str] = MappingProxyType(
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
CONTEXT_INTENTS: Mapping[str, str] = MappingProxyType({"stock": "check_stock"})
"""Intents whose name in the dictionary is another one."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one turn's outputs looked like to the model."""

    texts: Mapping[int, str]
    """By position in the turn; a call that is missing was shown as it came."""
    facts: Facts
    clean_facts: Facts
    """What the facts would have been without noise."""
    noise_rows: Sequence[dict[str, object]]
    n_unknown: int


NOTHING = Seen(MappingProxyType({}), MappingProxyType({}), MappingProxyType({}), (), 0)


class Observer:
    """Shows one task's outputs to its model."""

    def __init__(
        self,
        tracer: Tracer,
        case: Case,
        intent: Intent,
        draws: Random,
        *,
        intensity: float,
        seed: int,
        is_detailed: bool,
    ) -> None:
        self._tracer = tracer
        self._case = case
        self._intent = intent
        self._draws = draws
        self._intensity = intensity
        self._seed = seed
        self._is_detailed = is_detailed
        self._rules = package_rules()

    def show(self, runs: Sequence[Run], clock: VirtualClock, root: Span) -> Seen:
        """One observation of a turn's outputs, in a span of its own; `NOTHING` without any."""
        outputs = {
            position: output
            for position, run in enumerate(runs)
            if (output := self._output(run)) is not None
        }
        if not outputs:
            return NOTHING
        tracer = VirtualTracer(
            self._tracer, clock, root, self._draws, is_detailed=self._is_detailed
        )
        observation = observe(
            list(outputs.values()),
            self._context(clock),
            rules=self._rules,
            cni_enabled=self._intensity > 0,
            cni_intensity=self._intensity,
            seed=self._seed,
            templates=ALL_TEMPLATES if self._is_detailed else (SHOWN_TEMPLATE,),
            languages=(LANGUAGE,),
            tracer=tracer,
            timer=VirtualTimer(clock, self._draws),
        )
        return _seen(observation, list(outputs), clock.now_ns)

    def _output(self, run: Run) -> ToolOutput | None:
        if run.span_id is None or not _is_read(self._rules, run.outcome.choice.call.tool):
            return None
        error_class = None if run.is_degraded else run.outcome.error_class
        return ToolOutput(
            tool=run.outcome.choice.call.tool,
            version=run.contract_version,
            received_at=_moment(run.end_ns),
            body=run.raw,
            error=error_class,
            degradation=run.degradation,
        )

    def _context(self, clock: VirtualClock) -> Context:
        case = self._case
        kind = PRIMARY.get(self._intent.name)
        ids = {"order": case.order_no, "user": case.user_id}
        return Context(
            query_time=_moment(clock.now_ns),
            intent=CONTEXT_INTENTS.get(self._intent.name, self._intent.name),
            primary=None if kind is None else EntityRef(kind, ids[kind]),
            values={"user_id": case.user_id, "target_order_id": case.order_no} if kind else {},
        )


def _is_read(rules: RuleSet, tool: str) -> bool:
    return bool(rules.for_tool(tool))


def _moment(at_ns: int) -> datetime:
    """To the second, which is what a tool's answer is stamped with."""
    return datetime.fromtimestamp(at_ns // NS_PER_SECOND, SHANGHAI)


def _seen(observation: Observation, positions: Sequence[int], at_ns: int) -> Seen:
    key = PromptKey(SHOWN_TEMPLATE, LANGUAGE, observation.shown.name)
    first, *others = positions
    rows = [asdict(record) | {"time": rfc3339(at_ns)} for record in observation.noise]
    return Seen(
        texts={first: observation.prompts[key].text, **dict.fromkeys(others, MERGED)},
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
