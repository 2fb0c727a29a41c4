"""Looks for what is out of the ordinary while the server runs, keeps it, and tells the channels."""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from dashboard.alerting import Look, look
from pipeline.errors import ToolsightError

if TYPE_CHECKING:
    from dashboard.notify import Channel
    from dashboard.settings import Settings
    from replay_store.database import Database

__all__ = ["AlertWatch"]

_LOG: Final = logging.getLogger(__name__)
EVERY_SECONDS: Final = 300.0
_FIRST_SECONDS: Final = 20.0
"""Until the first look: the first pages come before it."""
_PATIENCE_SECONDS: Final = 1.0
"""A server that is told to stop is gone within five seconds."""
_MOST_SHARE: Final = 0.02
"""Of the time, at most, that is spent looking: a look over many series takes a while."""


class AlertWatch:
    """One thread that looks every few minutes; one for each server.

    Args:
        database: The store.
        settings: Thresholds, channels, time zone and language.
        clock: Nanoseconds since the epoch, now.
        every_seconds: Between the end of a look and the next.
    """

    def __init__(
        self,
        database: "Database",
        settings: "Settings",
        clock: Callable[[], int] = time.time_ns,
        every_seconds: float = EVERY_SECONDS,
    ) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock
        self._every = every_seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="alert-watch", daemon=True)
        self._newest: Look | None = None

    @property
    def newest(self) -> Look | None:
        """The newest look; None before the first."""
        return self._newest

    def start(self) -> None:
        """Begin; the first look comes soon, when the server is up."""
        self._thread.start()

    def close(self) -> None:
        """Look no more; a look under way may end first, but nobody waits for a long one.

        A second call does nothing.
        """
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(_PATIENCE_SECONDS)

    def look(self) -> Look:
        """Look now, keep what is found, and tell the channels what they do not know."""
        found = look(self._database, self._settings.thresholds, self._clock)
        self._newest = found
        self._tell(found)
        return found

    def _run(self) -> None:
        pause = min(self._every, _FIRST_SECONDS)
        while not self._stopped.wait(pause):
            started = time.thread_time()
            try:
                self.look()
            except ToolsightError as error:
                _LOG.warning("alerts: %s", error)
            taken = time.thread_time() - started
            pause = max(self._every, taken / _MOST_SHARE)

    def _tell(self, found: Look) -> None:
        from dashboard.notify import announce

        announce(
            self._database,
            found,
            self._channels(),
            clock=self._clock,
            sleep=self._stopped.wait,
            zone=ZoneInfo(self._settings.time_zone),
            lang=self._settings.language or "en",
        )

    def _channels(self) -> "Sequence[Channel]":
        from dashboard.notify import channels

        return channels(address.get_secret_value() for address in self._settings.notify)
