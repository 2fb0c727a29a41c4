"""The world's time: when it begins and ends, and which conditions hold when.

A story is a condition: a start, an end and an effect. The scenario asks the timeline which
effects hold at a moment and knows nothing of the stories behind them, so a new story is one more
`Condition`, with a new effect class only where it does something new.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import TypeVar

from sample_traces.units import NS_PER_SECOND

SHANGHAI = timezone(timedelta(hours=8), "Asia/Shanghai")
"""The shop's zone. It has no summer time, so a fixed offset needs no zone database."""
WORLD_START = datetime(2026, 11, 13, tzinfo=SHANGHAI)
WORLD_END = datetime(2026, 11, 29, tzinfo=SHANGHAI)
"""2026-11-28T16:00:00Z: no span is later."""


@dataclass(frozen=True, slots=True)
class Slowdown:
    """A downstream answers late, and now and then not at all."""

    tool: str
    latency_factor: float
    unavailable_rate: float


@dataclass(frozen=True, slots=True)
class ContractRelease:
    """A tool's contract is published anew; what it says changes what the model confuses."""

    tool: str
    version: str
    description: str
    confusion_rate: float | None = None
    """Wrong choices where the tool is one of the two; None leaves them as they were."""
    ping_pong_rate: float | None = None
    """Of requests that leave two tools open; None leaves it as it was."""


@dataclass(frozen=True, slots=True)
class ModelRollout:
    """A share of the tasks is answered by another model."""

    model: str
    share: float


@dataclass(frozen=True, slots=True)
class NoiseDrill:
    """A share of the tasks sees observations with controlled noise in them."""

    share: float
    intensity: float


@dataclass(frozen=True, slots=True)
class GuardOff:
    """A guard rule is no longer evaluated; what it would have stopped runs."""

    rule: str


@dataclass(frozen=True, slots=True)
class NewStatus:
    """A share of the orders has a status that no dictionary knows."""

    status: str
    share: float


Effect = Slowdown | ContractRelease | ModelRollout | NoiseDrill | GuardOff | NewStatus
EffectT = TypeVar(
    "EffectT", Slowdown, ContractRelease, ModelRollout, NoiseDrill, GuardOff, NewStatus
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One effect on the world from `start` (inclusive) to `end` (exclusive)."""

    name: str
    start: datetime
    end: datetime
    effect: Effect

    def holds(self, at_ns: int) -> bool:
        """Whether the condition holds at this moment."""
        return epoch_ns(self.start) <= at_ns < epoch_ns(self.end)


CONDITIONS = (
    Condition(
        "member system restart",
        datetime(2026, 11, 14, 19, tzinfo=SHANGHAI),
        datetime(2026, 11, 14, 23, tzinfo=SHANGHAI),
        Slowdown("get_user_points", latency_factor=1.0, unavailable_rate=0.9),
    ),
    Condition(
        "small model on trial",
        datetime(2026, 11, 15, tzinfo=SHANGHAI),
        WORLD_END,
        ModelRollout("lantern-small-1", share=0.25),
    ),
    Condition(
        "contract sentence lost",
        datetime(2026, 11, 22, 10, tzinfo=SHANGHAI),
        WORLD_END,
        ContractRelease(
            tool="query_order_status",
            version="1.3.0",
            description="查询订单的状态与物流，只读。适用于用户询问订单进度。",
            confusion_rate=0.55,
        ),
    ),
    Condition(
        "tools that send for each other",
        datetime(2026, 11, 23, 9, tzinfo=SHANGHAI),
        WORLD_END,
        ContractRelease(
            tool="search_orders",
            version="1.2.0",
            description="按商品名或手机尾号搜索订单，只读。结果可能滞后：请用 query_order_status 核对，"
            "若不一致请再次搜索。",
            ping_pong_rate=0.45,
        ),
    ),
    Condition(
        "noise drill too strong",
        datetime(2026, 11, 22, 9, tzinfo=SHANGHAI),
        WORLD_END,
        NoiseDrill(share=0.5, intensity=0.8),
    ),
    Condition(
        "new order status",
        datetime(2026, 11, 24, 8, tzinfo=SHANGHAI),
        WORLD_END,
        NewStatus("refunding", share=0.15),
    ),
    Condition(
        "order system slow",
        datetime(2026, 11, 25, 9, tzinfo=SHANGHAI),
        datetime(2026, 11, 27, 18, tzinfo=SHANGHAI),
        Slowdown("query_order_status", latency_factor=24.0, unavailable_rate=0.05),
    ),
    Condition(
        "confirmation rule off",
        datetime(2026, 11, 26, 12, tzinfo=SHANGHAI),
        WORLD_END,
        GuardOff("money_confirmation"),
    ),
)
"""What happens in the recorded world, in the order of its start."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """From when to when the world runs, and what holds in it."""

    start: datetime = WORLD_START
    end: datetime = WORLD_END
    conditions: Sequence[Condition] = field(default=CONDITIONS)

    def effects(self, kind: type[EffectT], at_ns: int) -> list[EffectT]:
        """The effects of one kind that hold at this moment, in the order of the conditions."""
        return [
            condition.effect
            for condition in self.conditions
            if isinstance(condition.effect, kind) and condition.holds(at_ns)
        ]

    def condition(self, name: str) -> Condition:
        """The condition of this name; KeyError names it when there is none."""
        for condition in self.conditions:
            if condition.name == name:
                return condition
        raise KeyError(name)


def epoch_ns(moment: datetime) -> int:
    """Nanoseconds since the epoch of an aware moment, exact to the microsecond."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) * 1000


def rfc3339(at_ns: int) -> str:
    """The moment as RFC 3339 text in the shop's zone, to the second."""
    return datetime.fromtimestamp(at_ns // NS_PER_SECOND, SHANGHAI).isoformat()
