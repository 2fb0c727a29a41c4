"""One call tried, and tried again where that is safe, within its budget (S3 §4)."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pipeline.contracts import Contract
from pipeline.execution import telemetry
from pipeline.execution.backoff import (
    CALL_BUDGET_SECONDS,
    MIN_ATTEMPT_SECONDS,
    backoff_seconds,
    may_retry,
)
from pipeline.execution.calls import Adapter, Call, Request
from pipeline.execution.errors import ExecutionError, ToolError
from pipeline.execution.masking import Masker
from pipeline.vocabulary import ErrorClass

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

_log = logging.getLogger("pipeline.execution")

RETRYABLE: Final = frozenset({ErrorClass.TIMEOUT, ErrorClass.UPSTREAM})
"""Classes after which another try may work; all others would only be told the same again."""
FALLBACK_SECONDS: Final = 1.0
"""Of a call's budget, kept for the tool that stands in."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How the tries of one call ended."""

    value: Any
    failure: ToolError | None
    n_attempts: int
    http_status: int | None = None


class Trier:
    """Tries one call.

    Args:
        tracer: Where the spans of the tries go.
        adapter: Asks the system.
        jitter: Draws from U(0.5, 1.5), once before each retry.
    """

    def __init__(self, tracer: "Tracer", adapter: Adapter, jitter: Callable[[], float]) -> None:
        self._tracer = tracer
        self._adapter = adapter
        self._jitter = jitter

    async def run(
        self, call: Call, contract: Contract, masker: Masker, budget_seconds: float
    ) -> Tried:
        """Until it works, the error forbids another try, or the budget is spent.

        The budget wins over the count: no try starts that could not run for its least time.
        """
        clock = asyncio.get_running_loop().time
        start, reserve = clock(), _reserve(contract)
        limit = min(CALL_BUDGET_SECONDS, budget_seconds) - reserve
        if limit < MIN_ATTEMPT_SECONDS:
            failure = ToolError(ErrorClass.TIMEOUT, "no time left", error_type="no_time")
            return Tried(None, failure, 0)
        already = CALL_BUDGET_SECONDS - limit
        attempt = 1
        while True:
            left = limit - (clock() - start)
            tried = await self._attempt(call, contract, masker, attempt, left)
            if tried.failure is None or not _is_safe(tried.failure, contract):
                return tried
            wait = backoff_seconds(attempt, self._jitter())
            if not may_retry(attempt, wait, clock() - start + already, is_idempotent=True):
                return tried
            await asyncio.sleep(wait)
            attempt += 1

    async def _attempt(
        self, call: Call, contract: Contract, masker: Masker, attempt: int, left_seconds: float
    ) -> Tried:
        about: Mapping[str, str] = getattr(self._adapter, "about", {})
        with telemetry.attempt_span(self._tracer, attempt, about) as span:
            timeout = max(0.0, min(contract.timeout_seconds, left_seconds))
            request = Request(
                contract, call.arguments, call.idempotency_key, timeout, telemetry.trace_headers()
            )
            try:
                value = await self._ask(request, span)
            except ToolError as failure:
                status = failure.http_status
                _tell_status(span, status)
                telemetry.set_attempt_failure(span, failure, masker.text(str(failure)))
                return Tried(None, failure, attempt, status)
        return Tried(value, None, attempt, 200)

    async def _ask(self, request: Request, span: "Span") -> Any:
        """One question; see `asked`."""
        with telling_cancelled(span, request.contract):
            return await asked(self._adapter, request)


async def asked(adapter: Adapter, request: Request) -> Any:
    """One question to a system, cut off in time.

    Raises:
        ToolError: No answer in time, or what the adapter says; whatever else it raises is an
            upstream error, of a system that may have done the work.
    """
    try:
        async with asyncio.timeout(request.timeout_seconds):
            return await adapter(request)
    except TimeoutError as error:
        raise ToolError(
            ErrorClass.TIMEOUT, "no answer in time", error_type="timeout", may_have_happened=True
        ) from error
    except ExecutionError:
        raise
    except Exception as error:  # an adapter's bug, or its client's own errors: never the task's end
        kind = type(error).__name__
        _log.warning("%s: %s", request.contract.name, kind)
        raise ToolError(
            ErrorClass.UPSTREAM, kind, error_type=kind, may_have_happened=True
        ) from error


@contextmanager
def telling_cancelled(span: "Span", contract: Contract) -> Iterator[None]:
    """The span says so when what is inside is cancelled: of a write nobody knows the outcome."""
    try:
        yield
    except asyncio.CancelledError:
        error_class = ErrorClass.TIMEOUT if contract.is_read else ErrorClass.UNKNOWN_OUTCOME
        telemetry.set_failure(span, "cancelled", error_class)
        raise


def _is_safe(failure: ToolError, contract: Contract) -> bool:
    """Whether another try may work, and cannot do the work twice.

    A write without idempotency is never tried again, whatever its system says (S3 §4.1).
    """
    return failure.error_class in RETRYABLE and contract.may_repeat


def _reserve(contract: Contract) -> float:
    has_stand_in = contract.fallback is not None and contract.fallback.tool is not None
    return FALLBACK_SECONDS if has_stand_in else 0.0


def _tell_status(span: "Span", status: int | None) -> None:
    if status is not None:
        span.set_attribute("http.response.status_code", status)
