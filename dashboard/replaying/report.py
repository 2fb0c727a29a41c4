"""One run as one HTML file that needs nothing else: no script, no font, no address."""

from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from metrics.paired import NOTABLE, Paired
from pipeline.replay.outcome import Change
from replay_store.records import ReplayResult, ReplayRun
from replay_store.replay import PlayedRun

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["ORDER", "paired", "report_html"]

ORDER = (Change.BROKEN, Change.FIXED, Change.SKIPPED, Change.SAME_WRONG, Change.SAME_RIGHT)
"""What needs a look first."""


def paired(run: ReplayRun) -> Paired:
    """The counts of a run as a paired comparison; skipped cases are in none of them."""
    return Paired(run.n_broken, run.n_fixed, run.n_same_right, run.n_same_wrong)


def report_html(played: PlayedRun) -> str:
    """The report. Everything in it that comes from cases is escaped."""
    groups = {change: _of(played, change) for change in ORDER}
    return _template().render(
        run=played.run,
        paired=paired(played.run),
        notable=NOTABLE,
        groups={change.value: results for change, results in groups.items() if results},
        started=_time(played.run.started_time_ns),
        seconds=(played.run.finished_time_ns - played.run.started_time_ns) / 1e9,
    )


def _of(played: PlayedRun, change: Change) -> list[ReplayResult]:
    return [result for result in played.results if result.change == change]


def _time(time_ns: int) -> str:
    return datetime.fromtimestamp(time_ns // 10**9, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    text = (files(__package__) / "report.html.j2").read_text(encoding="utf-8")
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(text)
