"""What has been received since the start, for Prometheus; the ledger in the store is the truth."""

import threading
from collections import Counter

from replay_store.commit import Delivery


class Counters:
    """Counts that only grow; safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._records: Counter[tuple[str, str, str]] = Counter()
        self._bytes: Counter[tuple[str, str]] = Counter()
        self._answers: Counter[int] = Counter()

    def add(self, delivery: Delivery) -> None:
        """Count a committed delivery."""
        batch = delivery.batch
        key = (delivery.door, delivery.signal)
        counts = {
            "accepted": batch.n_records,
            "rejected": len(batch.rejects),
            "ignored": delivery.n_ignored,
        }
        with self._lock:
            self._bytes[key] += delivery.n_bytes
            for outcome, n in counts.items():
                self._records[(*key, outcome)] += n

    def answered(self, status: int) -> None:
        """Count an answer."""
        with self._lock:
            self._answers[status] += 1

    def records(self) -> dict[tuple[str, str, str], int]:
        """Records by door, signal and outcome (accepted, rejected, ignored)."""
        with self._lock:
            return dict(self._records)

    def n_bytes(self) -> dict[tuple[str, str], int]:
        """Unpacked bytes of bodies by door and signal."""
        with self._lock:
            return dict(self._bytes)

    def answers(self) -> dict[int, int]:
        """Answers by status."""
        with self._lock:
            return dict(self._answers)
