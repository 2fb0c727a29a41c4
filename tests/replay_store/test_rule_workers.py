"""Who reads by which version is kept when it is news, and read from traces as it is."""

from pathlib import Path

from pipeline.observation import load_rules, package_rule_texts, package_rules
from replay_store.database import Database
from replay_store.rule_workers import MAX_WORKERS, SAME_NS, WorkerLog, read_by, rule_workers
from tests.observed import emit, order_status


def test_a_look_is_kept_when_it_is_news_or_some_time_has_passed(database: Database) -> None:
    now = [1]
    log = WorkerLog(database, lambda: now[0])

    for at, version in ((1, "a"), (2, "a"), (3, "b"), (4, "b"), (3 + SAME_NS, "b")):
        now[0] = at
        log.note("agent", version, None, None)

    rows = database.rows("select version, time_ns from rule_worker order by time_ns")
    assert [tuple(row.values()) for row in rows] == [("a", 1), ("b", 3), ("b", 3 + SAME_NS)]
    [told] = rule_workers(database, 0)
    assert (told.worker, told.version) == ("agent", "b")
    assert rule_workers(database, 4 + SAME_NS) == []


def test_a_flood_of_names_is_no_flood_of_rows(database: Database) -> None:
    log = WorkerLog(database, lambda: 1)
    log._last = {f"{n}": None for n in range(MAX_WORKERS)}  # type: ignore[misc]

    log.note("one too many", None, None, None)

    assert rule_workers(database, 0) == []


def test_traces_say_what_they_were_read_with(database: Database, tmp_path: Path) -> None:
    emit(database, tmp_path, [[order_status("shipped")]] * 3)
    [found] = read_by(database, 0, 2**62)
    assert (found.rule_version, found.n) == (package_rules().version, 3)
    assert found.service_name is not None

    assert read_by(database, 0, 1) == []


def test_a_version_of_ones_own_is_told_apart(database: Database, tmp_path: Path) -> None:
    rules = load_rules(package_rule_texts(), "abc")
    emit(database, tmp_path, [[order_status("shipped")]], rules=rules)

    assert [item.rule_version for item in read_by(database, 0, 2**62)] == ["abc"]
