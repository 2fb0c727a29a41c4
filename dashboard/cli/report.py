"""`toolsight report`: the five metrics, or each trace in numbers."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import db_option, engine_option, json_option
from dashboard.cli.stores import open_store
from dashboard.engine import partial_sentence

if TYPE_CHECKING:
    from dashboard.settings import Settings
    from metrics import Scope
    from replay_store.database import Database

_DEFAULT_RANGE = "7d"


@click.command("report", short_help="Print the five metrics.")
@db_option
@engine_option
@json_option
@click.option(
    "--by",
    type=click.Choice(["trace", "container"]),
    help="One entry a trace, or a kind of file, instead.",
)
@click.option(
    "--range",
    "range_key",
    type=click.Choice(["24h", "7d", "30d", "all"]),
    help="How far back from the newest data.  [default: 7d; with --by trace: all]",
)
@click.option("--tool", help="Only calls of this tool.")
def command(
    db: Path | None,
    engine: str | None,
    as_json: bool,
    by: str | None,
    range_key: str | None,
    tool: str | None,
) -> None:
    """Print the five metrics with n, interval, limit, and what was left out.

    With `--by trace`, print for each trace its model calls, tools in order, tool errors, retries
    and tokens. With `--by container`, print for each kind of file the whole store's traces, calls,
    errors, retries and turns, how many of the calls that its test cases expect were made, and the
    scores that came with it. With TOOLSIGHT_CONTRACT_FOLDER, also whether each tool keeps its SLA and
    how its daily quotas stand. A range ends at the newest data in the store, not now. What the data do not show is
    "no data" (null in JSON), never 0. With `--engine`, when a shard does not answer, this is said:
    counts are lower bounds then (`partial` in JSON).
    """
    with open_store(db, engine=engine) as (database, settings):
        if by == "trace":
            text = _by_trace(database, range_key, tool, as_json=as_json)
        elif by == "container":
            text = _by_container(database, as_json=as_json)
        else:
            scope = _scope(database, range_key or _DEFAULT_RANGE, tool)
            text = _metrics(database, scope, settings, as_json=as_json)
        partial = partial_sentence(database)
    click.echo(text)
    if partial and by is not None:
        click.echo(partial, err=True)


def _scope(database: "Database", range_key: str, tool: str | None) -> "Scope":
    from metrics import data_range, default_scope

    return default_scope(range_key, data_range(database), tool)


def _metrics(database: "Database", scope: "Scope", settings: "Settings", *, as_json: bool) -> str:
    from zoneinfo import ZoneInfo

    from dashboard.cli.promise_text import promises_text, quota_json
    from dashboard.cli.report_text import json_text, metrics_table, range_sentence
    from dashboard.promises import quotas_today
    from metrics import report

    zone = ZoneInfo(settings.time_zone)
    answer = report(database, scope, settings.thresholds)
    uses = quotas_today(database, scope, settings.thresholds, zone)
    partial = partial_sentence(database)
    if as_json:
        quotas = [quota_json(use) for use in uses]
        return json_text({**answer.to_json(), "quotas": quotas, "partial": partial})
    if scope.end_time_ns == 0:
        return "No data. Run `toolsight ingest PATH`, or look at `toolsight demo`."
    parts = [
        *([partial] if partial else []),
        range_sentence(scope, zone),
        metrics_table(answer.metrics().values()),
    ]
    return "\n\n".join((*parts, *promises_text(answer.promised, uses, zone)))


def _by_trace(
    database: "Database", range_key: str | None, tool: str | None, *, as_json: bool
) -> str:
    from dashboard.cli.report_text import json_text, traces_table
    from metrics import by_trace

    in_range = range_key is not None or tool is not None
    reports = by_trace(database, _scope(database, range_key or "all", tool) if in_range else None)
    if as_json:
        return json_text({trace_id: asdict(found) for trace_id, found in reports.items()})
    return traces_table(reports)


def _by_container(database: "Database", *, as_json: bool) -> str:
    from dashboard.cli.report_text import containers_table, json_text
    from metrics import by_container

    reports = by_container(database)
    if as_json:
        return json_text({name: asdict(found) for name, found in reports.items()})
    return containers_table(reports)
