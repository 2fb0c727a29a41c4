"""Token buckets: how fast calls may follow each other, by capability and by caller (S3 §4.3)."""

from collections.abc import Callable
from typing import Final

from pipeline.contracts import Contract

SHARE_OF_PEAK: Final = 0.7
"""Of what a load test measured at the system behind the tool."""


class TokenBucket:
    """Holds one second's worth of tokens, at least one; fills at a steady rate.

    Args:
        per_second: Tokens that come in a second.
        now_seconds: By a clock that never jumps; one that did would only stop the filling.
    """

    def __init__(self, per_second: float, now_seconds: float) -> None:
        self._per_second = per_second
        self._capacity = max(1.0, per_second)
        self._n = self._capacity
        self._filled_at = now_seconds

    def has_one(self, now_seconds: float) -> bool:
        """Whether a token is there."""
        passed = max(0.0, now_seconds - self._filled_at)
        self._n = min(self._capacity, self._n + passed * self._per_second)
        self._filled_at = now_seconds
        return self._n >= 1 - 1e-9

    def take(self) -> None:
        """One token less; never below none."""
        self._n = max(0.0, self._n - 1)


class Buckets:
    """The buckets of all tools and their callers, as contracts declare them.

    Args:
        clock: Seconds that pass, such as `time.monotonic`.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._buckets: dict[tuple[str, str | None, float], TokenBucket] = {}

    def is_free(self, contract: Contract, caller: str) -> bool:
        """Whether the tool and the caller both have a token; takes none."""
        now = self._clock()
        return all(bucket.has_one(now) for bucket in self._of(contract, caller, now))

    def take(self, contract: Contract, caller: str) -> None:
        """One token of each."""
        for bucket in self._of(contract, caller, self._clock()):
            bucket.take()

    def _of(self, contract: Contract, caller: str, now: float) -> list[TokenBucket]:
        quotas = contract.quotas
        wanted: list[tuple[str, str | None, float]] = []
        if quotas.peak_per_second is not None:
            wanted.append((contract.name, None, SHARE_OF_PEAK * quotas.peak_per_second))
        if quotas.caller_per_second is not None:
            wanted.append((contract.name, caller, quotas.caller_per_second))
        for key in wanted:
            if key not in self._buckets:
                self._buckets[key] = TokenBucket(key[2], now)
        return [self._buckets[key] for key in wanted]
