"""Long work in a thread of its own: told as it goes, ended when somebody asks, its outcome kept."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

__all__ = ["PATIENCE_SECONDS", "Background", "Progress", "Report", "Stopped"]

_Result = TypeVar("_Result")
Report = Callable[[int, int], None]
"""What is done, and how much there is. Raises `Stopped` once nobody wants the work any more."""
PATIENCE_SECONDS: Final = 0.4
"""How long a page waits for work that it has begun before it draws how far the work is."""


class Stopped(Exception):  # noqa: N818 - it says what happened, it is no failure
    """Somebody stopped the work."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the work is."""

    n_done: int
    n_total: int

    @property
    def fraction(self) -> float:
        """Done, in [0, 1]; 1 where there is nothing to do."""
        return min(1.0, self.n_done / self.n_total) if self.n_total else 1.0


class Background(Generic[_Result]):
    """One piece of work; its thread ends with the process.

    Args:
        work: Is given what to report to. It must leave nothing half done when that raises.
    """

    def __init__(self, work: Callable[[Report], _Result]) -> None:
        self._work = work
        self._outcome: Future[_Result] = Future()
        self._ended = threading.Event()
        self._stopped = threading.Event()
        self._progress: Progress | None = None

    @property
    def progress(self) -> Progress | None:
        """The latest that was reported; None before that."""
        return self._progress

    @property
    def is_over(self) -> bool:
        """Whether there is an outcome, or nobody wants one any more."""
        return self._ended.is_set()

    def start(self) -> None:
        """Begin."""
        threading.Thread(target=self._run, name="background", daemon=True).start()

    def stop(self) -> None:
        """End the work at its next report; it is over at once. Nothing where it is over already."""
        if not self._outcome.done():
            self._stopped.set()
            self._ended.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end; whether it came in time."""
        return self._ended.wait(seconds)

    def result(self) -> _Result:
        """The outcome of work that is over; what the work raised is raised here.

        Raises:
            Stopped: It was stopped.
        """
        if self._stopped.is_set():
            raise Stopped
        return self._outcome.result(timeout=0)

    def _report(self, n_done: int, n_total: int) -> None:
        if self._stopped.is_set():
            raise Stopped
        self._progress = Progress(n_done, n_total)

    def _run(self) -> None:
        try:
            found = self._work(self._report)
        except BaseException as error:  # noqa: BLE001 - raised again to whoever asks
            self._outcome.set_exception(error)
        else:
            self._outcome.set_result(found)
        self._ended.set()
