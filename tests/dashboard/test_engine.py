"""`--engine`: commands and pages over a real cluster say what the store says, and what is missing."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from dashboard.engine import PARTIAL, engine_store
from dashboard.i18n import catalogue
from dashboard.settings import Language, read_settings
from replay_store.cluster.client import Client, ClusterUrl
from replay_store.cluster.engine import Engine
from replay_store.cluster.ship import Shipper
from replay_store.database import Database
from replay_store.records import Span
from tests.dashboard.conftest import OpenPage
from tests.replay_store.cluster.conftest import Clock, Cluster, cluster, running_cluster
from tests.replay_store.conftest import Agent

__all__ = ["cluster", "running_cluster"]

NAME = "engine_pages"
TRACES = [uuid5(NAMESPACE_OID, str(number)).hex for number in range(12)]


@pytest.fixture(scope="module")
def store_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("engine") / "store.duckdb"


@pytest.fixture
def shipped(store_path: Path, cluster: Cluster, make_span: Callable[..., Span]) -> Path:
    """The file of a store that was shipped, once; some of its traces lie on each shard."""
    if not store_path.exists():
        with Database.open(store_path) as database:
            agent = Agent(database, make_span)
            for trace_id in TRACES:
                agent.root(trace_id=trace_id)
                agent.tool(2, 1, 2, "get_order", trace_id=trace_id)
            agent.write()
            client = Client(ClusterUrl.parse(cluster.ship_url(NAME)))
            Shipper(database, client).ship_all()
            client.close()
    return store_path


def toolsight(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def engine_options(cluster: Cluster, shipped: Path, tmp_path: Path) -> tuple[object, ...]:
    return ("--engine", cluster.url(NAME), "--db", tmp_path / "own.duckdb")


def test_report_trace_and_check_say_what_the_store_says(
    engine_options: tuple[object, ...], shipped: Path
) -> None:
    for command in (
        ("report", "--range", "all"),
        ("report", "--range", "all", "--json"),
        ("report", "--by", "trace", "--json"),
        ("trace", TRACES[0]),
        ("trace", TRACES[0], "--json", "--lang", "zh"),
        ("check",),
        ("check", "--json"),
    ):
        there = toolsight(*command, "--db", shipped)
        here = toolsight(*command, *engine_options)
        assert (here.exit_code, here.output) == (there.exit_code, there.output), command
    assert json.loads(toolsight("report", "--json", *engine_options).output)["partial"] is None


def test_a_missing_shard_is_said_by_every_command(
    engine_options: tuple[object, ...], cluster: Cluster
) -> None:
    cluster.kill(1)
    sentence = PARTIAL["en"]
    assert sentence in toolsight("report", "--range", "all", *engine_options).stdout
    for command in ("report", "check"):
        told = json.loads(toolsight(command, "--json", *engine_options).stdout)
        assert told["partial"] == sentence
    assert sentence in toolsight("check", *engine_options).stdout
    here = [
        trace_id
        for trace_id in TRACES
        if toolsight("trace", trace_id, *engine_options).exit_code == 0
    ]
    assert 0 < len(here) < len(TRACES)
    assert PARTIAL["zh"] in toolsight("trace", here[0], "--lang", "zh", *engine_options).stderr


def test_without_any_shard_there_is_one_sentence(
    engine_options: tuple[object, ...], cluster: Cluster
) -> None:
    for shard in (0, 1):
        cluster.kill(shard)
    for command in (("report",), ("trace", TRACES[0]), ("check",), ("serve", "--port", 0)):
        result = toolsight(*command, *engine_options)
        assert result.exit_code == 1
        assert "start it, or correct the address" in result.stderr
        assert "Traceback" not in result.output


def test_what_people_write_is_refused_by_a_command_and_acknowledging_is_not(
    engine_options: tuple[object, ...], shipped: Path
) -> None:
    result = toolsight("check", "--acknowledge", "nothing", *engine_options)
    assert "no such incident" in result.stderr


def test_the_files_of_two_clusters_and_of_a_store_are_apart(tmp_path: Path) -> None:
    db = tmp_path / "toolsight.duckdb"
    first, second = (engine_store(db, f"clickhouse://me:hunter2@{host}:8123/x") for host in "ab")
    assert len({db, first, second}) == 3
    assert engine_store(db, "clickhouse://other:word@a:8123/x") == first
    settings = read_settings(db=db, engine="clickhouse://me:hunter2@a:8123/x")
    assert settings.db == first
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_languages_say_what_the_commands_say(language: Language) -> None:
    assert catalogue(language)["engine_partial"] == PARTIAL[language]


class TestPages:
    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def opened(self, cluster: Cluster, shipped: Path, clock: Clock) -> Iterator[Engine]:
        with Engine.connect(None, cluster.url(NAME), clock=clock) as engine:
            yield engine

    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_a_missing_shard_is_said_above_the_page(
        self,
        opened: Engine,
        cluster: Cluster,
        clock: Clock,
        open_page: OpenPage,
        language: Language,
    ) -> None:
        page = open_page(opened, "traces", lang=language, range="all")
        assert [each.value for each in page.warning] == []
        read_only = catalogue(language)["engine_read_only"]
        assert read_only in [each.value for each in page.caption]
        cluster.kill(1)
        clock.pass_by()
        for name in ("traces", "overview"):
            page = open_page(opened, name, lang=language, range="all")
            assert PARTIAL[language] in [each.value for each in page.warning]

    def test_without_any_shard_the_page_says_so(
        self, opened: Engine, cluster: Cluster, open_page: OpenPage
    ) -> None:
        for shard in (0, 1):
            cluster.kill(shard)
        page = open_page(opened, "overview", lang="en")
        assert [each.value for each in page.error] == [catalogue("en")["engine_failed"]]
        assert any("start it, or correct the address" in each.value for each in page.text)
        assert [each.value for each in page.warning] == []
