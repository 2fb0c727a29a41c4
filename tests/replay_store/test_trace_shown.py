"""What lists of traces ask is kept with each trace: the same as its calls and signs of a fault say."""

from collections.abc import Callable
from pathlib import Path

from replay_store import Database
from replay_store.migrate import migrations
from tests.bench import fleet_month
from tests.stores import memory_store

_KEPT = """
select
    trace_id,
    coalesce(tool_names, ['?']) as tool_names,
    coalesce(call_error_types, ['?']) as call_error_types,
    coalesce(fault_signs, ['?']) as fault_signs
from trace
order by trace_id
"""
_SAID = """
select
    trace_id,
    list_sort(coalesce((select list(distinct c.tool_name) from tool_call c
        where c.trace_id = trace.trace_id), [])) as tool_names,
    list_sort(coalesce((select list(distinct c.error_type) from tool_call c
        where c.trace_id = trace.trace_id and c.error_type is not null), [])) as call_error_types,
    list_sort(coalesce((select list(distinct f.sign) from fault_sign f
        where f.trace_id = trace.trace_id and not f.is_recovered), [])) as fault_signs
from trace
order by trace_id
"""


def test_a_trace_keeps_what_its_calls_and_signs_say(
    sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    with Database.open(sample_copy(tmp_path / "shop.duckdb")) as database:
        kept, said = database.rows(_KEPT), database.rows(_SAID)
    assert kept == said
    shown = {sign for row in kept for sign in row["fault_signs"]}
    assert {"timeout", "blocked", "repeated_call", "conflict", "unknown_value", "noise"} <= shown


def test_what_is_tried_again_in_vain_is_kept_too() -> None:
    with memory_store() as database:
        fleet_month.fill(database, round(150 * fleet_month.SPANS_A_TRACE))
        kept, said = database.rows(_KEPT), database.rows(_SAID)
    assert kept == said
    assert any("futile_retry" in row["fault_signs"] for row in kept)


def test_an_older_store_is_told_the_same(
    sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    text = next(each.sql for each in migrations() if each.name.startswith("0030"))
    filling = text[text.index("create temp table shown") : text.index("drop table shown;")]
    with Database.open(sample_copy(tmp_path / "shop.duckdb")) as database:
        before = database.rows(_KEPT)
        with database.transaction() as cursor:
            for table in ("trace_open", "trace_sealed"):
                cursor.execute(
                    f"update {table} set tool_names = null, call_error_types = null, "
                    "fault_signs = null"
                )
            cursor.execute(filling)
        assert database.rows(_KEPT) == before
