"""What retention leaves behind of a trace that it removed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RemovedTrace:
    """One trace that was removed because of its age; a trace that comes again may have several."""

    trace_id: str
    newest_time_ns: int
    """By which its age was counted."""
    removed_time_ns: int
