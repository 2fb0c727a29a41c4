"""Are alerts few and right? `python -m tests.bench.alerts_bench [--seeds 3] [--traffic 1.0]`.

Two worlds. Healthy: eight weeks of a hundred hourly series in which nothing goes wrong; every alarm
is false. Shop: eight weeks at twenty times the sample's traffic in which six things go wrong; each
must be told within two windows of its figure, and nothing else may be.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from metrics.alerts import Alert, evaluate_alerts
from metrics.detect import PERSISTENCE, scan
from replay_store.database import Database
from tests.bench.alert_world import (
    HOUR_NS,
    START_HOUR,
    STORIES,
    Story,
    write_world,
)
from tests.bench.healthy_series import healthy_series

_WEEKS = 8
_AT_ONCE = frozenset({"selection_accuracy", "guard_hits"})
"""Figures that need no second window; their windows are only a measure."""
_TOOLS = 20


@dataclass(frozen=True, slots=True)
class Found:
    """What became of one story."""

    story: Story
    alert: Alert | None
    n_windows: int | None
    """Windows of its figure until it was told, from the first that lay wholly inside it."""


def healthy_alarms(seed: int) -> int:
    """False alarms in eight healthy weeks of a hundred series."""
    series = healthy_series(seed, _TOOLS, _WEEKS * 168)
    return sum(len(episodes) for episodes in scan(series).values())


def shop_alarms(seed: int, traffic: float) -> tuple[list[Found], list[Alert], float]:
    """What became of each story, the alarms that belong to none, and the seconds a look took."""
    with Database.open() as database:
        write_world(database, seed, traffic)
        started = time.process_time()
        alerts = evaluate_alerts(database).alerts
        seconds = time.process_time() - started
        found = [_found(database, story, alerts) for story in STORIES]
    return found, [alert for alert in alerts if not _is_explained(alert)], seconds


def _found(database: Database, story: Story, alerts: Sequence[Alert]) -> Found:
    told = [alert for alert in alerts if _shows(alert, story)]
    if not told:
        return Found(story, None, None)
    first = min(told, key=lambda alert: alert.fired_ns)
    if story.metric in _AT_ONCE:
        n = _n_cases(database, story, _ns(story.start), first.fired_ns)
        return Found(story, first, -(-n // story.window))
    unnoticed = _n_cases(database, story, _ns(story.start), first.since_ns)
    return Found(story, first, PERSISTENCE + unnoticed // first.n)


def _shows(alert: Alert, story: Story) -> bool:
    is_same = alert.key.metric == story.metric and alert.key.tool_name in {None, story.tool}
    return is_same and _ns(story.start) < alert.fired_ns


def _is_explained(alert: Alert) -> bool:
    """It began while one of the stories held, in what that story touches."""
    return any(
        _ns(story.start) <= alert.fired_ns
        and alert.since_ns < _ns(story.end)
        and (alert.key.metric == story.metric or alert.key.tool_name == story.tool)
        for story in STORIES
    )


_CASES = {
    "selection_accuracy": (
        "select count(*) as n from decision where tool_name = $tool and time_ns >= $a and time_ns < $b"
    ),
    "steps_per_task": "select count(*) as n from trace where start_time_ns >= $a and start_time_ns < $b",
    "unknown_share": "select sum(n_cells) as n from observation where time_ns >= $a and time_ns < $b",
}
_CALLS = (
    "select count(*) as n from tool_call where tool_name = $tool "
    "and start_time_ns >= $a and start_time_ns < $b"
)


def _n_cases(database: Database, story: Story, start_ns: int, end_ns: int) -> int:
    sql = _CASES.get(story.metric, _CALLS)
    parameters: dict[str, object] = {"a": start_ns, "b": end_ns}
    if "$tool" in sql:
        parameters["tool"] = story.tool
    row = database.row(sql, parameters)
    return int(row["n"] or 0) if row else 0


def _ns(hour: int) -> int:
    return (START_HOUR + hour) * HOUR_NS


def _lines(seeds: Sequence[int], traffic: float) -> Iterator[str]:
    yield "healthy: 8 weeks, 100 hourly series"
    yield f"{'seed':>4}  {'false alarms':>12}"
    for seed in seeds:
        yield f"{seed:>4}  {healthy_alarms(seed):>12}"
    yield ""
    yield f"shop: 8 weeks, {20 * traffic:g} times the sample's traffic"
    yield f"{'seed':>4}  {'story':<32}{'figure':<20}{'hours':>6}{'windows':>9}"
    for seed in seeds:
        found, others, seconds = shop_alarms(seed, traffic)
        for item in found:
            hours, windows = "-", "missed"
            if item.alert is not None and item.n_windows is not None:
                hours = f"{(item.alert.fired_ns - _ns(item.story.start)) / HOUR_NS:.0f}"
                windows = str(item.n_windows)
            yield f"{seed:>4}  {item.story.name:<32}{item.story.metric:<20}{hours:>6}{windows:>9}"
        named = ", ".join(alert.key.text for alert in others) or "none"
        yield f"{seed:>4}  other alarms: {named}; a look took {seconds:.1f} s"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="alerts_bench", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--traffic", type=float, default=1.0)
    options = parser.parse_args(arguments)
    seeds = range(1, options.seeds + 1)
    for line in _lines(seeds, options.traffic):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
