"""`toolsight serve`: the pages over a store, and the door for agents that send."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import db_option, host_option, port_option

if TYPE_CHECKING:
    from dashboard.runtime import Addresses


@click.command("serve", short_help="Show the pages over your store and take what agents send.")
@db_option
@host_option
@port_option
@click.option(
    "--otlp-port",
    type=click.IntRange(0, 65535),
    envvar="TOOLSIGHT_OTLP_PORT",
    show_envvar=True,
    help="Port of OTLP over HTTP; 0 takes any free one.  [default: 4318]",
)
@click.option(
    "--grpc-port",
    type=click.IntRange(0, 65535),
    envvar="TOOLSIGHT_GRPC_PORT",
    show_envvar=True,
    help="Port of OTLP over gRPC; 0 takes any free one.  [default: 4317]",
)
def command(
    db: Path | None,
    host: str | None,
    port: int | None,
    otlp_port: int | None,
    grpc_port: int | None,
) -> None:
    """Show the pages over your store until Ctrl-C or SIGTERM, and store what agents send.

    An OpenTelemetry SDK with its default settings on this machine needs no configuration. What was
    acknowledged is on disk. Other commands over the same store go through this server.
    """
    from dashboard.serving.server import serve
    from dashboard.settings import read_settings

    settings = read_settings(db=db, host=host, port=port, otlp_port=otlp_port, grpc_port=grpc_port)

    def announce(addresses: "Addresses") -> None:
        click.echo(f"Toolsight on {addresses.pages} over {settings.db}")
        click.echo(
            f"Takes OTLP over HTTP on {addresses.otlp}, over gRPC on port {addresses.grpc_port}"
        )

    serve(settings, on_ready=announce)
