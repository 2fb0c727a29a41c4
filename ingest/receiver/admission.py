"""How much may wait at once, in bytes: what is over it is sent away before it is read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

__all__ = ["Admission", "Share"]


@dataclass(slots=True)
class Share:
    """What one request holds of the budget; it grows as the body comes in."""

    admission: "Admission"
    n_bytes: int = 0

    def grow(self, n_bytes: int) -> bool:
        """Take more; False, with nothing taken, when the budget does not have it."""
        if not self.admission.take(n_bytes):
            return False
        self.n_bytes += n_bytes
        return True


class Admission:
    """A budget of bytes and of requests; safe to share between threads."""

    def __init__(self, max_bytes: int, max_requests: int) -> None:
        self._max_bytes = max_bytes
        self._max_requests = max_requests
        self._lock = threading.Lock()
        self.n_bytes = 0
        self.n_requests = 0

    @contextmanager
    def enter(self) -> Iterator[Share | None]:
        """The share of one request, given back at the end; None when too many wait."""
        with self._lock:
            is_in = self.n_requests < self._max_requests
            self.n_requests += is_in
        if not is_in:
            yield None
            return
        share = Share(self)
        try:
            yield share
        finally:
            with self._lock:
                self.n_requests -= 1
                self.n_bytes -= share.n_bytes

    def take(self, n_bytes: int) -> bool:
        """Take bytes of the budget if it has them."""
        with self._lock:
            if self.n_bytes + n_bytes > self._max_bytes:
                return False
            self.n_bytes += n_bytes
            return True
