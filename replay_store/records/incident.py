"""What people keep of an incident: notes on a trace, and searches by name."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TraceNote:
    """One thing a person noted about a trace."""

    trace_id: str
    state: str | None
    """What they made of it (`investigating`, `explained`, `fixed`, `no_fault`); None: as before."""
    author: str
    note: str | None
    time_ns: int


@dataclass(frozen=True, slots=True)
class SavedView:
    """One search under its name; of several rows of one name and page the newest holds."""

    name: str
    page: str
    """The page's address, such as `traces`."""
    query: str
    """The query of the page's address, without what every page shares."""
    author: str
    is_removed: bool
    saved_time_ns: int
