"""The live shop: the same agent, tasks as time passes, an incident that shows in its spans."""

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from sample_traces.live import LiveShop, LiveTrace, incident, seconds_until
from sample_traces.timeline import epoch_ns

START = datetime(2027, 3, 1, 9, 0, tzinfo=UTC)


def _some(shop: LiveShop, n: int) -> list[LiveTrace]:
    return list(itertools.islice(shop.traces(START), n))


def _spans(trace: LiveTrace) -> list[dict[str, Any]]:
    return [
        span
        for resource in trace.request["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]


def test_equal_seeds_give_equal_tasks_in_the_order_of_their_start() -> None:
    one, other = (_some(LiveShop(7), 12) for _ in range(2))

    assert one == other
    assert [t.start_ns for t in one] == sorted(t.start_ns for t in one)
    assert all(t.end_ns > t.start_ns >= epoch_ns(START) for t in one)
    assert len({_spans(t)[0]["traceId"] for t in one}) == 12
    assert {span["name"].split()[0] for t in one for span in _spans(t)} >= {
        "invoke_agent", "chat", "execute_tool", "attempt", "observe", "guard",
    }  # fmt: skip


def test_the_incident_makes_the_order_system_slow_and_ends() -> None:
    conditions = incident(START)

    def is_slow(trace: LiveTrace) -> bool:
        attempts = [s for s in _spans(trace) if s["name"] == "attempt"]
        return any(
            int(s["endTimeUnixNano"]) - int(s["startTimeUnixNano"]) > 2.9e9 for s in attempts
        )

    slow = sum(map(is_slow, _some(LiveShop(7, conditions), 30)))
    usual = sum(map(is_slow, _some(LiveShop(7), 30)))
    assert slow > usual + 4
    first = conditions[0]
    assert first.holds(epoch_ns(START))
    assert not first.holds(epoch_ns(START + timedelta(minutes=6)))


def test_waiting_is_for_what_is_yet_to_come() -> None:
    assert seconds_until(2_500_000_000, 1_000_000_000) == 1.5
    assert seconds_until(1, 2) == 0
