"""Progress on standard error: a moving line on a terminal, plain lines elsewhere."""

import io
import sys
from pathlib import Path

import pytest

from dashboard.cli.progress import FileProgress, bar, watched_files
from ingest import Progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _progress(name: str, n_done: int, n_records: int = 0) -> Progress:
    return Progress(Path(name), n_done, 200, n_records)


def test_elsewhere_each_file_is_one_line() -> None:
    stream = io.StringIO()
    watch = FileProgress(stream, is_terminal=False)

    for progress in (_progress("a", 0), _progress("a", 100), _progress("b", 0)):
        watch(progress)
    watch.close()

    assert stream.getvalue() == "reading a\nreading b\n"


def test_a_terminal_shows_one_line_that_goes_away() -> None:
    stream = io.StringIO()
    watch = FileProgress(stream, is_terminal=True, clock=iter([0.0, 1.0]).__next__)

    watch(_progress("a", 0))
    watch(_progress("a", 100, 1234))
    watch.close()

    drawn = stream.getvalue().split("\r\x1b[K")
    assert drawn == ["", "  0%  0 records  a", " 50%  1,234 records  a", ""]


def test_a_terminal_is_not_redrawn_faster_than_an_eye() -> None:
    stream = io.StringIO()
    watch = FileProgress(stream, is_terminal=True, clock=iter([0.0, 0.01, 0.02]).__next__)

    for n_done in (0, 1, 2):
        watch(_progress("a", n_done))

    assert stream.getvalue().count("records") == 1


def test_a_file_name_cannot_steer_the_terminal() -> None:
    stream = io.StringIO()

    FileProgress(stream, is_terminal=False)(_progress("a\x1b[2J\n", 0))

    assert stream.getvalue() == "reading a\\x1b[2J\\x0a\n"


def test_an_unused_line_leaves_nothing() -> None:
    stream = io.StringIO()

    FileProgress(stream, is_terminal=True).close()

    assert stream.getvalue() == ""


@pytest.mark.parametrize(("stream", "is_drawn"), [(_Terminal(), True), (io.StringIO(), False)])
def test_a_bar_is_drawn_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, is_drawn: bool
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)

    with bar("Deriving") as fill:
        for n_done in (0, 5, 10):
            fill(n_done, 10)
        fill(0, 0)

    assert ("Deriving" in stream.getvalue()) is is_drawn


def test_files_are_watched_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    with watched_files() as watch:
        watch(_progress("a", 0))

    assert capsys.readouterr() == ("", "reading a\n")
