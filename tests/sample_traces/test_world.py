"""The world: spans that hold together, and counts that agree with what the simulator knows."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import pairwise

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext, StatusCode

from pipeline import attributes as names
from pipeline.execution import idempotency_key
from pipeline.vocabulary import ErrorClass, GuardDecision, SelectionLabel
from sample_traces.agent import CALL_CAP
from sample_traces.timeline import WORLD_END, WORLD_START, Timeline, epoch_ns
from sample_traces.truth import TraceTruth
from sample_traces.world import World, simulate

Spans = Sequence[ReadableSpan]


def _attribute(span: ReadableSpan, name: str) -> object:
    return (span.attributes or {}).get(name)


def _context(span: ReadableSpan) -> SpanContext:
    context = span.get_span_context()
    assert context is not None
    return context


def _named(spans: Spans, prefix: str) -> list[ReadableSpan]:
    found = [span for span in spans if span.name.startswith(prefix)]
    return sorted(found, key=lambda span: (span.start_time or 0, span.end_time or 0))


def _children(spans: Spans, parent: ReadableSpan) -> list[ReadableSpan]:
    own = _context(parent).span_id
    return [span for span in spans if span.parent is not None and span.parent.span_id == own]


def _requested(spans: Spans) -> Iterator[str]:
    for span in _named(spans, "chat "):
        for message in json.loads(str(_attribute(span, "gen_ai.output.messages") or "[]")):
            for part in message["parts"]:
                if part["type"] == "tool_call":
                    yield part["name"]


def _total(spans: Spans, name: str) -> int:
    values = [_attribute(span, name) for span in spans if span.name.startswith("chat ")]
    return sum(value for value in values if isinstance(value, int))


def _is_error(span: ReadableSpan) -> bool:
    return span.status.status_code is StatusCode.ERROR


def test_span_ids_are_unique_and_spans_end_after_they_start(world: World) -> None:
    spans = [span for found in world.traces.values() for span in found]
    ids = {_context(span).span_id for span in spans}
    assert len(ids) == len(spans)
    assert all((span.end_time or 0) >= (span.start_time or 0) > 0 for span in spans)


def test_everything_happens_between_the_start_and_the_end_of_the_world(world: World) -> None:
    spans = [span for found in world.traces.values() for span in found]
    assert min(span.start_time or 0 for span in spans) >= epoch_ns(WORLD_START)
    assert max(span.end_time or 0 for span in spans) < epoch_ns(WORLD_END)


def test_only_unfinished_runs_lack_their_root(world: World) -> None:
    for trace_id, spans in world.traces.items():
        known = {_context(span).span_id for span in spans}
        orphans = [s for s in spans if s.parent is not None and s.parent.span_id not in known]
        roots = [s for s in spans if s.parent is None]
        is_finished = world.truth[trace_id]["is_finished"]
        assert len(roots) == (1 if is_finished else 0)
        assert bool(orphans) is not is_finished


def test_children_lie_within_their_parents(world: World) -> None:
    for spans in world.traces.values():
        for parent in spans:
            for child in _children(spans, parent):
                assert (child.start_time or 0) >= (parent.start_time or 0)
                assert (child.end_time or 0) <= (parent.end_time or 0)


Count = Callable[[Spans], object]
COUNTS: dict[str, Count] = {
    "llm_calls": lambda s: sum(not _is_error(x) for x in _named(s, "chat ")),
    "llm_errors": lambda s: sum(_is_error(x) for x in _named(s, "chat ")),
    "tools": lambda s: list(_requested(s)),
    "tool_errors": lambda s: sum(_is_error(x) for x in _named(s, "execute_tool ")),
    "blocked": lambda s: len(list(_requested(s))) - len(_named(s, "execute_tool ")),
    "attempts": lambda s: len(_named(s, "attempt")),
    "calls_tried_again": lambda s: sum(
        len(_children(s, x)) > 1 for x in _named(s, "execute_tool ")
    ),
    "steps": lambda s: len({_attribute(x, names.STEP_INDEX) for x in _named(s, "execute_tool ")}),
    "guard_evaluations": lambda s: len(_named(s, "guard ")),
    "guard_hits": lambda s: sum(
        _attribute(x, names.GUARD_DECISION) != "allow" for x in _named(s, "guard ")
    ),
    "degraded": lambda s: sum(_attribute(x, names.DEGRADATION) is not None for x in s),
    "input_tokens": lambda s: _total(s, "gen_ai.usage.input_tokens"),
    "output_tokens": lambda s: _total(s, "gen_ai.usage.output_tokens"),
    "cached_tokens": lambda s: _total(s, "gen_ai.usage.cache_read.input_tokens"),
    "run_failed": lambda s: next((_is_error(x) for x in s if x.parent is None), None),
}


@pytest.mark.parametrize("name", COUNTS)
def test_spans_show_what_the_simulator_counted(world: World, name: str) -> None:
    shown = {trace_id: COUNTS[name](spans) for trace_id, spans in world.traces.items()}
    assert shown == {trace_id: truth[name] for trace_id, truth in world.truth.items()}  # type: ignore[literal-required]


def test_steps_carry_the_key_derived_from_task_and_step(world: World) -> None:
    for spans in world.traces.values():
        for span in _named(spans, "execute_tool "):
            step_index = _attribute(span, names.STEP_INDEX)
            assert isinstance(step_index, int)
            key = idempotency_key(str(_attribute(span, names.TASK_ID)), step_index)
            assert _attribute(span, names.IDEMPOTENCY_KEY) == key


def test_attempts_are_numbered_from_one_and_stay_in_the_budget(world: World) -> None:
    for spans in world.traces.values():
        for call in _named(spans, "execute_tool "):
            tries = sorted(_children(spans, call), key=lambda span: span.start_time or 0)
            assert [_attribute(t, names.ATTEMPT) for t in tries] == list(range(1, len(tries) + 1))
            assert 1 <= len(tries) <= 4
            assert ((tries[-1].end_time or 0) - (tries[0].start_time or 0)) / 1e9 <= 8.02
            assert all(t.events[0].name == "exception" for t in tries if _is_error(t))


def test_writes_that_are_not_idempotent_are_tried_once(world: World) -> None:
    for spans in world.traces.values():
        for call in _named(spans, "execute_tool refund_order"):
            assert len(_children(spans, call)) == 1


def test_failed_calls_name_a_known_class_and_show_its_advice_not_its_error(world: World) -> None:
    failed = [
        span
        for spans in world.traces.values()
        for span in _named(spans, "execute_tool ")
        if _is_error(span)
    ]
    assert {_attribute(span, names.ERROR_CLASS) for span in failed} <= set(ErrorClass)
    assert len({_attribute(span, names.ERROR_CLASS) for span in failed}) >= 4
    assert not any("HTTP" in str(_attribute(s, "gen_ai.tool.call.result")) for s in failed)


def test_a_blocked_call_never_runs_and_the_model_reads_why(world: World) -> None:
    for spans in world.traces.values():
        executed = {_attribute(s, "gen_ai.tool.call.id") for s in _named(spans, "execute_tool ")}
        for span in _named(spans, "guard "):
            call_id = _attribute(span, "gen_ai.tool.call.id")
            decision = GuardDecision(str(_attribute(span, names.GUARD_DECISION)))
            if decision is GuardDecision.ALLOW:
                continue
            assert call_id not in executed
            reason = str(_attribute(span, names.GUARD_REASON))
            later = [str(_attribute(s, "gen_ai.input.messages")) for s in _named(spans, "chat ")]
            assert reason in later[-1] or not world.truth[_trace_id(spans)]["is_finished"]


def _trace_id(spans: Spans) -> str:
    return f"{_context(spans[0]).trace_id:032x}"


def test_the_model_reads_every_answer_and_the_whole_history(world: World) -> None:
    for spans in world.traces.values():
        chats = _named(spans, "chat ")
        histories = [json.loads(str(_attribute(c, "gen_ai.input.messages"))) for c in chats]
        for before, after in pairwise(histories):
            assert after[: len(before)] == before
            assert [message["role"] for message in after[len(before) :]] == ["assistant", "tool"]


def test_no_task_makes_more_calls_than_its_cap(world: World) -> None:
    longest = max(len(truth["tools"]) for truth in world.truth.values())
    assert longest == CALL_CAP


Test = Callable[[TraceTruth], bool]
ALIVE: dict[str, tuple[int, Test]] = {
    "explicit retries": (20, lambda t: t["calls_tried_again"] > 0),
    "identical retries": (2, lambda t: t["identical_retries"] > 0),
    "corrected retries": (10, lambda t: t["corrected_retries"] > 0),
    "guard hits": (20, lambda t: t["guard_hits"] > 0),
    "degraded answers": (2, lambda t: t["degraded"] > 0),
    "noise": (15, lambda t: t["noise_rows"] > 0),
    "failed runs": (5, lambda t: t["run_failed"] is True),
    "unfinished runs": (3, lambda t: not t["is_finished"]),
    "long runs": (10, lambda t: t["steps"] >= 5),
    "runs without a call": (20, lambda t: not t["tools"]),
}


@pytest.mark.parametrize("name", ALIVE)
def test_every_behaviour_occurs_often_enough_to_be_seen(world: World, name: str) -> None:
    at_least, occurs = ALIVE[name]
    assert sum(occurs(truth) for truth in world.truth.values()) >= at_least


def test_a_slow_order_system_shows_in_latency_and_retries(world: World) -> None:
    slow = Timeline().condition("order system slow")
    tries: dict[bool, list[float]] = {False: [], True: []}
    again: dict[bool, list[bool]] = {False: [], True: []}
    for spans in world.traces.values():
        for call in _named(spans, "execute_tool query_order_status"):
            children = _children(spans, call)
            is_slow = slow.holds(call.start_time or 0)
            again[is_slow].append(len(children) > 1)
            tries[is_slow] += [((c.end_time or 0) - (c.start_time or 0)) / 1e6 for c in children]
    assert min(map(len, tries.values())) > 72
    assert _p95(tries[True]) > 3 * _p95(tries[False])
    assert _share(again[True]) > 5 * _share(again[False])


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * len(values))]


def _share(values: list[bool]) -> float:
    return sum(values) / len(values)


def test_a_rule_that_is_off_is_not_evaluated_while_its_tool_runs(world: World) -> None:
    off = Timeline().condition("confirmation rule off")
    ran: Counter[bool] = Counter()
    evaluated: Counter[bool] = Counter()
    for spans in world.traces.values():
        is_off = off.holds(min(span.start_time or 0 for span in spans))
        ran[is_off] += len(_named(spans, "execute_tool refund_order"))
        evaluated[is_off] += len(_named(spans, "guard money_confirmation"))
    assert evaluated[False] > 100
    assert (evaluated[True], ran[True] > 10) == (0, True)


def test_a_new_status_comes_only_once_its_condition_holds(world: World) -> None:
    new = Timeline().condition("new order status")
    found = {
        new.holds(min(span.start_time or 0 for span in spans))
        for spans in world.traces.values()
        for span in _named(spans, "execute_tool query_order_status")
        if '"refunding"' in str(_attribute(span, "gen_ai.tool.call.result"))
    }
    assert found == {True}


def test_a_lost_contract_sentence_shows_in_the_labels(world: World) -> None:
    lost = Timeline().condition("contract sentence lost")
    wrong: Counter[bool] = Counter()
    judged: Counter[bool] = Counter()
    for row in world.label_rows:
        start = min(span.start_time or 0 for span in world.traces[str(row["trace_id"])])
        judged[lost.holds(start)] += 1
        wrong[lost.holds(start)] += row["label"] == SelectionLabel.WRONG_TOOL
    assert wrong[True] / judged[True] > 1.5 * wrong[False] / judged[False]


def test_contract_versions_change_when_the_contract_does(world: World) -> None:
    lost_ns = epoch_ns(Timeline().condition("contract sentence lost").start)
    for spans in world.traces.values():
        start = min(span.start_time or 0 for span in spans)
        for call in _named(spans, "execute_tool query_order_status"):
            version = "1.3.0" if start >= lost_ns else "1.2.0"
            assert _attribute(call, names.CONTRACT_VERSION) == version


def test_evenings_are_busier_than_nights(world: World) -> None:
    hours = Counter(
        (min(span.start_time or 0 for span in spans) // 3_600_000_000_000 + 8) % 24
        for spans in world.traces.values()
    )
    assert sum(hours[h] for h in (19, 20, 21)) > 5 * sum(hours[h] for h in (2, 3, 4))


def test_every_highlight_is_found_in_the_world(world: World) -> None:
    assert len(world.highlights) == 14
    assert set(world.highlights.values()) <= set(world.traces)


def test_a_world_without_conditions_has_no_highlight_of_theirs() -> None:
    day = WORLD_START + timedelta(days=1)
    quiet = simulate(timeline=Timeline(start=WORLD_START, end=day, conditions=()))
    assert 120 < len(quiet.traces) < 260
    assert "slow order system" not in quiet.highlights
    assert not quiet.noise_rows
    assert "parallel calls" in quiet.highlights


def test_a_shorter_world_tells_the_same_days_alike(world: World) -> None:
    short = simulate(timeline=Timeline(end=WORLD_START + timedelta(days=1)))
    for trace_id, truth in short.truth.items():
        assert world.truth[trace_id] == truth
