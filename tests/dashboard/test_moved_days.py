"""Days that were moved out of the store answer every question of every page as they did before."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dashboard.menu import PAGES
from replay_store import Database, TraceFilter, seal
from replay_store.reader import find_traces, time_bounds
from replay_store.records import Span
from replay_store.text_search import TextSearch
from replay_store.tier.move import move
from tests.dashboard.conftest import OpenPage, WriteSpans

NOW = 1_797_000_000_000_000_000
EVER = 1 << 62
Question = tuple[str, dict[str, Any]]


@pytest.fixture
def store(sample_copy: Callable[[Path], Path], tmp_path: Path) -> Iterator[Database]:
    with Database.open(sample_copy(tmp_path / "samples.duckdb")) as database:
        seal(database, quiet_before_ns=EVER)
        yield database


def asked_by_pages(database: Database, open_page: OpenPage) -> list[Question]:
    """What every page asks, with the default range and an example of each trace's page."""
    asked: dict[str, Question] = {}
    plain = Database._asked

    def noting(self: Database, sql: str, parameters: Any, *more: Any) -> Any:
        asked[f"{sql} {parameters!r}"] = (sql, dict(parameters or {}))
        return plain(self, sql, parameters, *more)

    traces = find_traces(database, TraceFilter(), limit=3_000)
    shown = [
        traces[0],
        traces[len(traces) // 2],
        traces[-1],
        max(traces, key=lambda it: it.n_spans),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "_asked", noting)
        for page in PAGES:
            open_page(database, page.key)
        for trace in shown:
            open_page(database, "trace", trace_id=trace.trace_id)
            open_page(database, "saw", trace_id=trace.trace_id)
        open_page(database, "traces", q="tool:refund_order error:any")
    own = ("store_state", "tier_file", "row_number")
    return [it for it in asked.values() if not any(name in it[0] for name in own)]


def answers(database: Database, questions: list[Question]) -> list[list[list[Any]]]:
    """The rows of each answer, in no order."""
    found = (database.rows(sql, parameters) for sql, parameters in questions)
    return [sorted((list(row.values()) for row in rows), key=_told) for rows in found]


def _told(value: Any) -> str:
    """A value to sort by: of a real number the digits that adding up in any order keeps."""
    if isinstance(value, list):
        return str([_told(item) for item in value])
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def is_same(value: Any, other: Any) -> bool:
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(is_same, value, other))
    if isinstance(value, float) and isinstance(other, float):
        return value == other or math.isclose(value, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(value == other)


def words_found(database: Database) -> set[str]:
    search = TextSearch(database, ["refund"], slice_rows=5_000)
    search.run()
    assert search.state.is_done
    assert not search.state.is_stopped
    return set(search.state.trace_ids)


@pytest.mark.slow
def test_every_question_of_every_page_is_answered_as_before(
    store: Database, tmp_path: Path, open_page: OpenPage
) -> None:
    questions = asked_by_pages(store, open_page)
    before, found = answers(store, questions), words_found(store)
    assert len(questions) > 100
    bounds = time_bounds(store)
    assert bounds is not None
    middle_ns = (bounds.first_time_ns + bounds.last_time_ns) // 2

    assert move(store, tmp_path / "it's [old]", before_ns=middle_ns, now_ns=NOW)

    after = zip(questions, before, answers(store, questions), strict=True)
    assert [sql for (sql, _), was, now in after if not is_same(was, now)] == []
    assert words_found(store) == found


def test_pages_say_which_days_they_go_without(
    write_spans: WriteSpans, make_span: Callable[..., Span], tmp_path: Path, open_page: OpenPage
) -> None:
    database = write_spans([make_span(trace_id=f"{n:032x}") for n in (1, 2)])
    seal(database, quiet_before_ns=EVER)
    folder = tmp_path / "old"
    move(database, folder, before_ns=EVER, now_ns=NOW)
    assert not open_page(database, "traces").warning

    folder.rename(tmp_path / "away")

    for page in PAGES:
        [told] = [
            it.value for it in open_page(database, page.key).warning if "moved day" in it.value
        ]
        assert "1 moved day is not reachable (2025-12-01)" in told
    assert [
        it.value
        for it in open_page(database, "traces", lang="zh").warning
        if "2025-12-01" in it.value
    ]
    (tmp_path / "away").rename(folder)
    assert not open_page(database, "traces").warning
