"""`toolsight backup`: a copy of the store, while it is served too."""

from pathlib import Path

import click

from dashboard.cli.options import db_option
from dashboard.cli.stores import open_store
from dashboard.cli.tables import plain
from dashboard.plurals import filled


@click.command("backup", short_help="Copy the store to a new file.")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@db_option
def command(file: Path, db: Path | None) -> None:
    """Copy the store, as it is at one moment, to a new file.

    Beside a running server the server writes it, and goes on taking what agents send. The copy is a
    store like any other: to go back, stop the server and put it in the place of the old file, with
    no `.wal` file beside it. Days that were moved out of the store are not in the copy, which reads
    them where they are: copy their folders too.
    """
    from dashboard.formats import size_text
    from replay_store.tier.plan import folders, moved_days

    with open_store(db) as (database, _):
        database.copy_to(file.absolute())
        days, where = moved_days(database), folders(database)
    click.echo(f"{file.absolute()}: {size_text(file.stat().st_size)}")
    if days:
        told = filled(
            "{n} moved {n:day is|days are} not in it ({size} in {m:one folder|folders}); copy too:",
            n=len(days),
            m=len(where),
            size=size_text(sum(day.n_bytes for day in days)),
        )
        click.echo("\n".join([told, *(f"  {plain(folder)}" for folder in where)]))
