"""The load test finds duplicate writes where there are any, and none where keys hold."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dashboard.cli import main
from dashboard.cli.loadtest_text import results_text
from dashboard.loadtest.faults import Draws, Faults, TicketBook
from dashboard.loadtest.plot import write_plot
from dashboard.loadtest.rates import mean_per_second, peak_per_second, windows
from dashboard.loadtest.running import Load, run_load
from metrics import data_range
from replay_store import Database

HOSTILE = Faults(
    median_ms=5, busy_rate=0.05, broken_rate=0.5, lost_rate=0, outage_every_seconds=1.5, outage_seconds=0.2,
)  # fmt: skip


def test_fates_come_as_often_as_they_are_asked_for() -> None:
    draws = Draws(Faults(busy_rate=0.2, broken_rate=0.1, lost_rate=0.05))
    kinds = [draws.fate().kind for _ in range(4000)]

    for kind, rate in (("busy", 0.2), ("broken", 0.1), ("lost", 0.05), ("ok", 0.65)):
        assert kinds.count(kind) / 4000 == pytest.approx(rate, abs=0.03)


def test_the_book_gives_one_ticket_for_a_key_unless_it_is_told_to_forget() -> None:
    for is_deduplicating, n in ((True, 1), (False, 2)):
        book = TicketBook(is_deduplicating)
        numbers = {book.make("o", "key"), book.make("o", "key")}
        assert len(numbers) == n
        assert book.told()["duplicates"] == ([] if n == 1 else ["o"])


def test_rates_are_counted_by_tenths_of_a_second() -> None:
    arrivals = [10.0, 10.01, 10.02, 10.35, 11.0]
    assert windows(arrivals)[:4] == [30, 0, 0, 10]
    assert peak_per_second(arrivals) == 30
    assert mean_per_second(arrivals) == pytest.approx(5)
    assert (windows([]), peak_per_second([]), mean_per_second([])) == ([], None, None)


@pytest.mark.slow
def test_agents_make_one_ticket_an_order_however_the_service_behaves(tmp_path: Path) -> None:
    result = run_load(Load(6, 3.0, "create_ticket", HOSTILE))

    assert result.n_tasks > 6
    assert result.n_retried > 0
    assert result.n_repeats_stopped > 0, "done and answered by 500: the repeat meets its key"
    assert result.duplicates == ()
    assert 0 < result.n_tickets <= result.n_tasks
    assert len(result.arrivals) == result.n_attempts
    assert "No duplicate write." in results_text([result])
    write_plot([result, result], tmp_path / "plot.html")
    assert "with jitter" in (tmp_path / "plot.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_service_that_forgets_its_keys_is_found_out() -> None:
    forgetful = Faults(median_ms=5, broken_rate=0.3, is_deduplicating=False, outage_seconds=0)
    result = run_load(Load(6, 2.0, "create_ticket", forgetful, has_jitter=False))

    assert result.duplicates
    assert "duplicate writes!" in results_text([result])


@pytest.mark.slow
def test_the_command_tells_both_runs_and_keeps_the_traces(tmp_path: Path) -> None:
    db = tmp_path / "s.duckdb"
    arguments = ["loadtest", "--concurrency", "2", "--duration", "1", "--keep", "--json", "--db", str(db)]  # fmt: skip
    result = CliRunner().invoke(main, arguments)

    assert result.exit_code == 0, result.output
    with_jitter, without = json.loads(result.stdout)
    assert (with_jitter["has_jitter"], without["has_jitter"]) == (True, False)
    assert with_jitter["n_duplicates"] == 0
    with Database.open(db) as database:
        assert data_range(database) is not None
        (row,) = database.rows("select count(*) as n from tool_call where tool_name = 'create_ticket'")  # fmt: skip
    assert row["n"] >= with_jitter["n_tasks"] > 0
