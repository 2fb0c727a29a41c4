"""The executor: one call, guarded, tried and tried again, as spans.

The rules are the pipeline's own (`pipeline.execution`); only the downstream is simulated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from opentelemetry.context import Context
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, set_span_in_context
from opentelemetry.util.types import AttributeValue

from pipeline import attributes as names
from pipeline.execution import backoff_seconds, idempotency_key, may_retry
from pipeline.execution.backoff import CALL_BUDGET_SECONDS
from pipeline.vocabulary import CallStatus, ErrorClass, GuardDecision
from sample_traces import guard
from sample_traces.clock import NS_PER_SECOND, VirtualClock
from sample_traces.contracts import Catalogue, Contract, compact_json
from sample_traces.downstream import RETRYABLE, Downstream, Reply
from sample_traces.intents import Call
from sample_traces.policy import Choice, Outcome
from sample_traces.shop import Case, JsonObject, answer

ADVICE: Mapping[ErrorClass, str] = MappingProxyType(
    {
        ErrorClass.INVALID_ARGUMENT: "参数不合法：编号须完整且不带前缀，示例 202611200815。请修正参数后重试一次。",
        ErrorClass.NOT_FOUND: "该资源不存在，建议先用 search_orders 定位。",
        ErrorClass.PERMISSION: "当前操作超出授权范围，不要重试，停止并告知用户。",
        ErrorClass.AUTH: "鉴权已过期，不要重试，停止并告知用户。",
        ErrorClass.TIMEOUT: "请求超时，可稍后重试。",
        ErrorClass.TOO_LARGE: "已返回前 50 条，需要更精确的筛选条件。",
        ErrorClass.UNKNOWN_OUTCOME: "操作结果未知，不要重试，请转人工确认。",
        ErrorClass.UPSTREAM: "下游服务暂不可用，可稍后重试。",
    }
)
"""What the model reads when a call failed. Source: S3 §3.3."""
FALLBACKS: Mapping[str, JsonObject] = MappingProxyType(
    {"L1": {"status": "unknown"}, "L2": {"status": "cached", "age_minutes": 35}}
)
"""What a degraded call answers. Source: S4 §3.2."""
_EXCEPTIONS = MappingProxyType(
    {
        ErrorClass.TIMEOUT: ("TimeoutError", "no answer in time"),
        ErrorClass.UPSTREAM: ("UpstreamError", "service unavailable"),
    }
)


@dataclass(frozen=True, slots=True)
class Ticket:
    """One chosen call on its way to be run."""

    choice: Choice
    call_id: str
    step_index: int


@dataclass(frozen=True, slots=True)
class Run:
    """What became of one chosen call."""

    outcome: Outcome
    n_attempts: int
    n_evaluations: int
    n_hits: int
    span_id: str | None
    """The span of the execution; None when the guard stopped it."""
    raw: object = None
    """The body that the system answered with, or the fallback's."""
    contract_version: str | None = None
    end_ns: int = 0
    degradation: str | None = None
    """L1 or L2 when a fallback answered."""

    @property
    def is_degraded(self) -> bool:
        """Whether a fallback answered."""
        return self.degradation is not None


@dataclass(frozen=True, slots=True)
class _Tried:
    reply: Reply
    error_class: ErrorClass | None
    n_attempts: int


class Executor:
    """Runs the calls of one task."""

    def __init__(
        self,
        tracer: Tracer,
        downstream: Downstream,
        catalogue: Catalogue,
        case: Case,
        task_id: str,
        caller: str,
        draws: Random,
        rules_off: frozenset[str] = frozenset(),
    ) -> None:
        self._tracer = tracer
        self._downstream = downstream
        self._catalogue = catalogue
        self._case = case
        self._task_id = task_id
        self._caller = caller
        self._draws = draws
        self._rules_off = rules_off

    def run(self, ticket: Ticket, clock: VirtualClock, root: Span) -> Run:
        """Guards the call, runs it if nothing stops it, and moves the clock on."""
        call = ticket.choice.call
        verdicts = guard.evaluate(call, self._case, self._caller, self._draws, self._rules_off)
        for verdict in verdicts:
            self._guard_span(verdict, ticket, clock, root)
        if verdicts and verdicts[-1].decision is not GuardDecision.ALLOW:
            outcome = Outcome(ticket.choice, CallStatus.BLOCKED, guard.stop_text(verdicts[-1]))
            return Run(outcome, 0, len(verdicts), 1, None)
        return self._execute(ticket, clock, root, len(verdicts))

    def _guard_span(
        self, verdict: guard.Verdict, ticket: Ticket, clock: VirtualClock, root: Span
    ) -> None:
        attributes: dict[str, AttributeValue] = {
            names.GUARD_RULE: verdict.rule,
            names.GUARD_DECISION: verdict.decision.value,
            names.GUARD_PHASE: "tool_input",
            "gen_ai.tool.name": ticket.choice.call.tool,
            "gen_ai.tool.call.id": ticket.call_id,
        }
        if verdict.reason is not None:
            attributes[names.GUARD_REASON] = verdict.reason
        span = self._start(f"guard {verdict.rule}", root, clock, attributes)
        clock.advance_ms(self._draws.uniform(0.4, 3.0))
        span.end(clock.now_ns)

    def _execute(self, ticket: Ticket, clock: VirtualClock, root: Span, n_evaluations: int) -> Run:
        call = ticket.choice.call
        contract = self._catalogue.contract(call.tool)
        attributes = _execution_attributes(ticket, contract, self._task_id, self._caller)
        span = self._start(f"execute_tool {call.tool}", root, clock, attributes)
        clock.advance_ms(self._draws.uniform(0.3, 1.5))
        tried = self._try(contract, call, clock, span)
        clock.advance_ms(self._draws.uniform(0.2, 1.0))
        is_degraded = tried.error_class in RETRYABLE and contract.fallback is not None
        shown = _shown(tried, contract, answer(self._case, call.tool, call.arguments).result)
        span.set_attribute(
            "gen_ai.tool.call.result", shown if isinstance(shown, str) else compact_json(shown)
        )
        if is_degraded and contract.fallback is not None:
            span.set_attribute(names.DEGRADATION, contract.fallback)
        elif tried.error_class is not None:
            _fail(span, tried.reply.error_type, tried.error_class)
        span.end(clock.now_ns)
        status = CallStatus.ERROR if tried.error_class and not is_degraded else CallStatus.OK
        outcome = Outcome(ticket.choice, status, shown, tried.error_class)
        span_id = f"{span.get_span_context().span_id:016x}"
        is_shown_raw = tried.error_class is None or is_degraded
        return Run(
            outcome,
            tried.n_attempts,
            n_evaluations,
            0,
            span_id,
            raw=shown if is_shown_raw else _refusal(tried.reply),
            contract_version=contract.version,
            end_ns=clock.now_ns,
            degradation=contract.fallback if is_degraded else None,
        )

    def _try(self, contract: Contract, call: Call, clock: VirtualClock, parent: Span) -> _Tried:
        """Tries until it works, the error forbids another try, or the budget is spent."""
        start_ns = clock.now_ns
        attempt = 1
        while True:
            elapsed = (clock.now_ns - start_ns) / NS_PER_SECOND
            reply = self._attempt(
                contract, call, clock, parent, attempt, CALL_BUDGET_SECONDS - elapsed
            )
            if reply.error_class not in RETRYABLE:
                return _Tried(reply, reply.error_class, attempt)
            elapsed = (clock.now_ns - start_ns) / NS_PER_SECOND
            wait = backoff_seconds(attempt, self._draws.uniform(0.5, 1.5))
            if not may_retry(attempt, wait, elapsed, is_idempotent=contract.is_idempotent):
                error_class = reply.error_class
                if not contract.is_idempotent and error_class is ErrorClass.TIMEOUT:
                    error_class = ErrorClass.UNKNOWN_OUTCOME
                return _Tried(reply, error_class, attempt)
            clock.advance_ms(1000 * wait)
            attempt += 1

    def _attempt(
        self,
        contract: Contract,
        call: Call,
        clock: VirtualClock,
        parent: Span,
        attempt: int,
        remaining_seconds: float,
    ) -> Reply:
        attributes: dict[str, AttributeValue] = {
            names.ATTEMPT: attempt,
            "server.address": contract.host,
            "http.request.method": "POST",
        }
        span = self._start("attempt", parent, clock, attributes, SpanKind.CLIENT)
        reply = self._downstream.attempt(
            contract, call, self._case, clock.now_ns, remaining_seconds
        )
        clock.advance_ms(reply.duration_ms)
        if reply.http_status is not None:
            span.set_attribute("http.response.status_code", reply.http_status)
        if reply.error_class is not None:
            _fail_attempt(span, reply, clock.now_ns)
        span.end(clock.now_ns)
        return reply

    def _start(
        self,
        name: str,
        parent: Span,
        clock: VirtualClock,
        attributes: dict[str, AttributeValue],
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> Span:
        return self._tracer.start_span(
            name,
            context=set_span_in_context(parent, Context()),
            kind=kind,
            attributes=attributes,
            start_time=clock.now_ns,
        )


def _execution_attributes(
    ticket: Ticket, contract: Contract, task_id: str, caller: str
) -> dict[str, AttributeValue]:
    call = ticket.choice.call
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": ticket.call_id,
        "gen_ai.tool.call.arguments": compact_json(dict(call.arguments)),
        names.TASK_ID: task_id,
        names.STEP_INDEX: ticket.step_index,
        names.IDEMPOTENCY_KEY: idempotency_key(task_id, ticket.step_index),
        names.CONTRACT_VERSION: contract.version,
        names.CALLER: caller,
    }


def _shown(tried: _Tried, contract: Contract, cached: JsonObject | None) -> JsonObject | str:
    if tried.error_class is None:
        return tried.reply.result or {}
    if tried.error_class in RETRYABLE and contract.fallback is not None:
        fallback = FALLBACKS[contract.fallback]
        return {**fallback, **(cached or {})} if contract.fallback == "L2" else fallback
    return ADVICE[tried.error_class]


def _refusal(reply: Reply) -> JsonObject | None:
    """The body of a refusal; None when no answer came."""
    return None if reply.http_status is None else {"code": reply.http_status}


def _fail(span: Span, error_type: str | None, error_class: ErrorClass) -> None:
    span.set_status(Status(StatusCode.ERROR, error_class.value))
    span.set_attribute("error.type", error_type or "_OTHER")
    span.set_attribute(names.ERROR_CLASS, error_class.value)


def _fail_attempt(span: Span, reply: Reply, at_ns: int) -> None:
    error_class = reply.error_class or ErrorClass.UPSTREAM
    kind, message = _EXCEPTIONS.get(error_class, ("RequestRefused", f"HTTP {reply.http_status}"))
    _fail(span, reply.error_type, error_class)
    span.add_event("exception", {"exception.type": kind, "exception.message": message}, at_ns)
