"""`toolsight eval`: public benchmark files read, counted, and held against what is known of them."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import json_option

if TYPE_CHECKING:
    from dashboard.benchmark_figure import Figure

_NAMES = ("tau-bench", "agentrx", "who-when", "api-bank", "bfcl")


@click.command("eval", short_help="Hold public benchmark files against their known figures.")
@click.argument("name", type=click.Choice(_NAMES))
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--db",
    "store",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep what was read in this file; in memory without. TOOLSIGHT_DB is not read: benchmarks "
    "never mix into your own store unasked.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context, /, name: str, path: Path, store: Path | None, as_json: bool
) -> None:
    """Read the files of a public benchmark below PATH and print its figures beside the known ones.

    tau-bench, agentrx, who-when and api-bank go through the readers, derive and the metrics that your
    own traces go through; agentrx and who-when also tell how often the first hint stands at the step
    that people called the fault, beside what one-line rules find. bfcl tells how often the lexical chooser picks the right tool of several,
    beside one that picks at random. Exit status 1 when a figure is not the known one.
    """
    import json
    from dataclasses import asdict

    from dashboard.evaluating import chooser_figures, trace_figures

    figures = chooser_figures(path) if name == "bfcl" else trace_figures(name, path, store)
    if as_json:
        click.echo(json.dumps([asdict(figure) for figure in figures]))
    else:
        click.echo(_text(figures))
    if any(figure.is_other for figure in figures):
        ctx.exit(1)


def _text(figures: "list[Figure]") -> str:
    from dashboard.cli.tables import table

    rows = [
        (figure.name, _number(figure.value), _number(figure.known), figure.note or "")
        for figure in figures
    ]
    return table(("figure", "here", "known", "note"), rows)


def _number(value: float | None) -> str | None:
    if value is None:
        return None
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) > 1 else f"{value:.3f}"
