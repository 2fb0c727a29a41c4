"""What one server process holds: the open store, its settings, and the progress of a first load.

The page script runs anew for every session and every click; it asks `current()` for what outlives
it. Always import this module as `dashboard.runtime`: a second name would be a second, empty holder.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dashboard.errors import NotStartedError
from dashboard.refreshed import Refreshed
from dashboard.settings import Settings
from replay_store.database import Database

__all__ = [
    "Addresses",
    "LoadCancelled",
    "Loading",
    "LoadingState",
    "Runtime",
    "current",
    "start",
    "stop",
]


@dataclass(frozen=True, slots=True)
class LoadingState:
    """Progress of a background load at one moment."""

    fraction: float = 0.0
    """Done, in [0, 1]."""
    label: str = ""
    """What is being loaded: a file name, or the name of the step."""
    is_finished: bool = False
    """True when nothing more will come, after a failure too."""
    error: str | None = None
    """The sentence to show when the load failed."""


class LoadCancelled(Exception):  # noqa: N818 - it says what happened, it is no failure
    """The server is stopping; the load ends where it is."""


class Loading:
    """Progress of a background load; one thread reports, any thread reads `state`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state = LoadingState()
        self._is_cancelled = False

    @property
    def state(self) -> LoadingState:
        """The latest progress, consistent in itself."""
        with self._lock:
            return self._state

    def report(self, fraction: float, label: str) -> None:
        """Say how far the load is; the fraction is clipped to [0, 1].

        Raises:
            LoadCancelled: The server is stopping.
        """
        with self._lock:
            if self._is_cancelled:
                raise LoadCancelled
            self._state = LoadingState(min(max(fraction, 0.0), 1.0), label)

    def finish(self) -> None:
        """Say that everything is there."""
        with self._lock:
            self._state = replace(self._state, fraction=1.0, is_finished=True)

    def fail(self, sentence: str) -> None:
        """Say that the load ended early, and why."""
        with self._lock:
            self._state = replace(self._state, is_finished=True, error=sentence)

    def cancel(self) -> None:
        """Make the next `report` raise, so that the load ends soon."""
        with self._lock:
            self._is_cancelled = True


class Addresses(NamedTuple):
    """Where the server is reached."""

    pages: str
    """URL for a browser."""
    otlp: str | None
    """URL for OTLP over HTTP exporters; None when nothing is received."""
    otlp_port: int | None
    grpc_port: int | None


@dataclass(frozen=True, slots=True)
class Runtime:
    """What the pages need and a page run must not own."""

    database: Database
    settings: Settings
    loading: Loading | None = None
    """None when nothing is loaded in the background."""
    addresses: Addresses | None = None
    """Where this server is reached; None outside one."""
    answers: Refreshed = field(default_factory=Refreshed)
    """Figures that all sessions share."""


_started: list[Runtime] = []
"""Empty, or the one running: the only process-wide state, because the page script takes no
arguments."""


def start(runtime: Runtime) -> None:
    """Make `runtime` the one that pages see; it replaces an earlier one."""
    _started[:] = [runtime]


def current() -> Runtime:
    """The runtime of this process.

    Raises:
        NotStartedError: No server started it; says how to.
    """
    running: Sequence[Runtime] = _started
    if not running:
        raise NotStartedError(
            "dashboard: no store is open in this process; run `toolsight serve` or `toolsight demo`"
        )
    return running[0]


def stop() -> None:
    """Forget the runtime; the database stays open, its owner closes it."""
    _started.clear()
