"""`toolsight notify`: tell people what is out of the ordinary."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from dashboard.cli.options import db_option, json_option
from dashboard.cli.stores import open_store
from dashboard.cli.tables import table

if TYPE_CHECKING:
    from dashboard.notify import Channel
    from dashboard.settings import Settings

_NONE = (
    "No channels. Set TOOLSIGHT_NOTIFY to a JSON list of Apprise addresses, such as "
    '["slack://…", "mailto://…"].'
)


def _hand_down(ctx: click.Context, _parameter: click.Parameter, db: Path | None) -> None:
    if db is not None:
        ctx.default_map = {name: {"db": str(db)} for name in ("test", "send")}


@click.group("notify", short_help="Tell people what is out of the ordinary.")
@click.option(
    "--db",
    type=click.Path(dir_okay=False, path_type=Path),
    expose_value=False,
    callback=_hand_down,
    help="Store file, for the commands below.",
)
def command() -> None:
    """Send incidents to Slack, mail, DingTalk, Feishu, WeCom, webhooks and many more.

    The addresses are those of Apprise, in TOOLSIGHT_NOTIFY. They hold secrets and are never shown:
    a channel is named by its kind and a fingerprint.
    """


@command.command("test", short_help="Send a test message to every channel.")
@db_option
@json_option
def test(db: Path | None, as_json: bool) -> None:
    """Send a test message to every channel; exit 1 when one did not take it."""
    from dashboard.notify import Message

    with open_store(db) as (_, settings):
        held = _channels(settings)
    message = Message("Toolsight: a test", "If you can read this, incidents will reach you here.")
    outcomes = [(channel.name, channel.send(message, time.sleep)) for channel in held]
    _tell(
        [
            (name, "sent" if item.is_sent else "failed", item.n_tries, item.detail)
            for name, item in outcomes
        ],
        ("channel", "outcome", "tries", "detail"),
        as_json=as_json,
    )
    if not held or not all(outcome.is_sent for _, outcome in outcomes):
        click.get_current_context().exit(1)


@command.command("send", short_help="Look, and send what nobody was told yet.")
@db_option
@json_option
def send(db: Path | None, as_json: bool) -> None:
    """Look for what is out of the ordinary and send what each channel was not told yet.

    For cron. Each channel is told once that an incident goes on and once that it is over; what
    could not be sent is tried again the next time. Exit 1 when a message could not be sent.
    """
    from dashboard.alerting import look
    from dashboard.notify import announce

    with open_store(db) as (database, settings):
        held = _channels(settings)
        notices = announce(
            database,
            look(database, settings.thresholds, time.time_ns),
            held,
            clock=time.time_ns,
            sleep=time.sleep,
            zone=ZoneInfo(settings.time_zone),
            lang=settings.language or "en",
        )
    rows = [(x.channel, x.incident_id, x.state, x.outcome, x.n_tries, x.detail) for x in notices]
    headers = ("channel", "incident", "state", "outcome", "tries", "detail")
    _tell(rows, headers, as_json=as_json, empty="Nothing new to tell." if held else _NONE)
    if any(notice.outcome != "sent" for notice in notices):
        click.get_current_context().exit(1)


def _channels(settings: "Settings") -> "list[Channel]":
    from dashboard.notify import channels

    return channels(address.get_secret_value() for address in settings.notify)


def _tell(
    rows: Sequence[Sequence[object]],
    headers: Sequence[str],
    *,
    as_json: bool,
    empty: str = _NONE,
) -> None:
    import orjson

    if as_json:
        body = [dict(zip(headers, row, strict=True)) for row in rows]
        click.echo(orjson.dumps(body, option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(table(headers, rows) if rows else empty)
