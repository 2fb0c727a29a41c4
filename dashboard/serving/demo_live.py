"""A demo that goes on: the shop's agent sends its traces to the receiver as they end."""

import heapq
import itertools
import logging
import threading
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sample_traces.live import LiveTrace

__all__ = ["HEALTHY", "LiveDemo"]

HEALTHY: Final = timedelta(minutes=90)
"""Of quiet traffic that lies before the demo, so that there is something to compare with."""
QUIET_SECONDS: Final = 20.0
"""Between two tasks of that time."""
BATCH: Final = 60
"""Tasks of the quiet time that are sent at once."""
N_AHEAD: Final = 40
"""Tasks made before the first is sent: more than may run side by side."""
INCIDENT_AFTER: Final = timedelta(minutes=1)
SEED: Final = 20261201
_TIMEOUT_SECONDS: Final = 10.0
_log = logging.getLogger(__name__)


class LiveDemo:
    """Sends tasks until it is told to stop.

    Args:
        address: Of the receiver, such as `http://127.0.0.1:4318`.
        now: The time of day.
        wait: Waits so many seconds, and says whether to stop.
        healthy: How much quiet traffic is sent first.
    """

    def __init__(
        self,
        address: str,
        now: Callable[[], datetime],
        wait: Callable[[float], bool],
        healthy: timedelta = HEALTHY,
    ) -> None:
        self._address = address.rstrip("/")
        self._now = now
        self._wait = wait
        self._healthy = healthy

    @classmethod
    def started(cls, address: str, stop: threading.Event) -> threading.Thread:
        """A thread that sends until `stop` is set."""
        demo = cls(address, lambda: datetime.now(UTC), stop.wait)
        thread = threading.Thread(target=demo.run, name="live demo", daemon=True)
        thread.start()
        return thread

    def run(self) -> None:
        """Send the quiet time before, then task after task as they end."""
        from sample_traces.live import LiveShop, incident, seconds_until

        begin = self._now()
        before = LiveShop(SEED).traces(begin - self._healthy, QUIET_SECONDS)
        past = itertools.takewhile(lambda trace: trace.end_ns < _ns(begin), before)
        while batch := list(itertools.islice(past, BATCH)):
            if self._wait(0):
                return
            self._send(batch)
        shop = LiveShop(SEED + 1, incident(begin + INCIDENT_AFTER), is_detailed=True)
        for trace in _by_end(shop.traces(begin)):
            if self._wait(seconds_until(trace.end_ns, _ns(self._now()))):
                return
            self._send([trace])

    def _send(self, traces: "Sequence[LiveTrace]") -> None:
        import orjson

        request = urllib.request.Request(  # noqa: S310  our own address
            f"{self._address}/v1/traces",
            orjson.dumps(
                {"resourceSpans": [s for t in traces for s in t.request["resourceSpans"]]}
            ),
            {"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310
                answer.read()
        except OSError as error:
            _log.warning("live demo: %s: not taken (%s)", self._address, type(error).__name__)


def _by_end(traces: "Iterator[LiveTrace]", n_ahead: int = N_AHEAD) -> "Iterator[LiveTrace]":
    """Traces in the order of their end: tasks overlap, so some are made before they are sent."""
    waiting: list[tuple[int, int, LiveTrace]] = []
    for number, trace in enumerate(traces):
        heapq.heappush(waiting, (trace.end_ns, number, trace))
        if len(waiting) > n_ahead:
            yield heapq.heappop(waiting)[2]


def _ns(moment: datetime) -> int:
    return int(moment.timestamp() * 1e9)
