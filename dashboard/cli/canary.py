"""`toolsight canary`: does the guard still stop what it must? For cron, beside the agent."""

import time
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import click

from dashboard.cli.options import db_option, handed_db_option, json_option
from dashboard.cli.stores import open_store
from dashboard.cli.tables import table
from dashboard.errors import DashboardError

if TYPE_CHECKING:
    from collections.abc import Callable

    from opentelemetry.trace import Tracer

    from dashboard.canaries import Outcome, Tried
    from dashboard.settings import Settings
    from metrics.alerts import CanaryState
    from replay_store.database import Database

_NS_PER_MINUTE = 60 * 10**9
_HISTORY_MINUTES = 7 * 24 * 60
"""A rule without a canary for so long is not asked after any more."""
_POLL_SECONDS = 0.2


@click.group("canary", short_help="Try whether guard rules still stop what they must.")
@handed_db_option("check")
def command() -> None:
    """Try guard rules with calls that they must stop, and look at what became of those calls.

    A canary is judged and never run; no figure counts it. A rule whose newest canary got through is an
    alarm of its own; a rule that hits nothing any more is known to work when its canary was stopped.
    """


@command.command("send", short_help="Try the canaries here and send what the guard says.")
@click.option(
    "--guard",
    "reference",
    metavar="FILE.py:NAME",
    help="A function that is given a tracer and returns guard, registry and canaries. Without it the "
    "danger rule of this package is tried on the contracts: that shows that canaries arrive, not "
    "that your guard works.",
)
@click.option(
    "--contracts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Contract files, without --guard.  [default: TOOLSIGHT_CONTRACT_FOLDER]",
)
@click.option(
    "--to",
    "address",
    metavar="URL",
    help="The receiver of OTLP over HTTP.  [default: this machine, TOOLSIGHT_OTLP_PORT]",
)
@json_option
@click.pass_context
def send(
    ctx: click.Context,
    reference: str | None,
    contracts: Path | None,
    address: str | None,
    as_json: bool,
) -> None:
    """Try every canary, send what the guard says of it, and wait until that is on disk.

    Exit status 1 when a canary was not stopped by its rule, or when the receiver did not take it.
    The receiver is shown TOOLSIGHT_TOKEN.
    """
    import json
    from dataclasses import asdict

    from dashboard.canaries import send_canaries
    from dashboard.settings import read_settings

    settings = read_settings()
    to = address or f"http://127.0.0.1:{settings.otlp_port}"
    make = _own(reference) if reference else _of_package(contracts, settings)
    found = send_canaries(make, to, settings.token)
    if as_json:
        click.echo(json.dumps([asdict(item) for item in found]))
    else:
        click.echo(table(("rule", "tool", "outcome"), [_outcome(item) for item in found]))
    if not all(item.is_stopped for item in found):
        ctx.exit(1)


@command.command("check", short_help="Exit 1 unless every rule's newest canary was stopped.")
@click.option(
    "--within",
    "minutes",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Minutes in which every rule that had a canary in the last week must have stopped one.",
)
@click.option(
    "--wait",
    "wait_seconds",
    type=click.FloatRange(0, 60),
    default=0.0,
    show_default=True,
    help="Seconds that one which was just sent may take to be counted.",
)
@db_option
@json_option
@click.pass_context
def check(
    ctx: click.Context, minutes: float, wait_seconds: float, db: Path | None, as_json: bool
) -> None:
    """The newest canary of each rule: when it came, and whether the rule stopped it.

    Exit status 1 when one got through, when one is overdue, and when there is none.
    """
    import json
    from dataclasses import asdict

    with open_store(db) as (database, settings):
        found = _awaited(database, minutes, wait_seconds)
        now_ns, zone = time.time_ns(), ZoneInfo(settings.time_zone)
    rows = [(state, _verdict(state, now_ns, minutes)) for state in found]
    if as_json:
        click.echo(json.dumps([{**asdict(state), "verdict": verdict} for state, verdict in rows]))
    elif rows:
        click.echo(_text(rows, zone))
    else:
        click.echo("No canary has come. Send some with `toolsight canary send`.")
    if not _is_well(found, now_ns, minutes):
        ctx.exit(1)


def _own(reference: str) -> "Callable[[Tracer], Tried]":
    from pipeline.replay.choosers import load_function

    return load_function(reference)


def _of_package(folder: Path | None, settings: "Settings") -> "Callable[[Tracer], Tried]":
    from functools import partial

    from dashboard.canaries import package_canaries
    from pipeline.contracts import read_contracts

    chosen = folder or settings.contract_folder
    if chosen is None:
        raise DashboardError(
            "nothing to try: expected --guard my_guard.py:canaries, or contracts; name one of them"
        )
    return partial(package_canaries, read_contracts(chosen))


def _awaited(
    database: "Database", minutes: float, wait_seconds: float
) -> "tuple[CanaryState, ...]":
    """The states, as soon as all is well or the time is up."""
    deadline = time.monotonic() + wait_seconds
    while True:
        now_ns = time.time_ns()
        found = _states(database, now_ns)
        if _is_well(found, now_ns, minutes) or time.monotonic() >= deadline:
            return found
        time.sleep(_POLL_SECONDS)


def _states(database: "Database", now_ns: int) -> "tuple[CanaryState, ...]":
    from metrics import Scope
    from metrics.alerts import canary_states

    start_ns = now_ns - _HISTORY_MINUTES * _NS_PER_MINUTE
    return canary_states(database, Scope(start_ns, now_ns + _NS_PER_MINUTE))


def _is_well(found: "tuple[CanaryState, ...]", now_ns: int, minutes: float) -> bool:
    return bool(found) and all(_verdict(state, now_ns, minutes) == "stopped" for state in found)


def _verdict(state: "CanaryState", now_ns: int, minutes: float) -> str:
    if not state.is_stopped:
        return "got through"
    is_fresh = now_ns - state.time_ns <= minutes * _NS_PER_MINUTE
    return "stopped" if is_fresh else "overdue"


def _outcome(item: "Outcome") -> tuple[str, str, str]:
    if item.is_stopped:
        return item.rule, item.tool, "stopped"
    by = f"got through to {item.stopped_by}" if item.stopped_by else "got through"
    return item.rule, item.tool, by


def _text(rows: "list[tuple[CanaryState, str]]", zone: ZoneInfo) -> str:
    from dashboard.formats import time_text

    return table(
        ("rule", "verdict", f"newest ({zone.key})", "trace", "n"),
        [
            (state.rule, verdict, time_text(state.time_ns, zone), state.trace_id, state.n)
            for state, verdict in rows
        ],
    )
