"""Alerts as they were told, and what people did about them."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from replay_store.alerts import (
    AlertError,
    acknowledged,
    alert_acks,
    alert_history,
    alert_notices,
    held_alerts,
    record_ack,
    record_alerts,
    record_notice,
)
from replay_store.database import Database
from replay_store.records import Alert, AlertNotice
from tests.stores import memory_store

HOUR = 3_600 * 10**9
SLOW = Alert(
    alert_id="a1",
    incident_id="a1",
    state="firing",
    severity="page",
    cause="rose",
    metric="latency_p95_call",
    subject_kind="tool",
    subject_name="search",
    tool_name="search",
    since_time_ns=10 * HOUR,
    fired_time_ns=12 * HOUR,
    last_time_ns=12 * HOUR,
    cleared_time_ns=None,
    n=80,
    value=900.0,
    unit="ms",
    baseline=200.0,
    n_baseline=700,
    limit_value=300.0,
    p_value=1e-9,
    trace_id="0" * 31 + "1",
    deploys=({"kind": "contract", "name": "search", "version": "2"},),
    recorded_time_ns=0,
)


@pytest.fixture
def database() -> Iterator[Database]:
    with memory_store() as database:
        yield database


def record(database: Database, *alerts: Alert, at: int = 1, start: int = 0) -> list[Alert]:
    return record_alerts(database, alerts, start_time_ns=start, clock=lambda: at)


def test_an_alert_is_read_as_it_was_written(database: Database) -> None:
    record(database, SLOW, at=7)
    (held,) = held_alerts(database)
    assert replace(held, deploys=tuple(held.deploys)) == replace(SLOW, recorded_time_ns=7)


def test_what_has_not_changed_is_not_written_again(database: Database) -> None:
    for at in (1, 2, 3):
        record(database, SLOW, at=at)
    assert [alert.recorded_time_ns for alert in alert_history(database, "a1")] == [1]


def test_a_change_is_one_version_more_and_the_newest_holds(database: Database) -> None:
    record(database, SLOW, at=1)
    record(database, replace(SLOW, state="cleared", cleared_time_ns=20 * HOUR), at=2)
    assert [alert.state for alert in alert_history(database, "a1")] == ["firing", "cleared"]
    assert [alert.state for alert in held_alerts(database)] == ["cleared"]


def test_a_beginning_that_moved_is_the_same_alert(database: Database) -> None:
    record(database, SLOW, at=1)
    (kept,) = record(
        database,
        replace(SLOW, alert_id="b2", incident_id="b2", since_time_ns=9 * HOUR),
        at=2,
    )
    assert (kept.alert_id, kept.incident_id) == ("a1", "a1")
    assert len(held_alerts(database)) == 1


def test_another_figure_and_another_time_are_other_alerts(database: Database) -> None:
    record(database, replace(SLOW, state="cleared", cleared_time_ns=20 * HOUR))
    record(
        database,
        replace(SLOW, state="cleared", cleared_time_ns=20 * HOUR),
        replace(SLOW, alert_id="a2", since_time_ns=30 * HOUR, last_time_ns=31 * HOUR),
        replace(SLOW, alert_id="a3", metric="retry_rate"),
    )
    assert [alert.alert_id for alert in held_alerts(database)] == ["a1", "a3", "a2"]


def test_what_is_found_no_more_is_withdrawn_only_if_it_was_looked_for(database: Database) -> None:
    record(database, SLOW)
    record(database, at=2, start=13 * HOUR)
    assert [alert.state for alert in held_alerts(database)] == ["firing"]
    record(database, at=3, start=5 * HOUR)
    assert [alert.state for alert in held_alerts(database)] == ["withdrawn"]
    record(database, SLOW, at=4)
    assert [alert.state for alert in alert_history(database, "a1")] == [
        "firing",
        "withdrawn",
        "firing",
    ]


def test_an_incident_is_acknowledged_noted_and_reopened(database: Database) -> None:
    record(database, SLOW)
    for at, (action, note) in enumerate([("acknowledge", " on it "), ("note", "pool too small")]):
        record_ack(database, "a1", action, author=" Ann ", note=note, clock=lambda at=at: at)  # type: ignore[misc]
    assert acknowledged(alert_acks(database))["a1"].author == "Ann"
    assert [ack.note for ack in alert_acks(database, "a1")] == ["on it", "pool too small"]
    record_ack(database, "a1", "reopen", author="Ann", note=None, clock=lambda: 9)
    assert acknowledged(alert_acks(database)) == {}


@pytest.mark.parametrize(
    ("incident", "action", "author"),
    [("zz", "note", "Ann"), ("a1", "delete", "Ann"), ("a1", "note", "  ")],
)
def test_nobody_acknowledges_what_is_not_there(
    database: Database, incident: str, action: str, author: str
) -> None:
    record(database, SLOW)
    with pytest.raises(AlertError, match=r"^alert: "):
        record_ack(database, incident, action, author=author, note=None, clock=lambda: 1)
    assert alert_acks(database) == []


def test_hostile_text_is_kept_as_text(database: Database) -> None:
    record(database, SLOW)
    note = "'); drop table alert; --\x00 <b>\ud800"
    record_ack(database, "a1", "note", author="Ann", note=note, clock=lambda: 1)
    (ack,) = alert_acks(database, "a1")
    assert ack.note == "'); drop table alert; --� <b>?"


def test_a_message_is_kept_with_its_outcome(database: Database) -> None:
    notice = AlertNotice("a1", "firing", "slack:3f2a", "failed", "timeout", 3, 5)
    record_notice(database, notice)
    assert alert_notices(database) == alert_notices(database, "a1") == [notice]
