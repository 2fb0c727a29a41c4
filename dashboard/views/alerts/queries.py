"""What the Alerts page asks, and what people do there."""

import time

from dashboard import queries, runtime
from dashboard.alerting import Look, look
from dashboard.refreshed import Answer
from replay_store import alerts
from replay_store.records import Alert, AlertAck, AlertNotice


def newest_look() -> Answer[Look]:
    """What is out of the ordinary, looked for anew when the store has moved."""
    opened, thresholds = queries.database(), runtime.current().settings.thresholds
    key = queries.store_key()
    return runtime.current().answers.ask(
        (key.store, "alerts", thresholds),
        key.version,
        lambda: look(opened, thresholds, time.time_ns),
    )


def acks() -> list[AlertAck]:
    """What people did about incidents, oldest first. Not cached: it is what was just done."""
    return alerts.alert_acks(queries.database())


def notices(incident_id: str) -> list[AlertNotice]:
    """The messages about an incident."""
    return alerts.alert_notices(queries.database(), incident_id)


def told() -> list[Alert]:
    """Every alert ever told, newest first."""
    return alerts.held_alerts(queries.database())[::-1]


def act(incident_id: str, action: str, author: str, note: str) -> None:
    """Keep what somebody did about an incident.

    Raises:
        AlertError: Nobody's name, or no such incident.
    """
    alerts.record_ack(
        queries.database(), incident_id, action, author=author, note=note, clock=time.time_ns
    )
