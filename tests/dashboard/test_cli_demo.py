"""The demo: a store of its own, the samples in it, a browser only where one can show up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dashboard.cli import main
from dashboard.runtime import Addresses, LoadCancelled, Loading
from dashboard.serving import server
from dashboard.serving.demo import load_samples
from dashboard.settings import Settings
from replay_store.database import Database
from replay_store.reader import TraceFilter
from replay_store.replay import runs
from replay_store.trace_counts import count_traces
from tests.stores import memory_store


class _Served:
    """Stands in for the server, which would not return."""

    def __init__(self) -> None:
        self.settings: list[Settings] = []
        self.loaders: list[object] = []

    def __call__(
        self,
        settings: Settings,
        *,
        on_ready: Callable[[Addresses], None],
        loader: object,
        is_receiving: bool,
    ) -> None:
        assert is_receiving is (loader is None), "samples, or traces as they come"
        self.settings.append(settings)
        self.loaders.append(loader)
        settings.db.touch()
        on_ready(Addresses("http://127.0.0.1:1", None, None, None))


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> _Served:
    served = _Served()
    monkeypatch.setattr(server, "serve", served)
    return served


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was asked to open."""
    opened: list[str] = []

    def run_at_once(*, target: Callable[..., Any], args: tuple[str], daemon: bool) -> Any:
        assert daemon
        assert target.__name__ == "open"
        opened.extend(args)
        return type("Thread", (), {"start": lambda _self: None})()

    monkeypatch.setattr("dashboard.cli.demo.threading.Thread", run_at_once)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    return opened


def test_the_store_of_a_demo_is_gone_afterwards(served: _Served, opened: list[str]) -> None:
    result = CliRunner().invoke(main, ["demo"])

    assert result.exit_code == 0, result.output
    assert "http://127.0.0.1:1" in result.stdout
    assert not served.settings[0].db.parent.exists()
    assert served.loaders == [load_samples]
    assert opened == []


@pytest.mark.usefixtures("opened")
def test_a_demo_judges_its_tools_by_their_contracts(served: _Served) -> None:
    CliRunner().invoke(main, ["demo"])

    thresholds = served.settings[0].thresholds
    sla = thresholds.of("latency_p95_call", "query_order_status")
    quota = thresholds.promise("create_ticket")
    assert (sla and sla.limit, quota and quota.caller_per_day) == (1_000, 20)


def test_a_demo_never_touches_the_store_of_the_environment(
    served: _Served, opened: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLSIGHT_DB", str(tmp_path / "mine.duckdb"))

    CliRunner().invoke(main, ["demo"])

    assert served.settings[0].db != tmp_path / "mine.duckdb"
    assert not (tmp_path / "mine.duckdb").exists()


def test_a_live_demo_opens_where_it_keeps_itself_up_to_date(
    served: _Served, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")

    result = CliRunner().invoke(main, ["demo", "--live"])

    assert served.loaders == [None]
    assert opened == ["http://127.0.0.1:1/?live=5"]
    assert opened[0] in result.stdout


def test_a_named_store_is_kept(served: _Served, opened: list[str], tmp_path: Path) -> None:
    CliRunner().invoke(main, ["demo", "--db", str(tmp_path / "kept.duckdb"), "--port", "8600"])

    assert (tmp_path / "kept.duckdb").exists()
    assert served.settings[0].port == 8600


@pytest.mark.parametrize(
    ("platform", "display", "arguments", "expected"),
    [
        ("linux", ":0", (), ["http://127.0.0.1:1"]),
        ("linux", ":0", ("--no-browser",), []),
        ("linux", "", (), []),
        ("darwin", "", (), ["http://127.0.0.1:1"]),
    ],
)
def test_a_browser_opens_where_it_can_be_seen(
    served: _Served,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    platform: str,
    display: str,
    arguments: tuple[str, ...],
    expected: list[str],
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("DISPLAY", display)

    CliRunner().invoke(main, ["demo", *arguments])

    assert opened == expected


class _Watched(Loading):
    """Remembers how far it was told to be."""

    def __init__(self) -> None:
        super().__init__()
        self.fractions: list[float] = []

    def report(self, fraction: float, label: str) -> None:
        self.fractions.append(fraction)
        super().report(fraction, label)


@pytest.fixture(scope="module")
def loading() -> _Watched:
    return _Watched()


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory, loading: _Watched) -> Path:
    """A store that the samples were loaded into."""
    path = tmp_path_factory.mktemp("demo") / "samples.duckdb"
    with Database.open(path) as database:
        load_samples(database, loading)
    return path


@pytest.mark.slow
def test_the_samples_load_with_progress_to_the_end(db: Path, loading: _Watched) -> None:
    with Database.open(db) as database:
        assert count_traces(database, TraceFilter()) > 0
    assert loading.fractions == sorted(loading.fractions)
    assert loading.fractions[-1] == 1.0


def test_a_stopping_server_ends_the_load() -> None:
    loading = Loading()
    loading.cancel()

    with memory_store() as database, pytest.raises(LoadCancelled):
        load_samples(database, loading)


@pytest.mark.slow
def test_demo_answers_are_json_serialisable_after_loading(db: Path) -> None:
    """The whole way: samples, report, JSON."""
    with Database.open(db) as database:
        [run] = runs(database)
        assert (run.created_by, run.chooser) == ("demo", "lexical")
        assert run.n_cases == run.n_broken + run.n_fixed + run.n_same_right + run.n_same_wrong

    result = CliRunner().invoke(main, ["report", "--db", str(db), "--json", "--range", "all"])

    answer = json.loads(result.stdout)
    assert answer["accuracy"]["selection"]["n"] > 0
    assert answer["retries"]["rate"]["value"] > 0


def test_a_demo_has_nothing_to_do_with_a_cluster(
    served: _Served, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Invented traces are not sent to where real ones are, and real ones are not shown as invented."""
    monkeypatch.setenv("TOOLSIGHT_SHIP", "clickhouse://ch1:8123/toolsight")
    monkeypatch.setenv("TOOLSIGHT_ENGINE", "clickhouse://ch1:8123/toolsight")
    db = tmp_path / "demo.duckdb"
    result = CliRunner().invoke(main, ["demo", "--no-browser", "--db", str(db)])
    assert result.exit_code == 0, result.output
    [settings] = served.settings
    assert (settings.ship, settings.engine, settings.db) == (None, None, db)
