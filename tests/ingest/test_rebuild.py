"""History read again gives the same rows, and heals rows that an older version had mapped badly."""

from pathlib import Path

from ingest import import_paths
from ingest.rebuild import rebuild
from replay_store import Database, derive
from tests.stores import memory_store

TABLES = (
    "span_role",
    "llm_call",
    "call_evidence",
    "guard_event",
    "trace",
    "tool_call",
    "attempt",
    "decision",
    "guard_evaluation",
)


def snapshot(database: Database) -> dict[str, list[str]]:
    return {table: sorted(map(str, database.rows(f"from {table}"))) for table in TABLES}


def test_a_rebuild_changes_nothing_that_was_right_and_mends_what_was_not(shared: Path) -> None:
    folder = shared / "clients" / "captures" / "strands-native"
    with memory_store() as database:
        import_paths([folder], database)
        derive(database)
        before = snapshot(database)
        with database.transaction() as cursor:
            cursor.execute("update span_role set role = 'other'")
            cursor.execute("delete from call_evidence")
        seen: list[tuple[int, int]] = []
        n_spans = rebuild(database, on_progress=lambda done, total: seen.append((done, total)))
        assert snapshot(database) == before
        assert seen[-1] == (n_spans, n_spans)


def test_an_empty_store_has_nothing_to_rebuild() -> None:
    with memory_store() as database:
        assert rebuild(database) == 0
