"""What one detector says of one window, and what becomes of it over several windows."""

from dataclasses import dataclass, replace
from typing import Final

from metrics.detect.seasonal import Level

__all__ = ["PERSISTENCE", "Episode", "Reading", "Track"]

PERSISTENCE: Final = 2
"""Windows in a row that must be out of the ordinary before anyone is told, and calm before it is
over. One in two thousand windows is odd by chance; two in a row hardly ever are."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One window of one series."""

    start_ns: int
    end_ns: int
    n: int
    value: float
    baseline: float | None
    """The same figure as usual, or None where a fixed limit is what it was held against."""
    limit: float
    """From where on it is worth telling."""
    p_value: float
    is_large: bool
    """Whether the change is worth telling, however certain."""
    is_calm: bool
    """Whether it is back to the ordinary."""
    level: Level | None = None
    """What the baseline is made of; None without one."""
    n_baseline: int = 0
    needs_persistence: bool = True
    """False for what is certain at once."""
    is_urgent: bool = False
    """So large that it cannot wait."""
    kind: str | None = None
    """Which of several tests found it, where a detector has several."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A stretch in which a series was out of the ordinary and somebody had to know."""

    since_ns: int
    """Start of the first odd window."""
    fired_ns: int
    """When it was certain."""
    last_ns: int
    """End of the last odd window."""
    cleared_ns: int | None
    """None while it goes on."""
    reading: Reading
    """The most telling window so far."""

    @property
    def kind(self) -> str | None:
        """Which of several tests found it, where a detector has several."""
        return self.reading.kind


@dataclass(frozen=True, slots=True)
class Track:
    """The state of one series: quiet, suspected, firing."""

    episode: Episode | None = None
    """The one that goes on."""
    past: tuple[Episode, ...] = ()
    suspected: tuple[Reading, ...] = ()
    n_calm: int = 0

    @property
    def is_usual(self) -> bool:
        """Whether the newest window may count as baseline later on."""
        return self.episode is None and not self.suspected

    def after(self, reading: Reading, *, is_discovery: bool) -> "Track":
        """The state after one more window.

        Args:
            reading: The window.
            is_discovery: Whether its p-value stands among those of all series.
        """
        is_odd = is_discovery and reading.is_large
        if self.episode is not None:
            return self._going_on(self.episode, reading, is_odd=is_odd)
        if not is_odd:
            return replace(self, suspected=())
        odd = (*self.suspected, reading)
        if reading.needs_persistence and len(odd) < PERSISTENCE:
            return replace(self, suspected=odd)
        episode = Episode(
            since_ns=odd[0].start_ns,
            fired_ns=reading.end_ns,
            last_ns=reading.end_ns,
            cleared_ns=None,
            reading=min(odd, key=lambda item: item.p_value),
        )
        return replace(self, episode=episode, suspected=(), n_calm=0)

    def _going_on(self, episode: Episode, reading: Reading, *, is_odd: bool) -> "Track":
        n_calm = self.n_calm + 1 if reading.is_calm else 0
        if n_calm >= PERSISTENCE or (n_calm and not reading.needs_persistence):
            done = replace(episode, cleared_ns=reading.end_ns)
            return replace(self, episode=None, past=(*self.past, done), n_calm=0)
        if is_odd:
            worst = min(episode.reading, reading, key=lambda item: item.p_value)
            episode = replace(episode, last_ns=reading.end_ns, reading=worst)
        return replace(self, episode=episode, n_calm=n_calm)

    def episodes(self) -> tuple[Episode, ...]:
        """All of them, oldest first."""
        return self.past if self.episode is None else (*self.past, self.episode)
