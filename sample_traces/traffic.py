"""Who turns up when: a daily rhythm in the shop's zone, customers and staff."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from sample_traces.contracts import STAFF_CALLER
from sample_traces.draws import stream, weighted
from sample_traces.timeline import SHANGHAI, Timeline, epoch_ns

CUSTOMER_HOURS = (3, 2, 1, 1, 1, 1, 2, 4, 7, 11, 13, 11, 9, 8, 10, 11, 10, 8, 7, 9, 13, 14, 11, 6)
"""Relative traffic of each hour of the day: mornings, afternoons, and most of all evenings."""
STAFF_HOURS = (0, 0, 0, 0, 0, 0, 0, 1, 4, 10, 9, 7, 2, 4, 9, 9, 7, 5, 2, 1, 0, 0, 0, 0)
CUSTOMERS_PER_DAY = 140
STAFF_PER_WORKDAY = 24
WEEKEND_FACTOR = 1.2
"""Customers shop more at weekends; staff stay at home."""
FOLLOW_UP_RATE = 0.1
"""Share of customers who ask a second question in the same conversation."""
N_USERS = 600
CUSTOMER_CALLERS = {"app": 5.0, "wechat": 3.0, "web": 2.0}


@dataclass(frozen=True, slots=True)
class Arrival:
    """One task at the moment it reaches the agent."""

    key: str
    """Names the task's random streams and its task id; never reused."""
    time_ns: int
    caller: str
    user_id: str
    conversation_id: str


def arrivals(timeline: Timeline, seed: int) -> list[Arrival]:
    """Every task of the world, ordered by time."""
    found: list[Arrival] = []
    day = timeline.start
    while day < timeline.end:
        found.extend(_of_day(day, seed))
        day += timedelta(days=1)
    end_ns = epoch_ns(timeline.end - timedelta(minutes=5))
    return sorted((a for a in found if a.time_ns < end_ns), key=lambda a: (a.time_ns, a.key))


def _of_day(day: datetime, seed: int) -> Iterator[Arrival]:
    draws = stream(seed, "traffic", day.date())
    is_weekend = day.weekday() >= 5
    expected = CUSTOMERS_PER_DAY * (WEEKEND_FACTOR if is_weekend else 1.0)
    for number in range(round(draws.gauss(expected, expected**0.5 / 2))):
        yield from _customer(draws, day, f"{day:%m%d}-c{number:03d}")
    if not is_weekend:
        for number in range(STAFF_PER_WORKDAY):
            yield _staff(draws, day, f"{day:%m%d}-s{number:03d}")


def _customer(draws: Random, day: datetime, key: str) -> Iterator[Arrival]:
    time_ns = _moment(draws, day, CUSTOMER_HOURS)
    caller = weighted(draws, CUSTOMER_CALLERS)
    user_id = _pseudonym("user", int(N_USERS * draws.random() ** 2))
    conversation_id = f"conv-{key}"
    yield Arrival(key, time_ns, caller, user_id, conversation_id)
    if draws.random() < FOLLOW_UP_RATE:
        later_ns = time_ns + round(draws.uniform(90, 600)) * 1_000_000_000
        yield Arrival(f"{key}-2", later_ns, caller, user_id, conversation_id)


def _staff(draws: Random, day: datetime, key: str) -> Arrival:
    time_ns = _moment(draws, day, STAFF_HOURS)
    return Arrival(
        key, time_ns, STAFF_CALLER, _pseudonym("staff", draws.randrange(6)), f"conv-{key}"
    )


def _moment(draws: Random, day: datetime, hours: tuple[int, ...]) -> int:
    hour = draws.choices(range(24), hours)[0]
    start = datetime(day.year, day.month, day.day, hour, tzinfo=SHANGHAI)
    return epoch_ns(start) + round(draws.random() * 3600 * 1e6) * 1000


def _pseudonym(kind: str, number: int) -> str:
    return "u_" + hashlib.sha256(f"{kind}:{number}".encode()).hexdigest()[:8]
