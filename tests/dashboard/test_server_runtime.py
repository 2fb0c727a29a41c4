"""What one process holds for its pages."""

import threading
from collections.abc import Iterator

import pytest

from dashboard import runtime
from dashboard.errors import NotStartedError
from dashboard.settings import Settings
from dashboard.theme import CATEGORICAL, CATEGORICAL_DARK, STATE_COLORS, streamlit_theme
from tests.stores import memory_store


@pytest.fixture
def started() -> Iterator[runtime.Runtime]:
    with memory_store() as database:
        held = runtime.Runtime(database, Settings())
        runtime.start(held)
        yield held
        runtime.stop()


def test_pages_see_what_was_started(started: runtime.Runtime) -> None:
    assert runtime.current() is started


def test_a_page_without_a_server_is_told_how_to_start_one() -> None:
    runtime.stop()

    with pytest.raises(NotStartedError, match="toolsight serve"):
        runtime.current()


def test_the_module_has_one_name_however_often_it_is_imported(started: runtime.Runtime) -> None:
    import importlib

    again = importlib.import_module("dashboard.runtime")

    assert again.current() is started


def test_a_load_reports_finishes_and_keeps_its_label() -> None:
    loading = runtime.Loading()
    assert loading.state == runtime.LoadingState(0.0, "", is_finished=False, error=None)

    loading.report(0.5, "a.jsonl")
    assert loading.state == runtime.LoadingState(0.5, "a.jsonl")

    loading.finish()
    assert loading.state == runtime.LoadingState(1.0, "a.jsonl", is_finished=True)


@pytest.mark.parametrize(("given", "kept"), [(-1.0, 0.0), (0.25, 0.25), (7.0, 1.0)])
def test_a_fraction_stays_between_nothing_and_all(given: float, kept: float) -> None:
    loading = runtime.Loading()

    loading.report(given, "x")

    assert loading.state.fraction == kept


def test_a_failed_load_says_why() -> None:
    loading = runtime.Loading()
    loading.report(0.5, "a")

    loading.fail("the disk is full")

    assert loading.state == runtime.LoadingState(
        0.5, "a", is_finished=True, error="the disk is full"
    )


def test_a_cancelled_load_ends_at_its_next_report() -> None:
    loading = runtime.Loading()
    loading.cancel()

    with pytest.raises(runtime.LoadCancelled):
        loading.report(0.5, "a")


def test_readers_never_see_half_a_report() -> None:
    loading = runtime.Loading()
    states: list[runtime.LoadingState] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            states.append(loading.state)

    reader = threading.Thread(target=read)
    reader.start()
    for step in range(1, 2001):
        loading.report(step / 2000, str(step))
    done.set()
    reader.join()

    assert all(s.label == "" or float(s.label) / 2000 == s.fraction for s in states)


def test_charts_have_exactly_ten_colours_in_both_modes() -> None:
    """With any other number Streamlit silently draws in its own."""
    theme = streamlit_theme()

    for mode, colors in (("light", CATEGORICAL), ("dark", CATEGORICAL_DARK)):
        assert theme[f"theme.{mode}.chartCategoricalColors"] == list(colors)
        assert len(set(colors)) == 10


def test_both_modes_colour_the_same_states() -> None:
    from metrics.values import State

    assert set(STATE_COLORS["light"]) == set(STATE_COLORS["dark"]) == {*State}
