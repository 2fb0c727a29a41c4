"""`toolsight loadtest`: agents against a faulty service, and its books afterwards."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import db_option, json_option
from dashboard.errors import DashboardError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.loadtest.running import Load, LoadResult


@click.command("loadtest", short_help="Load agents and look for duplicate writes afterwards.")
@click.option(
    "--concurrency",
    type=click.IntRange(1, 1000),
    default=50,
    show_default=True,
    help="Agents at a time.",
)
@click.option(
    "--duration",
    type=click.FloatRange(0.5, 3600),
    default=180.0,
    show_default=True,
    help="Seconds of each of the two runs.",
)
@click.option(
    "--target",
    type=click.Choice(["create_ticket", "query_ticket"]),
    default="create_ticket",
    show_default=True,
    help="Tool that is called.",
)
@click.option(
    "--outage",
    type=click.FloatRange(0, 60),
    default=2.0,
    show_default=True,
    help="Seconds that the service is down out of every 20.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Of faults and thinking times."
)
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the requests per second into this HTML file.",
)
@db_option
@click.option("--keep", is_flag=True, help="Keep the traces of the run with jitter in the store.")
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    concurrency: int,
    duration: float,
    target: str,
    outage: float,
    seed: int,
    plot: Path | None,
    db: Path | None,
    keep: bool,
    as_json: bool,
) -> None:
    """Run agents against a ticket service on this machine that is slow, busy, broken and down to order.

    Twice: with jitter in the waits between tries, and without. Afterwards the service's own books are
    searched for orders with more than one ticket: exit status 1 when there is any.
    """
    import json

    from dashboard.cli.loadtest_text import results_text

    _need_httpx()
    from dashboard.loadtest.faults import Faults
    from dashboard.loadtest.running import Load, result_json

    faults = Faults(seed=seed, outage_seconds=outage)
    loads = [Load(concurrency, duration, target, faults, has_jitter=j) for j in (True, False)]
    results = _run(loads, db, is_kept=keep)
    if plot is not None:
        from dashboard.loadtest.plot import write_plot

        write_plot(results, plot)
    text = json.dumps([result_json(item) for item in results]) if as_json else results_text(results)
    click.echo(text)
    if any(item.duplicates for item in results):
        ctx.exit(1)


def _run(loads: "Sequence[Load]", db: Path | None, *, is_kept: bool) -> "list[LoadResult]":
    from dashboard.loadtest.keeping import kept_traces
    from dashboard.loadtest.running import run_load

    found = []
    for at, load in enumerate(loads):
        words = "with jitter" if load.has_jitter else "without jitter"
        click.echo(f"{words}: {load.concurrency} agents for {load.duration_seconds:g} s", err=True)
        if is_kept and at == 0:
            with kept_traces(db) as tracer:
                found.append(run_load(load, tracer))
        else:
            found.append(run_load(load))
    return found


def _need_httpx() -> None:
    try:
        import httpx  # noqa: F401
    except ModuleNotFoundError as error:
        raise DashboardError(
            "httpx: not installed; install with pip install 'toolsight[agent]'"
        ) from error
