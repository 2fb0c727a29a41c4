"""The executor: one call, checked, guarded, tried, and told (S3 §2.1, §4; S4 §2.2, §3.2)."""

import asyncio
import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

from pipeline.contracts import Contract, Registry, problems_text
from pipeline.execution import telemetry
from pipeline.execution.breaker import Breakers
from pipeline.execution.budget import TaskBudget
from pipeline.execution.calls import Adapter, Call, CallResult
from pipeline.execution.degrading import Degrading, StandIn
from pipeline.execution.errors import BudgetError, ToolError
from pipeline.execution.masking import Masker
from pipeline.execution.repeats import UnknownWrites
from pipeline.execution.results import Results, refused
from pipeline.execution.trying import (
    FALLBACK_SECONDS,
    RETRYABLE,
    Tried,
    Trier,
    telling_cancelled,
)
from pipeline.vocabulary import ErrorClass

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

MAX_PARALLEL: Final = 4
"""Calls of one task at a time. Source: S3 §4.3 (3 to 5)."""
_log = logging.getLogger("pipeline.execution")


class Guarding(Protocol):
    """Decides whether a call may run (`pipeline.guard`)."""

    async def stop(self, call: Call, contract: Contract, masker: Masker) -> CallResult | None:
        """What the model reads in place of a result; None when nothing stops the call."""
        ...


class Adapters(Protocol):
    """Finds the adapter of a tool."""

    def of(self, contract: Contract) -> Adapter | None:
        """None when there is none."""
        ...


class MappedAdapters:
    """Adapters by the tool's name."""

    def __init__(self, adapters: Mapping[str, Adapter]) -> None:
        self._adapters = adapters

    def of(self, contract: Contract) -> Adapter | None:
        """By the contract's adapter name, else by the tool's."""
        return self._adapters.get(contract.adapter or contract.name)


class Executor:
    """Executes calls; one for a whole process.

    Args:
        registry: The contracts in force.
        adapters: What asks the systems, by tool, or whatever finds it.
        guard: Stops what may not run; None stops nothing.
        breakers: Shared by all calls; None for breakers of its own.
        degrading: Decides when a fallback answers; None for one of its own.
        tracer: Where spans go; the global provider's when None.
        jitter: Draws from U(0.5, 1.5).
        language: Of what the model reads, `zh` or `en`.
        now: The time of day, with its zone.
    """

    def __init__(
        self,
        registry: Registry,
        adapters: Mapping[str, Adapter] | Adapters,
        *,
        guard: Guarding | None = None,
        breakers: Breakers | None = None,
        degrading: Degrading | None = None,
        tracer: "Tracer | None" = None,
        jitter: Callable[[], float] | None = None,
        language: str = "zh",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._time_of_day = now
        self.registry = registry
        self._adapters = MappedAdapters(adapters) if isinstance(adapters, Mapping) else adapters
        self._guard = guard
        self.breakers = breakers or Breakers()
        self._degrading = degrading or Degrading()
        self._tracer = tracer or telemetry.default_tracer()
        self._jitter = jitter or _spread
        self._unknown = UnknownWrites()
        self._language = language

    async def run(self, call: Call, budget: TaskBudget) -> CallResult:
        """Executes one call.

        Raises:
            BudgetError: The task may make no further call; nothing was done.
        """
        budget.take_call(_now())
        contract = self.registry.get(call.tool)
        problems = self.registry.check(call.tool, call.arguments, self._language)
        if contract is None or problems:
            result = refused(self._tracer, call, contract, problems_text(problems))
            self._logged(result)
            return result
        masker = Masker(contract, call.arguments)
        if self._guard is not None and not self._unknown.has(call):
            stopped = await self._guard.stop(call, contract, masker)
            if stopped is not None:
                return stopped
        return await self._execute(call, contract, masker, budget)

    async def run_all(self, calls: Sequence[Call], budget: TaskBudget) -> list[CallResult]:
        """Executes calls that do not depend on each other, a few at a time; results in their order.

        Raises:
            BudgetError: The task may not make that many; then none is made. Or its time was up
                before all were made: then the results of the others are told.
        """
        budget.require(len(calls))
        gate = asyncio.Semaphore(MAX_PARALLEL)

        async def gated(call: Call) -> CallResult | BudgetError:
            async with gate:
                try:
                    return await self.run(call, budget)
                except BudgetError as error:  # kept, so that calls on their way are not cut off
                    return error

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(gated(call)) for call in calls]
        found = [task.result() for task in tasks]
        made = [result for result in found if isinstance(result, CallResult)]
        for refused_ in found:
            if isinstance(refused_, BudgetError):
                raise BudgetError(str(refused_), made)
        return made

    async def _execute(
        self, call: Call, contract: Contract, masker: Masker, budget: TaskBudget
    ) -> CallResult:
        arguments = masker.arguments(call.arguments)
        version = contract.version
        with (
            telemetry.execution_span(self._tracer, call, arguments, version) as span,
            telling_cancelled(span, contract),
        ):
            tried = await self._tried(call, contract, masker, budget)
            left = min(FALLBACK_SECONDS, budget.remaining_seconds(_now()))
            stand_in = await self._stand_in(call, contract, tried, left)
            results = Results(call, contract, masker, self._language, telemetry.span_id_of(span))
            result = results.of(tried, stand_in)
            result = replace(result, end_time=self._time_of_day())
            if result.error_class is ErrorClass.UNKNOWN_OUTCOME and not contract.may_repeat:
                self._unknown.add(call)
            telemetry.set_result(span, result.text, result.degradation)
            if not result.is_ok and result.error_class is not None and tried.failure is not None:
                telemetry.set_failure(span, tried.failure.error_type, result.error_class)
        self._logged(result)
        return result

    async def _tried(
        self, call: Call, contract: Contract, masker: Masker, budget: TaskBudget
    ) -> Tried:
        """The tries of a call, unless its breaker is open, or it may have happened already."""
        if self._unknown.has(call):
            failure = ToolError(ErrorClass.UNKNOWN_OUTCOME, "sent before", error_type="repeated")
            return Tried(None, failure, 0)
        adapter, breaker = self._adapters.of(contract), self.breakers.of(contract.name)
        if adapter is None:
            failure = ToolError(ErrorClass.UPSTREAM, "no adapter", error_type="no_adapter")
            return Tried(None, failure, 0)
        if not breaker.admits(_now()):
            failure = ToolError(ErrorClass.UPSTREAM, "breaker open", error_type="circuit_open")
            return Tried(None, failure, 0)
        trier = Trier(self._tracer, adapter, self._jitter)
        try:
            left = budget.remaining_seconds(_now())
            tried = await trier.run(call, contract, masker, left)
        except BaseException:
            breaker.abandoned()
            if not contract.may_repeat:
                self._unknown.add(call)
            raise
        if not tried.n_attempts:
            breaker.abandoned()
        elif tried.failure is not None and tried.failure.error_class in RETRYABLE:
            breaker.failed(_now())
        else:
            breaker.succeeded()
        return tried

    async def _stand_in(
        self, call: Call, contract: Contract, tried: Tried, left_seconds: float
    ) -> StandIn | None:
        if tried.failure is None:
            self._degrading.answered(contract)
            return None
        if tried.failure.error_class not in RETRYABLE:
            return None
        other = contract.fallback.tool if contract.fallback is not None else None
        stand_in = None if other is None else self.registry.get(other)
        adapter = None if stand_in is None else self._adapters.of(stand_in)
        return await self._degrading.stand_in(
            call, contract, stand_in, adapter, tried, left_seconds
        )

    def _logged(self, result: CallResult) -> None:
        _log.info(
            "call %s step %d of %s: %s %s after %d attempts",
            result.call.tool,
            result.call.step_index,
            result.call.task_id,
            result.status.value,
            result.error_class or "",
            result.n_attempts,
        )


def _now() -> float:
    return asyncio.get_running_loop().time()


def _spread() -> float:
    return random.uniform(0.5, 1.5)  # noqa: S311  no secret
