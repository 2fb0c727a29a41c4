"""What `toolsight loadtest` prints."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from dashboard.cli.tables import table
from dashboard.loadtest.rates import mean_per_second, peak_per_second

if TYPE_CHECKING:
    from dashboard.loadtest.running import LoadResult

_ROWS: "Final[tuple[tuple[str, Callable[[LoadResult], object]], ...]]" = (
    ("tasks", lambda item: item.n_tasks),
    ("tasks without the ticket", lambda item: item.n_failed),
    ("calls", lambda item: item.n_calls),
    ("tries", lambda item: item.n_attempts),
    ("retry rate", lambda item: _share(item.retry_rate)),
    ("retry success", lambda item: _share(item.retry_success_rate)),
    ("outcome unknown", lambda item: item.n_unknown),
    ("breaker trips", lambda item: item.n_breaker_trips),
    ("steps per task", lambda item: _number(item.mean_steps)),
    ("requests/s, mean", lambda item: _number(mean_per_second(item.arrivals))),
    ("requests/s, peak of 0.1 s", lambda item: _number(peak_per_second(item.arrivals))),
    ("tickets made", lambda item: item.n_tickets),
    ("repeats stopped by their key", lambda item: item.n_repeats_stopped),
    ("orders with two tickets", lambda item: len(item.duplicates)),
)


def results_text(results: "Sequence[LoadResult]") -> str:
    """The figures side by side, then the verdict."""
    headers = ["", *("jitter" if item.load.has_jitter else "no jitter" for item in results)]
    rows = [[name, *map(of, results)] for name, of in _ROWS]
    n_duplicates = sum(len(item.duplicates) for item in results)
    verdict = "No duplicate write." if not n_duplicates else f"{n_duplicates} duplicate writes!"
    return f"{table(headers, rows)}\n{verdict}"


def _share(value: float | None) -> str | None:
    return None if value is None else f"{value:.1%}"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.2f}"
