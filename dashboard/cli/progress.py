"""Progress on standard error: one moving line on a terminal, plain lines elsewhere."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TextIO

import click

from dashboard.cli.tables import plain
from dashboard.plurals import filled

if TYPE_CHECKING:
    from ingest import Progress

__all__ = ["FileProgress", "bar", "watched_files"]

_STEPS: Final = 1000
_REDRAW_SECONDS: Final = 0.1
_CLEAR_LINE: Final = "\r\x1b[K"


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that fills; call the result with what is done and how much there is.

    Draws nothing when standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield _draw_nothing
        return
    with click.progressbar(length=_STEPS, label=label, file=sys.stderr) as drawn:

        def fill(n_done: int, n_total: int) -> None:
            drawn.update(n_done * _STEPS // max(n_total, 1) - drawn.pos)

        yield fill


@contextmanager
def watched_files() -> "Iterator[Callable[[Progress], None]]":
    """What to call as files are read; see `FileProgress`."""
    watch = FileProgress(sys.stderr, is_terminal=sys.stderr.isatty())
    try:
        yield watch
    finally:
        watch.close()


class FileProgress:
    """Shows which file is read and how far: one moving line, or a line a file.

    Args:
        stream: Where to write.
        is_terminal: Whether a line can be drawn over.
        clock: Seconds; only differences matter.
    """

    def __init__(
        self, stream: TextIO, *, is_terminal: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._is_terminal = is_terminal
        self._clock = clock
        self._path = ""
        self._drawn = float("-inf")

    def __call__(self, progress: "Progress") -> None:
        """Take note of how far a file has come."""
        path = plain(str(progress.path))
        if self._is_terminal:
            self._draw(path, progress)
        elif path != self._path:
            self._stream.write(f"reading {path}\n")
        self._path = path

    def close(self) -> None:
        """Take the moving line away."""
        if self._is_terminal and self._path:
            self._stream.write(_CLEAR_LINE)
            self._stream.flush()

    def _draw(self, path: str, progress: "Progress") -> None:
        now = self._clock()
        if path == self._path and now - self._drawn < _REDRAW_SECONDS:
            return
        self._drawn = now
        share = progress.n_bytes_done / max(progress.n_bytes_total, 1)
        records = filled("{n} {n:record|records}", n=f"{progress.n_records:,}")
        line = f"{min(share, 1):4.0%}  {records}  {path}"
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"{_CLEAR_LINE}{line[:width]}")
        self._stream.flush()


def _draw_nothing(_n_done: int, _n_total: int) -> None:
    return None
