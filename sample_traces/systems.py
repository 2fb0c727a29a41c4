"""The systems behind the tools: how long one try takes and how it ends."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Any, Final

from pipeline.contracts import Contract
from pipeline.execution import Request, ToolError
from pipeline.vocabulary import ErrorClass
from sample_traces.clock import LoopClock
from sample_traces.draws import log_normal
from sample_traces.shop import Case, answer
from sample_traces.timeline import Slowdown, Timeline

TIMER_LATE_MS: Final = (1.0, 12.0)
"""A timer fires a little late, as real ones do."""
CACHE_AGE_MINUTES: Final = 35


@dataclass(frozen=True, slots=True)
class System:
    """How one system behaves in ordinary times."""

    host: str
    median_ms: float
    """Median of one try; log-normal around it."""
    sigma: float = 0.45
    unavailable_rate: float = 0.008
    """Share of tries answered by 503."""


SYSTEMS: Final[Mapping[str, System]] = MappingProxyType(
    {
        "query_order_status": System("orders.shop.example", 250, sigma=0.6),
        "search_orders": System("search.shop.example", 380),
        "get_user_points": System("members.shop.example", 90),
        "check_coupon": System("promo.shop.example", 140),
        "create_ticket": System("tickets.shop.example", 420, unavailable_rate=0.02),
        "query_ticket": System("tickets.shop.example", 160),
        "refund_order": System("pay.shop.example", 650, unavailable_rate=0.03),
        "inventory_check": System("stock.shop.example", 520),
        "sales_summary": System("warehouse.shop.example", 780, sigma=0.5),
        "export_orders": System("warehouse.shop.example", 1100),
    }
)


class Systems:
    """Finds the adapter of a tool, as one task meets its system.

    Args:
        timeline: What holds when.
        case: What the task is about, as the shop's books have it.
        clock: Of the task.
        draws: How long tries take and which fail.
    """

    def __init__(self, timeline: Timeline, case: Case, clock: LoopClock, draws: Random) -> None:
        self._timeline = timeline
        self._case = case
        self._clock = clock
        self._draws = draws

    def of(self, contract: Contract) -> "SystemAdapter | CacheAdapter":
        """The adapter of a tool."""
        if contract.name not in SYSTEMS:
            return CacheAdapter(self._case)
        system = self._now(contract.name)
        return SystemAdapter(system, self._case, self._clock, self._draws)

    def _now(self, tool: str) -> System:
        """The system as it behaves now."""
        usual = SYSTEMS[tool]
        for slow in self._timeline.effects(Slowdown, self._clock.now_ns):
            if slow.tool == tool:
                median_ms = usual.median_ms * slow.latency_factor
                return System(usual.host, median_ms, usual.sigma, slow.unavailable_rate)
        return usual


class SystemAdapter:
    """Asks one system; it takes its time, and some tries are answered by 503."""

    def __init__(self, system: System, case: Case, clock: LoopClock, draws: Random) -> None:
        self._system = system
        self._case = case
        self._clock = clock
        self._draws = draws
        self.about = {"server.address": system.host, "http.request.method": "POST"}

    async def __call__(self, request: Request) -> Any:
        """What the system answers.

        Raises:
            ToolError: What it refuses, in the words of the contract.
        """
        system = self._system
        needed_ms = log_normal(self._draws, system.median_ms, system.sigma)
        is_unavailable = self._draws.random() < system.unavailable_rate
        try:
            await asyncio.sleep(needed_ms / 1000)
        except asyncio.CancelledError:
            self._clock.advance_ms(self._draws.uniform(*TIMER_LATE_MS))
            raise
        if is_unavailable:
            raise ToolError(
                ErrorClass.UPSTREAM, "service unavailable", error_type="503", http_status=503
            )
        said = answer(self._case, request.contract.name, request.arguments)
        if said.result is not None:
            return said.result
        rule = request.contract.errors.get(str(said.http_status))
        raise ToolError(
            said.error_class or ErrorClass.UPSTREAM,
            f"HTTP {said.http_status}",
            error_type=str(said.http_status),
            advice=None if rule is None else rule.advice,
            http_status=said.http_status,
        )


class CacheAdapter:
    """The cache that stands in for the member system: what it said some time ago."""

    def __init__(self, case: Case) -> None:
        self._case = case

    async def __call__(self, request: Request) -> Any:
        """The cached answer."""
        cached = answer(self._case, "get_user_points", request.arguments).result or {}
        return {"status": "cached", "age_minutes": CACHE_AGE_MINUTES, **cached}
