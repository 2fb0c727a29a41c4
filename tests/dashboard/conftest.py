"""Pages run in this process over a store: no browser, no server."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dashboard import background, runtime
from dashboard.settings import Settings
from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, derive
from replay_store.records import Span
from tests.stores import memory_store

MakeSpan = Callable[..., Span]
WriteSpans = Callable[[list[Span]], Database]
APP = Path(__file__).parents[2] / "dashboard" / "app.py"


class OpenPage(Protocol):
    """Runs one page over a store, with the query of its address."""

    def __call__(
        self,
        database: Database,
        page: str,
        loading: runtime.Loading | None = None,
        /,
        **query: str,
    ) -> AppTest: ...


@pytest.fixture(scope="session", autouse=True)
def components_looked_for_once() -> Iterator[None]:
    """Each `AppTest` looks through all installed packages again: half of what its run costs."""
    with pytest.MonkeyPatch.context() as patch:
        found = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", found)
        yield


@pytest.fixture(scope="session")
def sample_store(
    sample_copy: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """The sample traces, loaded and derived. Read only: several tests share it."""
    path = sample_copy(tmp_path_factory.mktemp("samples") / "samples.duckdb")
    with Database.open(path) as database:
        yield database


@pytest.fixture(autouse=True)
def work_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page waits for the work that it begins until it is over, as it does for quick work."""
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 60.0)


@pytest.fixture
def empty_store() -> Iterator[Database]:
    with memory_store() as database:
        yield database


@pytest.fixture
def write_spans(empty_store: Database) -> WriteSpans:
    """Stores, maps and derives spans; gives the store."""

    def write(spans: list[Span]) -> Database:
        batch = Batch(spans=spans)
        map_batch(batch)
        Writer(empty_store).write(batch)
        derive(empty_store)
        return empty_store

    return write


@pytest.fixture
def open_page() -> Iterator[OpenPage]:
    def run(
        database: Database,
        page: str,
        loading: runtime.Loading | None = None,
        /,
        **query: str,
    ) -> AppTest:
        st.cache_data.clear()
        st.cache_resource.clear()
        runtime.start(runtime.Runtime(database, Settings(), loading))
        app = AppTest.from_file(str(APP), default_timeout=60)
        for name, value in query.items():
            app.query_params[name] = value
        app._page_hash = calc_hash(page)  # the pages are functions, which AppTest cannot name
        app.run()
        assert [error.message for error in app.exception] == []
        return app

    yield run
    runtime.stop()
