"""The six stories of the sample world: what happened, what shows it, and where to look.

The table is recorded with the world (`data/stories.json`): reading it needs no simulation.
"""

import json
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files

STORIES_FILE = "stories.json"


@dataclass(frozen=True, slots=True)
class Story:
    """One thing that went wrong in the last week of the world."""

    key: str
    """Short name, in lower case with underscores."""
    title_en: str
    title_zh: str
    shows_en: str
    """What the Overview shows of it at its default range."""
    shows_zh: str
    metric: str
    """Key of the figure that shows it first (`metrics.definitions`)."""
    tool: str | None
    """The tool it is about; None when it is about none in particular."""
    rule: str | None
    """The guard rule it is about."""
    condition: str
    """Name of the condition in `timeline` that causes it."""
    start: datetime
    end: datetime
    """First moment after it; the end of the world where it still goes on."""
    trace_ids: tuple[str, ...]
    """Traces that show it, the clearest first; each is recorded in full detail."""


@cache
def stories() -> tuple[Story, ...]:
    """The stories of the recorded world, in the order in which `README.md` tells them."""
    text = (files(__package__ or "sample_traces") / "data" / STORIES_FILE).read_text("utf-8")
    return tuple(_story(row) for row in json.loads(text))


def story_row(story: Story) -> dict[str, object]:
    """The story as it is kept: times as RFC 3339 text."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name in Story.__dataclass_fields__
        for value in (getattr(story, name),)
    }


def _story(row: dict[str, object]) -> Story:
    times = {name: datetime.fromisoformat(str(row[name])) for name in ("start", "end")}
    trace_ids = row["trace_ids"]
    if not isinstance(trace_ids, list):
        raise TypeError(f"{STORIES_FILE}: trace_ids: expected a list; record the world again")
    return Story(**{**row, **times, "trace_ids": tuple(map(str, trace_ids))})  # type: ignore[arg-type]
