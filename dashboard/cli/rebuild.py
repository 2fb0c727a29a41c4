"""`toolsight rebuild`: read history again with this version."""

from pathlib import Path

import click

from dashboard.cli.options import db_option
from dashboard.cli.progress import bar
from dashboard.cli.stores import open_store
from dashboard.plurals import filled


@click.command("rebuild", short_help="Read history again with this version.")
@db_option
def command(db: Path | None) -> None:
    """Map every stored span again and derive every trace anew.

    Use it after an upgrade: a better reading of a dialect then holds for old traces too. What came
    in and what people wrote stays as it is. Safe to stop and to run again.
    """
    from ingest.rebuild import rebuild
    from replay_store.expected import judge_expected

    with open_store(db) as (database, _), bar("Reading spans") as fill:
        n_spans = rebuild(database, on_progress=fill)
        judge_expected(database)
    click.echo(filled("{n} {n:span|spans} read again.", n=f"{n_spans:,}"))
