"""`toolsight audit`: draws, what they say, and labels from files."""

from pathlib import Path
from typing import Any

import click

from dashboard.cli.options import db_option, json_option

_STRATA = ("tool", "version", "suspicion")
_RANGES = ("24h", "7d", "30d", "all")


def _hand_down(ctx: click.Context, _parameter: click.Parameter, db: Path | None) -> None:
    """`audit --db X list` means `audit list --db X`."""
    if db is not None:
        ctx.default_map = {name: {"db": str(db)} for name in ("list", "draw", "results", "import")}


@click.group("audit", short_help="Draw decisions to judge, and read what the labels say.")
@click.option(
    "--db",
    type=click.Path(dir_okay=False, path_type=Path),
    expose_value=False,
    callback=_hand_down,
    help="Store file, for the commands below.",
)
def command() -> None:
    """Draw decisions at random, and read how often the right tool was chosen.

    Labels are given on the Audit page, or come from a file.
    """


@command.command("list", short_help="The draws, newest first.")
@db_option
@json_option
def list_(db: Path | None, as_json: bool) -> None:
    """List the draws with how each was made."""
    from dashboard.cli.audit_text import batches_json, batches_text
    from dashboard.cli.stores import open_store
    from replay_store.audit import batches

    with open_store(db) as (database, _):
        found = batches(database)
    click.echo(batches_json(found) if as_json else batches_text(found))


@command.command("draw", short_help="Draw decisions to judge.")
@click.option("--name", required=True, help="Of the draw.")
@click.option("--by", required=True, help="Who draws.")
@click.option("--n", type=int, default=50, show_default=True, help="How many.")
@click.option(
    "--range",
    "range_key",
    type=click.Choice(_RANGES),
    default="7d",
    show_default=True,
    help="How far back from the newest data.",
)
@click.option("--tool", help="Only decisions that chose this tool, or NO_CALL.")
@click.option(
    "--per-trace",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="The most of one trace; 0 draws decisions alone.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the draw.")
@click.option(
    "--stratum",
    "strata",
    multiple=True,
    type=click.Choice(_STRATA),
    help="Draw apart by this; may be repeated.",
)
@click.option(
    "--allocation",
    type=click.Choice(["proportional", "equal", "neyman"]),
    default="proportional",
    show_default=True,
    help="How the parts share the draw.",
)
@click.option(
    "--double", type=click.IntRange(0), default=0, show_default=True, help="Labelled by two."
)
@db_option
@json_option
def draw(db: Path | None, as_json: bool, **given: Any) -> None:
    """Draw decisions at random and keep the draw; the same seed draws the same again."""
    import time

    from dashboard.cli.audit_text import batches_json, batches_text
    from dashboard.cli.stores import open_store
    from metrics import data_range, default_scope
    from replay_store.audit import draw_batch
    from replay_store.audit_allocation import Allocation, Stratum

    with open_store(db) as (database, _):
        held = data_range(database)
        if held is None:
            raise click.ClickException(
                "audit: no trace yet: expected some; `toolsight ingest` FILE"
            )
        scope = default_scope(given["range_key"], held)
        batch = draw_batch(
            database,
            name=given["name"],
            start_time_ns=scope.start_time_ns,
            end_time_ns=scope.end_time_ns,
            tool_name=given["tool"],
            n=given["n"],
            per_trace=given["per_trace"] or None,
            seed=given["seed"],
            created_by=given["by"],
            clock=time.time_ns,
            strata=[Stratum(name) for name in given["strata"]],
            allocation=Allocation(given["allocation"]),
            n_double=given["double"],
        )
    click.echo(batches_json([batch]) if as_json else batches_text([batch]))


@command.command("results", short_help="What a draw says.")
@click.argument("batch", type=click.UUID, required=False)
@db_option
@json_option
def results(db: Path | None, as_json: bool, batch: Any) -> None:
    """Print accuracy with interval and verdict, by tool and contract version, and agreement.

    Of the draw BATCH; without it of the newest.
    """
    from uuid import UUID

    from dashboard.cli.audit_text import results_json, results_text
    from dashboard.cli.stores import open_store
    from metrics import agreement, batch_accuracy, powered_accuracy
    from replay_store.audit import batches, get_batch

    with open_store(db) as (database, settings):
        known = batches(database)
        if batch is None and not known:
            raise click.ClickException("audit: no draw yet: expected one; `toolsight audit draw`")
        chosen = known[0] if batch is None else get_batch(database, UUID(str(batch)))
        found = batch_accuracy(database, chosen.batch_id, settings.thresholds)
        agreed = agreement(database, chosen.batch_id)
        judges = powered_accuracy(database, chosen.batch_id)
    told = (chosen, found, agreed, judges)
    click.echo(results_json(*told) if as_json else results_text(*told))


@command.command("import", short_help="Take in labels from a file.")
@click.argument("path", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@db_option
@json_option
@click.pass_context
def import_(ctx: click.Context, path: Path, db: Path | None, as_json: bool) -> None:
    """Take in labels: JSON Lines or CSV, as the page and `toolsight export labels` write them.

    What is known already is not stored again. Exit status 1 when not one label could be read.
    """
    from dashboard.auditing.importing import import_labels
    from dashboard.cli.ingest_text import as_json_text
    from dashboard.cli.stores import open_store
    from dashboard.cli.tables import plain
    from dashboard.plurals import filled

    with open_store(db) as (database, settings):
        line = import_labels(database, settings, path.name, path.read_bytes())
    if as_json:
        click.echo(as_json_text([line]))
    else:
        counts = {"n": line.n_stored, "known": line.n_merged, "refused": line.n_rejected}
        click.echo(
            filled("{n} {n:label|labels} stored, {known} known before, {refused} refused", **counts)
        )
        if line.message:
            click.echo(plain(line.message), err=True)
    if not line.n_stored + line.n_merged:
        ctx.exit(1)
