"""Answers that take long to find, while the store keeps moving: the one before, until the new is there.

Asked again and again while traces arrive, a figure would be computed for every asker and every
commit. Here it is computed once for all who ask, in a thread of its own, for a bounded part of the
time; who asks meanwhile gets the answer before and is told that it is not the newest.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pipeline.errors import ToolsightError

__all__ = ["Answer", "Refreshed"]

_LOG: Final = logging.getLogger(__name__)
_Value = TypeVar("_Value")
QUICK_SECONDS: Final = 0.05
"""What was found sooner is simply looked for again."""
SHARE: Final = 0.25
"""The part of the time that looking for one answer may take."""
OLD_SECONDS: Final = 600.0
"""An answer older than this is not given any more while a new one is looked for, unless finding one
takes so long that its share of the time is used up."""
MOST: Final = 16
"""Answers kept; the one asked for least lately goes first."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[_Value]):
    """An answer, and of which state of the store it is."""

    value: _Value
    version: int
    is_newest: bool
    """False when the store had moved already, and the new answer is being looked for."""


@dataclass(slots=True)
class _Kept:
    value: Any
    version: int
    found_at: float
    took: float


class Refreshed:
    """Keeps answers; one for each process. Safe to ask from any thread.

    Args:
        clock: Seconds; only differences matter.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[Hashable, _Kept] = {}
        self._lock = threading.Lock()
        self._asking: dict[Hashable, threading.Lock] = {}
        self._threads: dict[Hashable, threading.Thread] = {}
        self._is_closed = False

    def ask(self, question: Hashable, version: int, find: Callable[[], _Value]) -> Answer[_Value]:
        """The answer to a question, the newest if that is at hand or quickly found.

        Args:
            question: By which answers are told apart.
            version: Of the store, now.
            find: Finds the answer; runs here or in another thread.
        """
        kept = self._kept.get(question)
        if kept is None or not self._is_good(kept, version):
            kept = self._find(question, version, find)
        elif kept.version != version:
            self._find_later(question, version, find)
        return Answer(kept.value, kept.version, kept.version >= version)

    def close(self, seconds: float = 2.0) -> None:
        """Begin nothing any more, and wait a while for what is being looked for."""
        with self._lock:
            self._is_closed = True
            threads = list(self._threads.values())
        for thread in threads:
            thread.join(seconds)

    def _is_good(self, kept: _Kept, version: int) -> bool:
        """Whether an answer may be given: it is the newest, or the newest takes too long."""
        if kept.version >= version:
            return True
        lasts = max(OLD_SECONDS, 2 * kept.took / SHARE)
        return kept.took > QUICK_SECONDS and self._clock() - kept.found_at < lasts

    def _find(self, question: Hashable, version: int, find: Callable[[], Any]) -> _Kept:
        """Find the answer here; who asks the same meanwhile waits for it instead of looking too."""
        with self._lock:
            asking = self._asking.setdefault(question, threading.Lock())
        with asking:
            kept = self._kept.get(question)
            if kept is not None and kept.version >= version:
                return kept
            started = self._clock()
            value = find()
            now = self._clock()
            return self._keep(question, _Kept(value, version, now, now - started))

    def _try(self, question: Hashable, version: int, find: Callable[[], Any]) -> None:
        """Find the answer for nobody in particular; the one before stays where there is none."""
        try:
            self._find(question, version, find)
        except ToolsightError as error:
            _LOG.warning("figures: %s", error)

    def _keep(self, question: Hashable, kept: _Kept) -> _Kept:
        with self._lock:
            self._kept.pop(question, None)
            self._kept[question] = kept
            while len(self._kept) > MOST:
                oldest = next(iter(self._kept))
                del self._kept[oldest]
                self._asking.pop(oldest, None)
        return kept

    def _find_later(self, question: Hashable, version: int, find: Callable[[], Any]) -> None:
        """Begin to find the answer in a thread of its own, unless that goes on or is too soon."""
        with self._lock:
            kept, running = self._kept[question], self._threads.get(question)
            rested = self._clock() - kept.found_at
            is_early = rested < kept.took * (1 / SHARE - 1)
            if self._is_closed or is_early or (running is not None and running.is_alive()):
                return
            thread = threading.Thread(
                target=self._try, args=(question, version, find), name="figures", daemon=True
            )
            self._threads[question] = thread
            thread.start()
