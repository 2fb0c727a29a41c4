"""Which receiver a trace goes to: the rule of the Collector's load-balancing exporter.

`exporter/loadbalancingexporter/consistent_hashing.go` of open-telemetry/opentelemetry-collector-contrib:
a ring of 36,000 positions, a hundred points for each endpoint (CRC-32 of its name and a counter); a
trace goes to the first point at or after the CRC-32 of its id.
"""

import zlib
from bisect import bisect_left
from collections.abc import Sequence

__all__ = ["POINTS", "Ring"]

POSITIONS = 36_000
POINTS = 100


class Ring:
    """Endpoints on a ring.

    Args:
        endpoints: As the resolver names them, host and port.
        points: Of each endpoint.
    """

    def __init__(self, endpoints: Sequence[str], points: int = POINTS) -> None:
        taken: dict[int, str] = {}
        for endpoint in endpoints:
            for number in range(points):
                position = zlib.crc32(endpoint.encode() + bytes([number])) % POSITIONS
                taken.setdefault(position, endpoint)
        self.items = sorted(taken.items())

    def endpoint(self, identifier: bytes) -> str:
        """Where what has this identifier goes: a trace by the sixteen bytes of its id."""
        position = zlib.crc32(identifier) % POSITIONS
        place = bisect_left(self.items, (position, ""))
        return self.items[place % len(self.items)][1]
