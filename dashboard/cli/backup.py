"""`toolsight backup`: a copy of the store, while it is served too."""

from pathlib import Path

import click

from dashboard.cli.options import db_option
from dashboard.cli.stores import open_store


@click.command("backup", short_help="Copy the store to a new file.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@db_option
def command(file: Path, db: Path | None) -> None:
    """Copy the store, as it is at one moment, to a new file.

    Beside a running server the server writes it, and goes on taking what agents send. The copy is a
    store like any other: to go back, stop the server and put it in the place of the old file, with
    no `.wal` file beside it.
    """
    from dashboard.formats import size_text

    with open_store(db) as (database, _):
        database.copy_to(file.absolute())
    click.echo(f"{file.absolute()}: {size_text(file.stat().st_size)}")
