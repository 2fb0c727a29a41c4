"""Alerts as they were told: every version of each, who took it over, whom it was sent to.

What is out of the ordinary is `metrics`' to say, and is found anew at every look. What is kept here
is what was told, so that a person sees its history, and is told once.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

import orjson

from replay_store.database import Database
from replay_store.errors import StoreError
from replay_store.reader import record_of
from replay_store.records import Alert, AlertAck, AlertNotice
from replay_store.statements import statement

__all__ = [
    "ACTIONS",
    "FIRING",
    "WITHDRAWN",
    "AlertError",
    "acknowledged",
    "alert_acks",
    "alert_history",
    "alert_notices",
    "held_alerts",
    "record_ack",
    "record_alerts",
    "record_notice",
]

Clock = Callable[[], int]
"""Nanoseconds since the epoch, now."""

ACTIONS: Final = ("acknowledge", "reopen", "note")
FIRING: Final = "firing"
WITHDRAWN: Final = "withdrawn"
_MAX_NAME_CHARS: Final = 200
_MAX_NOTE_CHARS: Final = 2_000


class AlertError(StoreError):
    """Something that cannot be done about an alert."""


def held_alerts(database: Database) -> list[Alert]:
    """The newest version of every alert ever told, by its beginning."""
    return _versions(database, alert_id=None, newest=True)


def alert_history(database: Database, alert_id: str) -> list[Alert]:
    """Every version of one alert, oldest first; empty for one that was never told."""
    return _versions(database, alert_id=alert_id, newest=False)


def record_alerts(
    database: Database, found: Sequence[Alert], *, start_time_ns: int, clock: Clock
) -> list[Alert]:
    """Keep what was found now; only what is new or has changed is written.

    An alert that was told before keeps its id and its incident, though more rows may have moved its
    beginning a little. One that fired and is found no more is withdrawn: late rows explained it.

    Args:
        database: The store.
        found: Everything that a look at the store finds.
        start_time_ns: From when on it looked; what ended before is left as it was told.
        clock: Now.

    Returns:
        The alerts as they are kept, in the order of `found`.
    """
    with database.transaction() as cursor:
        held = {alert.alert_id: alert for alert in held_alerts(database)}
        kept = _known(found, list(held.values()))
        now_ns = clock()
        gone = [
            replace(alert, state=WITHDRAWN)
            for alert_id, alert in held.items()
            if alert.state == FIRING
            and alert.last_time_ns >= start_time_ns
            and alert_id not in {item.alert_id for item in kept}
        ]
        for alert in (*kept, *gone):
            if _says_anew(alert, held.get(alert.alert_id)):
                version = replace(alert, recorded_time_ns=now_ns)
                cursor.execute(statement("sql/alert_insert"), _columns(version))
    return kept


def alert_acks(database: Database, incident_id: str | None = None) -> list[AlertAck]:
    """What people did about an incident, or about all of them, oldest first."""
    rows = database.rows(statement("sql/alert_acks"), {"incident_id": incident_id})
    return [AlertAck(**row) for row in rows]


def acknowledged(acks: Iterable[AlertAck]) -> dict[str, AlertAck]:
    """The acknowledgement in force of each incident; none for one that was reopened."""
    found: dict[str, AlertAck] = {}
    for ack in acks:
        if ack.action == "acknowledge":
            found[ack.incident_id] = ack
        elif ack.action == "reopen":
            found.pop(ack.incident_id, None)
    return found


def record_ack(
    database: Database,
    incident_id: str,
    action: str,
    *,
    author: str,
    note: str | None,
    clock: Clock,
) -> AlertAck:
    """Keep that somebody acknowledged an incident, reopened it, or noted something about it.

    Raises:
        AlertError: No such incident, no such action, or nobody's name.
    """
    name = _plain(author.strip())
    if action not in ACTIONS:
        raise AlertError(f"alert: {action!r}: expected one of {', '.join(ACTIONS)}")
    if not 0 < len(name) <= _MAX_NAME_CHARS:
        raise AlertError("alert: author: expected a name; write yours")
    with database.transaction() as cursor:
        if incident_id not in {alert.incident_id for alert in held_alerts(database)}:
            raise AlertError(
                f"alert: {incident_id}: no such incident; `toolsight check` lists those that fire"
            )
        text = _plain((note or "").strip())[:_MAX_NOTE_CHARS]
        # Later than what was done before, even if the clock stands still.
        before = max((ack.time_ns for ack in alert_acks(database, incident_id)), default=-1)
        ack = AlertAck(incident_id, action, name, text or None, max(clock(), before + 1))
        cursor.execute(statement("sql/alert_insert_ack"), asdict(ack))
    return ack


def alert_notices(database: Database, incident_id: str | None = None) -> list[AlertNotice]:
    """The messages about an incident, or about all of them, oldest first."""
    rows = database.rows(statement("sql/alert_notices"), {"incident_id": incident_id})
    return [AlertNotice(**row) for row in rows]


def record_notice(database: Database, notice: AlertNotice) -> None:
    """Keep that a message was sent, or could not be."""
    with database.transaction() as cursor:
        cursor.execute(statement("sql/alert_insert_notice"), asdict(notice))


def _versions(database: Database, *, alert_id: str | None, newest: bool) -> list[Alert]:
    parameters = {"alert_id": alert_id, "newest": newest}
    rows = database.rows(statement("sql/alert_versions"), parameters)
    return [record_of(Alert, row) for row in rows]


def _known(found: Sequence[Alert], held: Sequence[Alert]) -> list[Alert]:
    """What was found, under the ids by which it was told before.

    Each held alert is taken once; the incident keeps the id of the first alert of it that was told.
    """
    free = {alert.alert_id: alert for alert in held}
    same = {
        place: free.pop(alert.alert_id)
        for place, alert in enumerate(found)
        if alert.alert_id in free
    }
    for place, alert in enumerate(found):
        match = next((other for other in free.values() if _is_same(alert, other)), None)
        if place not in same and match is not None:
            same[place] = free.pop(match.alert_id)
    told: dict[str, str] = {}
    for place, match in sorted(same.items(), key=lambda item: item[1].recorded_time_ns):
        told.setdefault(found[place].incident_id, match.incident_id)
    return [
        replace(
            alert,
            alert_id=same[place].alert_id if place in same else alert.alert_id,
            incident_id=told.get(alert.incident_id, alert.incident_id),
        )
        for place, alert in enumerate(found)
    ]


def _is_same(alert: Alert, held: Alert) -> bool:
    """The same figure of the same part, at a time that they share."""
    if _subject(alert) != _subject(held):
        return False
    ends = [item.cleared_time_ns or item.last_time_ns for item in (alert, held)]
    return alert.since_time_ns <= ends[1] and held.since_time_ns <= ends[0]


def _subject(alert: Alert) -> tuple[str | None, ...]:
    return (alert.metric, alert.subject_kind, alert.subject_name, alert.tool_name)


def _says_anew(alert: Alert, held: Alert | None) -> bool:
    """Whether a version differs from the one before in anything but when it was written."""
    if held is None:
        return True
    return _columns(replace(alert, recorded_time_ns=held.recorded_time_ns)) != _columns(held)


def _columns(alert: Alert) -> dict[str, Any]:
    text = orjson.dumps(list(alert.deploys)).decode()
    return asdict(alert) | {"deploys": text}


def _plain(text: str) -> str:
    """Text that a column can hold: no lone surrogates, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "�")
