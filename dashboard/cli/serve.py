"""`toolsight serve`: the pages over a store."""

from pathlib import Path

import click

from dashboard.cli.options import db_option, host_option, port_option


@click.command("serve", short_help="Show the pages over your store.")
@db_option
@host_option
@port_option
def command(db: Path | None, host: str | None, port: int | None) -> None:
    """Show the pages over your store until Ctrl-C or SIGTERM.

    One process owns the store: stop the server before `toolsight ingest` writes to the same file.
    """
    from dashboard.server import serve
    from dashboard.settings import read_settings

    settings = read_settings(db=db, host=host, port=port)
    serve(settings, on_ready=lambda url: click.echo(f"Toolsight on {url} over {settings.db}"))
