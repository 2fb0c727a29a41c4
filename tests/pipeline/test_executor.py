"""The executor: never two effects, never over budget, nothing secret told; each failure with advice."""

import asyncio
import logging
import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from opentelemetry.trace import NoOpTracer

from pipeline import attributes as names
from pipeline.contracts import Contract, Danger, Fallback, Registry
from pipeline.execution import (
    ADVICE,
    Breakers,
    BreakerState,
    BudgetError,
    Call,
    CallResult,
    CircuitBreaker,
    Degrading,
    Executor,
    FunctionAdapter,
    Partial,
    Request,
    TaskBudget,
    ToolError,
    idempotency_key,
)
from pipeline.vocabulary import CallStatus, ErrorClass
from sample_traces.virtual_loop import run_virtually
from tests.contract_samples import contract
from tests.faulty_system import FaultySystem, Recorded

ORDER_NO = "202611200815"
TOOL = "query_order_status"
NO_SPANS = NoOpTracer()


def tool(**changes: Any) -> Contract:
    plain: dict[str, Any] = {"sensitive": frozenset(), "returns": None, "fallback": None}
    return contract(**{**plain, "timeout_seconds": 3.0, **changes})


def write_tool(*, is_idempotent: bool) -> Contract:
    return tool(danger=Danger.WRITE, is_idempotent=is_idempotent)


def call(step_index: int = 0, name: str = TOOL, **changes: Any) -> Call:
    return Call("task-1", step_index, name, {"order_no": ORDER_NO}, f"call_{step_index}", **changes)


def execute(
    system: Any,
    *contracts: Contract,
    recorded: Recorded | None = None,
    calls: int = 1,
    budget: dict[str, Any] | None = None,
    jitter: float = 1.0,
    **more: Any,
) -> list[tuple[CallResult, float]]:
    """The results of some calls one after the other, each with the seconds it took."""
    known = contracts or (tool(),)
    systems = system if isinstance(system, dict) else {one.name: system for one in known}

    async def main() -> list[tuple[CallResult, float]]:
        loop = asyncio.get_running_loop()
        executor = Executor(
            Registry(known),
            systems,
            tracer=NO_SPANS if recorded is None else recorded.tracer,
            jitter=lambda: jitter,
            **more,
        )
        limits = TaskBudget(loop.time(), **(budget or {"seconds": 1000, "max_calls": 100}))
        found = []
        for step in range(calls):
            start = loop.time()
            found.append((await executor.run(call(step), limits), loop.time() - start))
        return found

    return run_virtually(main())


def only(found: list[tuple[CallResult, float]]) -> CallResult:
    ((result, _),) = found
    return result


WORDS = st.lists(
    st.sampled_from(["ok", "slow", "late", "503", "500", "refused", "404"]), min_size=1, max_size=6
)


@given(WORDS, st.booleans(), st.floats(0.5, 1.5), st.floats(0.1, 3.0))
@settings(max_examples=60)
def test_one_step_never_has_two_effects_and_never_exceeds_its_budget(
    script: list[str], is_idempotent: bool, jitter: float, timeout: float
) -> None:
    system = FaultySystem(script, is_deduplicating=is_idempotent)
    write = tool(danger=Danger.WRITE, is_idempotent=is_idempotent, timeout_seconds=timeout)

    ((result, seconds),) = execute(system, write, jitter=jitter)

    assert len(system.effects) <= 1
    assert {request.idempotency_key for request in system.requests} == {
        idempotency_key("task-1", 0)
    }
    assert seconds <= 8.0 + 1e-6
    assert 1 <= len(system.requests) <= 4
    assert result.n_attempts == len(system.requests)
    is_unknown = result.error_class is ErrorClass.UNKNOWN_OUTCOME
    if not is_idempotent and not result.is_ok and system.effects:
        assert is_unknown, "it happened, and the model must not think that it did not"


@given(WORDS, st.floats(0.3, 20.0), st.integers(1, 5))
@settings(max_examples=30)
def test_a_task_never_takes_longer_than_its_budget(
    script: list[str], seconds: float, n_calls: int
) -> None:
    system = FaultySystem(script)
    spent = 0.0

    async def main() -> float:
        loop = asyncio.get_running_loop()
        executor = Executor(Registry([tool()]), {TOOL: system}, jitter=lambda: 1.0)
        budget = TaskBudget(loop.time(), seconds=seconds, max_calls=3)
        for step in range(n_calls):
            try:
                await executor.run(call(step), budget)
            except BudgetError:
                assert budget.is_spent or budget.remaining_seconds(loop.time()) == 0
        assert budget.n_calls <= 3
        return loop.time()

    spent = run_virtually(main())
    assert spent <= seconds + 1e-6


@pytest.mark.parametrize("jitter", [0.5, 1.0, 1.5])
def test_tries_wait_twice_as_long_each_time_and_end_after_three_retries(jitter: float) -> None:
    system = FaultySystem(["503"], delay_seconds=0.0)
    recorded = Recorded()

    ((result, seconds),) = execute(system, recorded=recorded, jitter=jitter)

    assert result.n_attempts == 4
    assert seconds == pytest.approx((0.5 + 1 + 2) * jitter)
    attempts = recorded.spans("attempt")
    assert [dict(span.attributes or {})[names.ATTEMPT] for span in attempts] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("word", "contract_", "error_class", "n_attempts"),
    [
        ("late", tool(), ErrorClass.TIMEOUT, 3),
        ("slow", write_tool(is_idempotent=True), ErrorClass.TIMEOUT, 3),
        ("slow", write_tool(is_idempotent=False), ErrorClass.UNKNOWN_OUTCOME, 1),
        ("500", write_tool(is_idempotent=False), ErrorClass.UNKNOWN_OUTCOME, 1),
        ("503", write_tool(is_idempotent=False), ErrorClass.UPSTREAM, 1),
        ("refused", write_tool(is_idempotent=False), ErrorClass.UPSTREAM, 1),
        ("404", tool(), ErrorClass.NOT_FOUND, 1),
    ],
)
def test_only_what_is_safe_is_tried_again(
    word: str, contract_: Contract, error_class: ErrorClass, n_attempts: int
) -> None:
    recorded = Recorded()
    result = only(execute(FaultySystem([word]), contract_, recorded=recorded))

    assert (result.status, result.error_class) == (CallStatus.ERROR, error_class)
    assert result.n_attempts == n_attempts
    assert result.text == ADVICE[error_class].zh
    (span,) = recorded.spans("execute_tool")
    told = dict(span.attributes or {})
    assert told[names.ERROR_CLASS] == error_class.value
    assert told[names.IDEMPOTENCY_KEY] == idempotency_key("task-1", 0)


def test_nothing_internal_reaches_the_model() -> None:
    for word in ("503", "refused", "crash"):
        text = only(execute(FaultySystem([word]))).text
        assert not any(part in text for part in ("Traceback", "10.0.0.7", "/srv", "Error"))


def test_the_contract_says_what_its_own_errors_ask_for() -> None:
    async def missing(request: Any) -> Any:
        raise ToolError(ErrorClass.NOT_FOUND, "E404", advice="请先用 search_orders 定位。")

    assert only(execute(missing)).text == "请先用 search_orders 定位。"
    assert set(ADVICE) == set(ErrorClass)


def test_wrong_arguments_are_told_without_a_try() -> None:
    system, recorded = FaultySystem(), Recorded()

    async def main() -> CallResult:
        executor = Executor(Registry([tool()]), {TOOL: system}, tracer=recorded.tracer)
        wrong = Call("task-1", 0, TOOL, {"order_no": "12"})
        return await executor.run(wrong, TaskBudget(0.0))

    result = run_virtually(main())
    assert result.error_class is ErrorClass.INVALID_ARGUMENT
    assert "order_no" in result.text
    assert system.requests == []
    (span,) = recorded.spans("execute_tool")
    assert dict(span.attributes or {})["error.type"] == "invalid_argument"


def test_calls_beyond_the_cap_are_refused_and_nothing_is_done() -> None:
    system = FaultySystem()
    with pytest.raises(BudgetError, match="calls: 2 is the most"):
        execute(system, calls=3, budget={"max_calls": 2})
    assert len(system.requests) == 2


SECRETS = st.text(alphabet=st.characters(categories=["L", "N"]), min_size=4, max_size=20)


@given(SECRETS, st.sampled_from(["ok", "503", "late"]))
@example("None", "503")
@settings(max_examples=20)
def test_a_sensitive_value_is_nowhere(secret: str, word: str) -> None:
    schema = {
        "type": "object",
        "properties": {"phone": {"type": "string"}, "note": {"type": "string"}},
    }
    sensitive = tool(input_schema=schema, sensitive=frozenset({"phone"}))
    echo = {"phone": secret, "owner": f"<{secret}>", secret: [secret, {"x": secret}]}
    recorded, records = Recorded(), _Records()
    logger = logging.getLogger("pipeline.execution")
    logger.addHandler(records)
    try:

        async def main() -> CallResult:
            executor = Executor(
                Registry([sensitive]),
                {TOOL: FaultySystem([word], answer=echo)},
                tracer=recorded.tracer,
            )
            arguments = {"phone": secret, "note": f"call {secret}"}
            return await executor.run(Call("t", 0, TOOL, arguments), TaskBudget(0.0))

        result = run_virtually(main())
    finally:
        logger.removeHandler(records)
    told = "\n".join([recorded.text(), result.text, str(result.value), *records.texts])
    fixed = Recorded()
    plain = only(execute(FaultySystem([word]), recorded=fixed))
    unrelated = f"{plain.text}{plain.value}{fixed.text()}"
    assert secret not in told or secret in unrelated + str(schema) + "call owner note phone x"


class _Records(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())


def test_an_answer_is_pruned_to_what_the_contract_names_and_bounded() -> None:
    returns = {
        "properties": {
            "status": {"type": "string"},
            "rows": {"type": "array", "items": {"properties": {"a": {}}}},
        }
    }
    system = FaultySystem(
        answer={"status": "ok", "request_id": "9", "rows": [{"a": n, "b": n} for n in range(60)]}
    )

    result = only(execute(system, tool(returns=returns)))

    assert result.value == {"status": "ok", "rows": [{"a": n} for n in range(50)]}
    assert "已返回前 50 条" in result.text


def test_an_answer_of_which_there_is_more_says_so() -> None:
    async def paged(request: Request) -> Partial:
        return Partial([{"n": n} for n in range(3)])

    result = only(execute(paged))

    assert result.value == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert result.note == "已返回前 3 条，需要更精确的筛选条件。"
    assert result.text.endswith(result.note)


def test_a_default_stands_in_for_a_read_and_people_take_over_after_three() -> None:
    told: list[str] = []
    reading = tool(fallback=Fallback(default={"status": "unknown"}))
    recorded = Recorded()

    found = execute(
        FaultySystem(["503"]), reading, calls=4, recorded=recorded,
        degrading=Degrading(told.append), breakers=Breakers(failures_to_open=99),
    )  # fmt: skip

    levels = [(result.status, result.degradation) for result, _ in found]
    assert levels == [(CallStatus.OK, "L1")] * 3 + [(CallStatus.ERROR, "L3")]
    assert told == [TOOL]
    assert found[0][0].value == {"status": "unknown"}
    assert found[0][0].error_class is ErrorClass.UPSTREAM
    spans = [dict(span.attributes or {}) for span in recorded.spans("execute_tool")]
    assert [span[names.DEGRADATION] for span in spans] == ["L1", "L1", "L1", "L3"]


def test_defaults_are_counted_in_a_row() -> None:
    reading = tool(fallback=Fallback(default={"status": "unknown"}))
    down = ["503"] * 4

    found = execute(
        FaultySystem([*down * 3, "ok", *down * 3]), reading, calls=7,
        degrading=Degrading(lambda _: None), breakers=Breakers(failures_to_open=99),
    )  # fmt: skip

    assert [result.degradation for result, _ in found] == ["L1"] * 3 + [None] + ["L1"] * 3


def test_a_tool_that_writes_stands_in_for_nobody() -> None:
    reading = tool(fallback=Fallback(tool="create_order"))
    writing = tool(name="create_order", danger=Danger.WRITE)
    other = FaultySystem()

    result = only(execute({TOOL: FaultySystem(["503"]), "create_order": other}, reading, writing))

    assert (result.error_class, other.requests) == (ErrorClass.UPSTREAM, [])


def test_another_tool_stands_in_within_the_budget_of_the_call() -> None:
    reading = tool(fallback=Fallback(tool="read_order_cache"))
    cache = tool(name="read_order_cache")
    systems = {TOOL: FaultySystem(["late"]), "read_order_cache": FaultySystem(answer={"status": "cached"})}  # fmt: skip

    ((result, seconds),) = execute(systems, reading, cache)

    assert (result.degradation, result.value) == ("L2", {"status": "cached"})
    assert seconds <= 8
    late = {TOOL: FaultySystem(["late"]), "read_order_cache": FaultySystem(["late"])}
    ((failed, seconds),) = execute(late, reading, cache)
    assert (failed.error_class, failed.degradation) == (ErrorClass.TIMEOUT, None)
    assert seconds <= 8 + 1e-6


def test_a_write_never_has_a_fallback() -> None:
    writing = tool(danger=Danger.WRITE, is_idempotent=True, fallback=Fallback(default={}))

    assert only(execute(FaultySystem(["503"]), writing)).status is CallStatus.ERROR


def test_the_breaker_opens_after_two_failed_calls_and_lets_one_probe_through() -> None:
    system = FaultySystem(["404", "503", "503", "503", "503", "503", "503", "503", "503", "ok"])

    async def main() -> list[Any]:
        executor = Executor(Registry([tool()]), {TOOL: system}, jitter=lambda: 1.0)
        budget = TaskBudget(0.0, seconds=1000, max_calls=100)
        found: list[Any] = []
        for step in range(4):
            result = await executor.run(call(step), budget)
            found.append((result.error_class, result.n_attempts))
        breaker = executor.breakers.of(TOOL)
        found.append(breaker.state(asyncio.get_running_loop().time()))
        await asyncio.sleep(31)
        both = await executor.run_all([call(5), call(6)], budget)
        found.append([result.n_attempts for result in both])
        found.append(breaker.n_trips)
        return found

    not_found, first, second, refused, state, probes, n_trips = run_virtually(main())
    assert not_found == (ErrorClass.NOT_FOUND, 1)
    assert first == second == (ErrorClass.UPSTREAM, 4)
    assert refused == (ErrorClass.UPSTREAM, 0)
    assert state is BreakerState.OPEN
    assert probes == [1, 0], "one probe while half open, the other waits for its outcome"
    assert n_trips == 1


def test_a_probe_that_fails_opens_the_breaker_for_its_whole_time_again() -> None:
    breaker = CircuitBreaker(failures_to_open=2, open_seconds=30)
    for _ in range(2):
        assert breaker.admits(0.0)
        breaker.failed(0.0)

    assert breaker.admits(31.0), "one probe"
    breaker.failed(32.0)

    assert breaker.state(61.9) is BreakerState.OPEN
    assert not breaker.admits(61.9)
    assert breaker.n_trips == 2
    assert breaker.admits(62.0)
    breaker.succeeded()
    assert breaker.state(62.0) is BreakerState.CLOSED
    breaker.failed(63.0)
    assert breaker.admits(63.0), "failures before it closed do not count"
    breaker.succeeded()
    breaker.failed(64.0)
    assert breaker.admits(64.0), "nor one before the last success"
    breaker.failed(64.0)
    assert breaker.state(64.0) is BreakerState.OPEN
    assert breaker.n_trips == 3


@given(st.lists(st.tuples(st.sampled_from(["ok", "bad", "gone"]), st.floats(0, 40)), max_size=30))
def test_a_breaker_admits_when_closed_and_one_at_a_time_when_half_open(
    steps: list[tuple[str, float]],
) -> None:
    breaker, now, in_flight = CircuitBreaker(), 0.0, False
    for word, wait in steps:
        now += wait
        state = breaker.state(now)
        admitted = breaker.admits(now)
        assert admitted is (state is not BreakerState.OPEN)
        if state is BreakerState.HALF_OPEN:
            assert not breaker.admits(now)
        in_flight = admitted
        if in_flight:
            {"ok": breaker.succeeded, "bad": lambda: breaker.failed(now), "gone": breaker.abandoned}[word]()  # noqa: B023  # fmt: skip


def test_parallel_calls_are_few_at_a_time_and_keep_their_order() -> None:
    system = FaultySystem()

    async def main() -> list[CallResult]:
        executor = Executor(Registry([tool()]), {TOOL: system})
        budget = TaskBudget(0.0, max_calls=20)
        return await executor.run_all([call(step) for step in range(10)], budget)

    found = run_virtually(main())
    assert [result.call.step_index for result in found] == list(range(10))
    assert system.n_most_running == 4


def test_a_cancelled_call_ends_its_spans_and_frees_the_probe() -> None:
    system, recorded = FaultySystem(["late"]), Recorded()

    async def main() -> bool:
        executor = Executor(Registry([tool()]), {TOOL: system}, tracer=recorded.tracer)
        task = asyncio.create_task(executor.run(call(), TaskBudget(0.0)))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return executor.breakers.of(TOOL).admits(1.0)

    assert run_virtually(main())
    assert [span.name for span in recorded.spans()] == ["attempt", f"execute_tool {TOOL}"]
    assert system.n_running == 0


def test_a_killed_process_may_send_the_step_again_and_the_effect_stays_one() -> None:
    system = FaultySystem(["slow", "ok"])
    writing = write_tool(is_idempotent=True)

    async def killed() -> None:
        executor = Executor(Registry([writing]), {TOOL: system})
        task = asyncio.create_task(executor.run(call(), TaskBudget(0.0)))
        await asyncio.sleep(1)  # sent, not answered
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def again() -> CallResult:
        executor = Executor(Registry([writing]), {TOOL: system})
        return await executor.run(call(), TaskBudget(0.0))

    run_virtually(killed())
    assert run_virtually(again()).is_ok
    assert len(system.requests) == 2
    assert len(system.effects) == 1


@given(st.integers(2, 4), st.lists(st.sampled_from(["ok", "slow", "500"]), min_size=1, max_size=6))
@settings(max_examples=20)
def test_a_step_that_is_delivered_several_times_at_once_has_one_effect(
    n: int, script: list[str]
) -> None:
    system, writing = FaultySystem(script), write_tool(is_idempotent=True)

    async def main() -> list[CallResult]:
        executors = [Executor(Registry([writing]), {TOOL: system}) for _ in range(n)]
        return await asyncio.gather(*(e.run(call(), TaskBudget(0.0)) for e in executors))

    run_virtually(main())
    assert len(system.effects) <= 1
    assert len({request.idempotency_key for request in system.requests}) == 1


def test_the_trace_goes_on_in_the_system_and_in_threads() -> None:
    system, recorded = FaultySystem(), Recorded()
    only(execute(system, recorded=recorded))
    (attempt,) = recorded.spans("attempt")
    assert attempt.context is not None
    trace_id, span_id = attempt.context.trace_id, attempt.context.span_id
    sent = system.requests[0].headers["traceparent"]
    assert sent.startswith(f"00-{trace_id:032x}-{span_id:016x}-")

    seen: list[int] = []

    def in_thread(order_no: str) -> dict[str, str]:
        from opentelemetry import trace

        seen.append(trace.get_current_span().get_span_context().trace_id)
        return {"order_no": order_no}

    recorded = Recorded()
    executor = Executor(Registry([tool()]), {TOOL: FunctionAdapter(in_thread)}, tracer=recorded.tracer)  # fmt: skip

    async def main() -> CallResult:
        return await executor.run(call(), TaskBudget(asyncio.get_running_loop().time()))

    assert asyncio.run(main()).value == {"order_no": ORDER_NO}
    (span,) = recorded.spans("execute_tool")
    assert span.context is not None
    assert seen == [span.context.trace_id]


def test_a_function_is_given_the_key_of_its_step_where_it_asks_for_it() -> None:
    def create(order_no: str, key: str) -> dict[str, str]:
        return {"order_no": order_no, "key": key}

    executor = Executor(Registry([tool()]), {TOOL: FunctionAdapter(create, key_parameter="key")})

    async def main() -> CallResult:
        return await executor.run(call(3), TaskBudget(asyncio.get_running_loop().time()))

    assert asyncio.run(main()).value == {"order_no": ORDER_NO, "key": idempotency_key("task-1", 3)}


def test_a_bug_in_a_function_is_a_failure_of_its_tool_and_not_of_the_task() -> None:
    async def buggy(order_no: str) -> None:
        raise KeyError(order_no)

    recorded = Recorded()
    writing = write_tool(is_idempotent=False)
    result = only(execute(FunctionAdapter(buggy), writing, recorded=recorded))

    assert result.error_class is ErrorClass.UNKNOWN_OUTCOME
    (attempt,) = recorded.spans("attempt")
    assert attempt.events[0].name == "exception"
    assert "stacktrace" not in recorded.text()


def test_jitter_is_drawn_from_half_to_one_and_a_half() -> None:
    from pipeline.execution.executor import _spread

    random.seed(1)
    drawn = [_spread() for _ in range(200)]
    assert min(drawn) >= 0.5
    assert max(drawn) <= 1.5
    assert max(drawn) - min(drawn) > 0.8


def test_whatever_an_adapter_raises_fails_its_call_and_not_the_task() -> None:
    class LostError(Exception):
        """As a client of a protocol raises its own."""

    async def lost(request: Request) -> None:
        raise LostError("10.0.0.7: secret")

    recorded = Recorded()
    result = only(execute(lost, tool(), recorded=recorded))

    assert result.error_class is ErrorClass.UPSTREAM
    assert len(recorded.spans("attempt")) == 4
    assert "10.0.0.7" not in recorded.text()
