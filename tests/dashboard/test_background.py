"""Long work beside a page: its progress, its end, and the end that a person asks for."""

import threading

import pytest

from dashboard.background import Background, Progress, Report, Stopped

PATIENCE = 60.0


def test_work_tells_how_far_it_is_and_keeps_what_came_of_it() -> None:
    reported, go_on = threading.Event(), threading.Event()

    def work(report: Report) -> str:
        report(1, 4)
        reported.set()
        go_on.wait(PATIENCE)
        return "done"

    running = Background(work)
    running.start()
    assert reported.wait(PATIENCE)
    assert running.progress == Progress(1, 4)
    assert running.progress.fraction == 0.25
    assert not running.is_over

    go_on.set()
    assert running.wait(PATIENCE)
    assert running.result() == "done"


def test_a_stop_is_over_at_once_and_ends_the_work_at_its_next_report() -> None:
    reported, go_on, ended = threading.Event(), threading.Event(), threading.Event()
    went_on: list[str] = []

    def work(report: Report) -> None:
        report(0, 2)
        reported.set()
        go_on.wait(PATIENCE)
        try:
            report(1, 2)
            went_on.append("past the stop")
        finally:
            ended.set()

    running = Background(work)
    running.start()
    assert reported.wait(PATIENCE)

    running.stop()
    assert running.is_over
    with pytest.raises(Stopped):
        running.result()

    go_on.set()
    assert ended.wait(PATIENCE)
    assert went_on == []


def _refused(_report: Report) -> None:
    raise LookupError("no such thing")


def test_what_the_work_raises_is_raised_to_whoever_asks() -> None:
    running = Background(_refused)
    running.start()
    assert running.wait(PATIENCE)

    with pytest.raises(LookupError, match="no such thing"):
        running.result()


def test_a_stop_after_the_end_takes_nothing_back() -> None:
    running = Background(lambda _report: 1)
    running.start()
    assert running.wait(PATIENCE)

    running.stop()

    assert running.result() == 1


@pytest.mark.parametrize(("progress", "fraction"), [(Progress(0, 0), 1.0), (Progress(3, 2), 1.0)])
def test_nothing_to_do_is_done(progress: Progress, fraction: float) -> None:
    assert progress.fraction == fraction
