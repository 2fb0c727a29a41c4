"""Many questions at a time, or one change."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["Gate"]


class Gate:
    """Keeps a change of several tables apart from the questions that read them."""

    def __init__(self) -> None:
        self._inside = 0
        self._changed = threading.Condition()

    def enter(self) -> None:
        """Begin a question; waits for a change that goes on."""
        with self._changed:
            self._inside += 1

    def leave(self) -> None:
        """End a question."""
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While no question is asked; waits for those that go on."""
        with self._changed:
            self._changed.wait_for(lambda: self._inside == 0)
            yield
