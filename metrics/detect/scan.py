"""Hour by hour through all series at once: the few that are out of the ordinary are told."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from metrics.detect.fdr import discoveries
from metrics.detect.reading import Episode, Track
from metrics.detect.windowed import Detector

__all__ = ["FALSE_DISCOVERY_RATE", "Watched", "scan"]

FALSE_DISCOVERY_RATE: Final = 0.05

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Watched(Generic[_Key]):
    """One series and what watches it."""

    key: _Key
    detector: Detector[Any]
    slots: Mapping[int, Any]
    """What each hour (since the epoch) held; hours in which nothing happened may be left out."""


def scan(
    series: Iterable[Watched[_Key]], q: float = FALSE_DISCOVERY_RATE
) -> dict[_Key, tuple[Episode, ...]]:
    """The episodes of each series, in order of time; series without any are left out.

    Each hour the windows that it fills are tested together (Benjamini-Hochberg over all series, so
    that a hundred quiet ones raise the bar); an odd window must be followed by another before it is
    told, and be large besides certain. Hours inside an episode are no baseline for later ones.
    """
    watched = {item.key: item for item in series}
    hours = sorted({hour for item in watched.values() for hour in item.slots})
    tracks: dict[_Key, Track] = {key: Track() for key in watched}
    by_hour: dict[int, list[_Key]] = {}
    for key, item in watched.items():
        for hour in item.slots:
            by_hour.setdefault(hour, []).append(key)
    for hour in hours:
        readings = {
            key: reading
            for key in by_hour[hour]
            for reading in [watched[key].detector.step(hour, watched[key].slots[hour])]
            if reading is not None
        }
        found = discoveries(
            {key: reading.p_value for key, reading in readings.items()}, q, len(watched)
        )
        for key, reading in readings.items():
            tracks[key] = tracks[key].after(reading, is_discovery=key in found)
            watched[key].detector.settle(tracks[key])
    return {key: track.episodes() for key, track in tracks.items() if track.episodes()}
