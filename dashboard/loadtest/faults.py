"""How the bundled ticket service misbehaves, and what it really did."""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple


@dataclass(frozen=True, slots=True)
class Faults:
    """Drawn anew for each request, from one seed."""

    seed: int = 0
    median_ms: float = 40.0
    sigma: float = 0.5
    """Of the log-normal time that a request takes."""
    busy_rate: float = 0.02
    """Answered by 503 without anything being done."""
    broken_rate: float = 0.01
    """Done, and answered by 500 all the same."""
    lost_rate: float = 0.01
    """Done, and answered long after the caller has given up."""
    outage_every_seconds: float = 20.0
    outage_seconds: float = 2.0
    """Down for so long at the end of each such period: whoever waits gets 503 at that moment."""
    is_deduplicating: bool = True
    """Whether a request with a known idempotency key gets the ticket that is there."""


LOST_SECONDS: Final = 6.0


class Fate(NamedTuple):
    """What becomes of one request."""

    kind: str
    """`ok`, `busy`, `broken` or `lost`."""
    seconds: float


class Draws:
    """The fates of requests in their order."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._draws = random.Random(faults.seed)  # noqa: S311  repeatable on purpose

    def fate(self) -> Fate:
        """The next one."""
        faults, draw = self._faults, self._draws.random()
        seconds = faults.median_ms / 1000 * self._draws.lognormvariate(0, faults.sigma)
        for kind, rate in (
            ("busy", faults.busy_rate),
            ("broken", faults.broken_rate),
            ("lost", faults.lost_rate),
        ):
            if draw < rate:
                return Fate(kind, LOST_SECONDS if kind == "lost" else seconds)
            draw -= rate
        return Fate("ok", seconds)


@dataclass(slots=True)
class TicketBook:
    """The tickets that were really made."""

    is_deduplicating: bool = True
    by_key: dict[str, str] = field(default_factory=dict)
    by_order: Counter[str] = field(default_factory=Counter)
    arrivals: list[float] = field(default_factory=list)
    """Seconds since the service began, one a request."""
    n_repeats: int = 0
    """Requests whose key was known already."""
    _n: int = 0

    def make(self, order_no: str, key: str) -> str:
        """The number of the ticket: a new one, or the one that this key has made."""
        known = self.by_key.get(key) if self.is_deduplicating else None
        if known is not None:
            self.n_repeats += 1
            return known
        self._n += 1
        number = f"T{self._n:06d}"
        self.by_key[key] = number
        self.by_order[order_no] += 1
        return number

    def told(self) -> dict[str, object]:
        """All of it as JSON."""
        return {
            "n_tickets": self._n,
            "n_repeats": self.n_repeats,
            "duplicates": [order for order, n in self.by_order.items() if n > 1],
            "arrivals": self.arrivals,
        }
