"""The virtual clock: time passes only when the scenario says so."""

NS_PER_MS = 1_000_000
NS_PER_SECOND = 1_000_000_000


class VirtualClock:
    """A point in time that moves forward by request; nanoseconds since the epoch."""

    def __init__(self, now_ns: int) -> None:
        self.now_ns = now_ns

    def advance_ms(self, ms: float) -> None:
        """Moves on by `ms`, kept to whole microseconds as real clocks do."""
        self.now_ns += round(ms * 1000) * 1000

    def fork(self) -> "VirtualClock":
        """A clock that starts now and runs on its own, for calls made in parallel."""
        return VirtualClock(self.now_ns)

    def catch_up(self, other: "VirtualClock") -> None:
        """Moves on to the other clock's time if that lies ahead."""
        self.now_ns = max(self.now_ns, other.now_ns)
