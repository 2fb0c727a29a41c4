"""One load test: so many agents at a time, for so long, against the bundled service (S3 §5.3)."""

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dashboard.loadtest.customers import CustomerModel
from dashboard.loadtest.faults import Faults
from dashboard.loadtest.rates import mean_per_second, peak_per_second
from dashboard.loadtest.service import running
from pipeline.agent import Agent, Task, TaskResult
from pipeline.contracts import Registry, read_contracts
from pipeline.execution import Breakers, Executor
from pipeline.execution.adapters import HttpAdapter, parse_adapter
from pipeline.planning import ToolCallPlanner
from pipeline.vocabulary import ErrorClass

if TYPE_CHECKING:
    import httpx
    from opentelemetry.trace import Tracer

TARGETS: Final = ("create_ticket", "query_ticket")
RAMP_SECONDS: Final = 2.0
"""Agents begin one after the other within this time: a common start would be a peak of its own."""
OPEN_SECONDS: Final = 5.0
"""How long a breaker stays open in a load test: a test of minutes sees it close again."""


@dataclass(frozen=True, slots=True)
class Load:
    """What is tried."""

    concurrency: int
    duration_seconds: float
    target: str
    faults: Faults = field(default_factory=Faults)
    has_jitter: bool = True


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What came of it. Counts of calls are those of the agents; the book is the service's own."""

    load: Load
    n_tasks: int
    n_failed: int
    """Tasks that ended without the ticket."""
    n_calls: int
    n_attempts: int
    n_retried: int
    """Calls that were tried more than once."""
    n_retried_ok: int
    n_unknown: int
    """Calls whose outcome nobody knows."""
    n_steps: int
    n_breaker_trips: int
    n_tickets: int
    n_repeats_stopped: int
    """Requests that the service knew by their key."""
    duplicates: tuple[str, ...]
    """Orders with more than one ticket: must be none."""
    arrivals: tuple[float, ...]
    """When requests reached the service, in seconds."""

    @property
    def retry_rate(self) -> float | None:
        """Retried calls of all calls that were tried; None without calls."""
        return self.n_retried / self.n_calls if self.n_calls else None

    @property
    def retry_success_rate(self) -> float | None:
        """Of the retried calls those that ended well; None without any."""
        return self.n_retried_ok / self.n_retried if self.n_retried else None

    @property
    def mean_steps(self) -> float | None:
        """Steps of a task; None without tasks."""
        return self.n_steps / self.n_tasks if self.n_tasks else None


def run_load(load: Load, tracer: "Tracer | None" = None) -> LoadResult:
    """Runs one load test in this process, its service in another."""
    with running(load.faults) as address:
        return asyncio.run(_run(load, address, tracer))


async def _run(load: Load, address: str, tracer: "Tracer | None") -> LoadResult:
    import httpx

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=load.concurrency)
    async with httpx.AsyncClient(limits=limits, trust_env=False) as client:
        breakers = Breakers(open_seconds=OPEN_SECONDS)
        executor = _executor(load, address, client, breakers, tracer)
        numbers = itertools.count(1)
        workers = (_worker(load, at, executor, numbers, tracer) for at in range(load.concurrency))
        found = [result for results in await asyncio.gather(*workers) for result in results]
        book = (await client.get(f"{address}/book", timeout=30)).json()
    return _result(load, found, breakers, book)


async def _worker(
    load: Load,
    at: int,
    executor: Executor,
    numbers: "Iterator[int]",
    tracer: "Tracer | None",
) -> list[TaskResult]:
    """Task after task until the time is up."""
    clock = asyncio.get_running_loop().time
    end, found = clock() + load.duration_seconds, []
    await asyncio.sleep(min(RAMP_SECONDS, load.duration_seconds) * at / load.concurrency)
    model = CustomerModel(load.target, load.faults.seed + at)
    agent = Agent(
        ToolCallPlanner(model, "登记工单。", tracer), executor, name="load_test", tracer=tracer
    )
    while clock() < end:
        number = next(numbers)
        words = f"收到的东西坏了，订单 {202_600_000_000 + number}"
        task = Task(f"load-{number}", words, f"caller-{at}", conversation_id=f"load-{number}")
        found.append(await agent.run(task))
    return found


def _executor(
    load: Load,
    address: str,
    client: "httpx.AsyncClient",
    breakers: Breakers,
    tracer: "Tracer | None",
) -> Executor:
    folder = Path(str(files(__package__ or __name__))) / "contracts"
    specs = {
        "create_ticket": {"url": f"{address}/tickets", "method": "POST"},
        "query_ticket": {"url": f"{address}/tickets/{{ticket_no}}"},
    }
    adapters = {
        name: HttpAdapter(parse_adapter(spec, name), client, {}) for name, spec in specs.items()
    }
    jitter = None if load.has_jitter else lambda: 1.0
    registry = Registry(read_contracts(folder).values())
    return Executor(registry, adapters, breakers=breakers, tracer=tracer, jitter=jitter)


def _result(
    load: Load, found: Sequence[TaskResult], breakers: Breakers, book: dict[str, Any]
) -> LoadResult:
    calls = [result for task in found for result in task.results]
    tried = [call for call in calls if call.n_attempts]
    retried = [call for call in tried if call.n_attempts > 1]
    return LoadResult(
        load=load,
        n_tasks=len(found),
        n_failed=sum(not task.results or not task.results[-1].is_ok for task in found),
        n_calls=len(tried),
        n_attempts=sum(call.n_attempts for call in tried),
        n_retried=len(retried),
        n_retried_ok=sum(call.is_ok for call in retried),
        n_unknown=sum(call.error_class is ErrorClass.UNKNOWN_OUTCOME for call in calls),
        n_steps=sum(len({call.call.step_index for call in task.results}) for task in found),
        n_breaker_trips=breakers.n_trips,
        n_tickets=book["n_tickets"],
        n_repeats_stopped=book["n_repeats"],
        duplicates=tuple(book["duplicates"]),
        arrivals=tuple(book["arrivals"]),
    )


def result_json(result: LoadResult) -> dict[str, Any]:
    """The figures of one test; of the arrivals only the peak."""
    load = result.load
    return {
        "has_jitter": load.has_jitter,
        "concurrency": load.concurrency,
        "duration_seconds": load.duration_seconds,
        "target": load.target,
        "n_tasks": result.n_tasks,
        "n_failed": result.n_failed,
        "n_calls": result.n_calls,
        "n_attempts": result.n_attempts,
        "retry_rate": result.retry_rate,
        "retry_success_rate": result.retry_success_rate,
        "n_unknown": result.n_unknown,
        "mean_steps": result.mean_steps,
        "n_breaker_trips": result.n_breaker_trips,
        "mean_per_second": mean_per_second(result.arrivals),
        "peak_per_second": peak_per_second(result.arrivals),
        "n_tickets": result.n_tickets,
        "n_repeats_stopped": result.n_repeats_stopped,
        "n_duplicates": len(result.duplicates),
    }
