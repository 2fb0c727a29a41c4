"""`toolsight check`: is anything out of the ordinary? For cron and CI."""

import time
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from dashboard.cli.options import db_option, engine_option, json_option
from dashboard.cli.stores import open_store
from dashboard.cli.tables import plain, table
from dashboard.engine import partial_sentence

if TYPE_CHECKING:
    from dashboard.alerting import Look, Told
    from metrics.alerts import Alert


@click.command("check", short_help="Exit 1 when something is out of the ordinary.")
@db_option
@engine_option
@json_option
@click.option("--page", "only_page", is_flag=True, help="Fail only for what cannot wait.")
@click.option(
    "--acknowledge", metavar="ID", help="Take an incident over: it is listed and fails no more."
)
@click.option("--reopen", metavar="ID", help="Take an acknowledgement back.")
@click.option("--by", help="Whose name stands beside it.  [default: the user's]")
@click.option("--note", default="", help="What to remember about it.")
def command(
    db: Path | None,
    engine: str | None,
    as_json: bool,
    only_page: bool,
    acknowledge: str | None,
    reopen: str | None,
    by: str | None,
    note: str,
) -> None:
    """Look for what is out of the ordinary; exit 1 when an incident goes on unacknowledged.

    Each figure is compared with its own history, hour by hour: two odd windows in a row, large
    enough to matter, and improbable even among all the series that are watched. What belongs
    together is told as one incident. With `--engine`, what is told and acknowledged is kept on this
    machine, and a shard that does not answer is named (`partial` in JSON).
    """
    from dashboard.alerting import look

    with open_store(db, engine=engine) as (database, settings):
        for incident_id, action in ((acknowledge, "acknowledge"), (reopen, "reopen")):
            if incident_id is not None:
                _act(database, incident_id, action, by, note)
        found = look(database, settings.thresholds, time.time_ns)
        zone, partial = ZoneInfo(settings.time_zone), partial_sentence(database)
    click.echo(_as_json(found, partial) if as_json else _as_text(found, zone))
    if partial and not as_json:
        click.echo(partial)
    if any(not only_page or told.incident.severity == "page" for told in found.open):
        click.get_current_context().exit(1)


def _act(database: object, incident_id: str, action: str, by: str | None, note: str) -> None:
    import getpass
    from typing import cast

    from replay_store.alerts import record_ack
    from replay_store.database import Database

    record_ack(
        cast("Database", database),
        incident_id,
        action,
        author=by or getpass.getuser(),
        note=note,
        clock=time.time_ns,
    )


def _as_text(found: "Look", zone: ZoneInfo) -> str:
    from dashboard.alert_text import incident_title

    if found.evaluation.scope is None:
        return "No data. Run `toolsight ingest PATH`, or look at `toolsight demo`."
    watched = f"{found.evaluation.n_series} series watched"
    if not found.firing:
        return f"Nothing is out of the ordinary; {watched}."
    rows = [
        (
            told.incident_id,
            told.incident.severity,
            _minute(told.incident.since_ns, zone),
            f"by {told.ack.author}" if told.ack else "-",
            incident_title(told.incident) + _more(told),
        )
        for told in found.firing
    ]
    headers = ("incident", "severity", f"since ({zone.key})", "acknowledged", "what")
    n_open = len(found.open)
    return f"{table(headers, rows)}\n\n{n_open} open, {watched}."


def _more(told: "Told") -> str:
    from dashboard.alert_text import deploy_text

    n_more = sum(alert.is_firing for alert in told.incident.alerts[1:])
    deploys = {deploy_text(deploy) for alert in told.incident.alerts for deploy in alert.deploys}
    parts = [f"and {n_more} more"] if n_more else []
    parts += [f"new then: {', '.join(sorted(map(plain, deploys)))}"] if deploys else []
    return f" ({'; '.join(parts)})" if parts else ""


def _minute(time_ns: int, zone: ZoneInfo) -> str:
    return datetime.fromtimestamp(time_ns / 1e9, zone).strftime("%Y-%m-%d %H:%M")


def _as_json(found: "Look", partial: str | None) -> str:
    import orjson

    body = {
        "n_series": found.evaluation.n_series,
        "n_open": len(found.open),
        "partial": partial,
        "incidents": [_incident(told) for told in found.told],
    }
    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()


def _incident(told: "Told") -> dict[str, object]:
    incident = told.incident
    return {
        "incident_id": told.incident_id,
        "severity": incident.severity,
        "is_firing": incident.is_firing,
        "since_ns": incident.since_ns,
        "cleared_ns": incident.cleared_ns,
        "acknowledged": asdict(told.ack) if told.ack else None,
        "alerts": [
            _alert(alert, alert_id)
            for alert, alert_id in zip(incident.alerts, told.alert_ids, strict=True)
        ],
    }


def _alert(alert: "Alert", alert_id: str) -> dict[str, object]:
    from dashboard.alert_text import alert_sentence

    plain_fields = {
        name: value for name, value in asdict(alert).items() if name not in {"key", "deploys"}
    }
    subject = asdict(alert.key.subject) if alert.key.subject else None
    return {
        "alert_id": alert_id,
        "metric": alert.key.metric,
        "subject": subject,
        "what": alert_sentence(alert),
        **plain_fields,
        "deploys": [asdict(deploy) for deploy in alert.deploys],
    }
