"""Which rows a question reads, told from its text and its parameters."""

import re
from importlib.resources import files
from pathlib import Path
from uuid import UUID

import duckdb
import pytest

from replay_store.cluster.closure import having
from replay_store.cluster.needs import Catalogue, Need, Period
from replay_store.database import Database
from tests.stores import memory_store

TRACE = "0af7651916cd43dd8448eb211c80319c"


def _texts() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in ("metrics", "replay_store"):
        folder = Path(str(files(package))) / "sql"
        found |= {
            f"{package}/{path.relative_to(folder)}": path.read_text()
            for path in folder.rglob("*.sql")
        }
    return found


TEXTS = _texts()


def _scanned(database: Database, sql: str) -> frozenset[str] | None:
    """The tables that DuckDB's own plan reads; None for what it cannot plan by itself."""
    code = re.sub(r"--.*", "", sql)
    if not re.match(r"\s*(select|with|from)\b", code, re.IGNORECASE):
        return None
    try:
        with database.snapshot() as cursor:
            cursor.execute("pragma disable_optimizer")
            names = re.findall(r"\$(\w+)", code)
            given = {name: 0.5 if name.startswith("q") else None for name in names}
            [(_, plan)] = cursor.execute(f"explain (format json) {sql}", given).fetchall()
    except duckdb.Error:
        return None
    found = re.findall(r'"Table": "((?:[^"\\]|\\.)+)"', plan)
    return frozenset(name.rpartition(".")[2].strip('\\"') for name in found)


def test_no_table_that_a_plan_reads_is_missed() -> None:
    with memory_store() as database:
        catalogue = Catalogue.of(database)
        planned = {name: _scanned(database, sql) for name, sql in TEXTS.items()}
        missed = {
            name: tables - catalogue.read(TEXTS[name])
            for name, tables in planned.items()
            if tables is not None and tables - catalogue.read(TEXTS[name])
        }
    assert sum(bool(tables) for tables in planned.values()) > 60
    assert missed == {}


@pytest.mark.parametrize(
    ("parameters", "trace_ids", "period"),
    [
        ({}, None, None),
        ({"start_time_ns": 5, "end_time_ns": 9}, None, Period(5, 9)),
        ({"before_time_ns": 1, "start_time_ns": 5, "end_time_ns": 9}, None, Period(1, 9)),
        ({"start_time_ns": None, "end_time_ns": None}, None, None),
        (
            {"before_hour": 1, "start_hour": 2, "end_hour": 3},
            None,
            Period(3600 * 10**9, 3 * 3600 * 10**9),
        ),
        ({"trace_id": TRACE}, (TRACE,), None),
        ({"trace_id": str(UUID(TRACE))}, (TRACE,), None),
        ({"trace_id": None}, None, None),
        ({"trace_ids": [TRACE, TRACE]}, (TRACE,), None),
        ({"trace_ids": []}, (), None),
        ({"trace_ids": [TRACE], "first_hour": None, "last_hour": None}, (TRACE,), None),
        ({"trace_id": "'; drop table trace_local; --"}, (), None),
        ({"trace_id": TRACE, "start_time_ns": 5, "end_time_ns": 9}, (TRACE,), Period(5, 9)),
    ],
)
def test_parameters_say_which_traces(
    parameters: dict[str, object], trace_ids: tuple[str, ...] | None, period: Period | None
) -> None:
    catalogue = Catalogue(frozenset({"span"}), {})
    need = Need(frozenset({"span"}), trace_ids, period)
    assert catalogue.need("select * from span", parameters) == need


def test_a_task_or_a_session_says_which_traces_where_nothing_else_does() -> None:
    catalogue = Catalogue(frozenset({"span"}), {})
    given = {"task_id": "it's", "session_id": None, "start_time_ns": None}
    assert catalogue.need("from span", given).named == (("task_id", "it's"),)
    assert catalogue.need("from span", given | {"start_time_ns": 5}).named == ()


@pytest.mark.parametrize("is_cluster", [True, False])
def test_a_text_in_a_condition_ends_where_it_ends(is_cluster: bool) -> None:
    evil = "a\\' or 1=1 --"
    written = {True: "'a\\\\\\' or 1=1 --'", False: "'a\\'' or 1=1 --'"}
    assert having([("task_id", evil)], is_cluster=is_cluster) == f"task_id = {written[is_cluster]}"


def test_what_looks_back_has_no_period() -> None:
    catalogue = Catalogue(frozenset({"span"}), {})
    given = {"start_time_ns": 5, "end_time_ns": 9}
    assert catalogue.need("select * from span -- /* every row */", given).period is None
    assert catalogue.need("select * from span -- /* extremes */", given).is_extreme


def test_views_and_macros_are_looked_into_and_comments_are_not() -> None:
    texts = {
        "seen": "create view seen as (select * from ((span anti join gone using (id))))",
        "made": "from seen",
    }
    catalogue = Catalogue(frozenset({"span", "gone", "label"}), texts)
    assert catalogue.read("select * -- from label\nfrom made(1)") == {"span", "gone"}
