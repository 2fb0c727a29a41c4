"""`toolsight serve`: the pages over a store, and the door for agents that send."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import db_option, engine_option, host_option, port_option

if TYPE_CHECKING:
    from dashboard.runtime import Addresses


@click.command("serve", short_help="Show the pages over your store and take what agents send.")
@db_option
@engine_option
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
@click.option(
    "--ship",
    metavar="URL",
    envvar="TOOLSIGHT_SHIP",
    show_envvar=True,
    help="Send everything on to a ClickHouse cluster too, such as "
    "clickhouse://USER@HOST:8123/toolsight?cluster=NAME; its password is best put into "
    "TOOLSIGHT_SHIP_PASSWORD. `none` ends that.",
)
def command(
    db: Path | None,
    engine: str | None,
    host: str | None,
    port: int | None,
    otlp_port: int | None,
    grpc_port: int | None,
    ship: str | None,
) -> None:
    """Show the pages over your store until Ctrl-C or SIGTERM, and store what agents send.

    An OpenTelemetry SDK with its default settings on this machine needs no configuration. What was
    acknowledged is on disk. Other commands over the same store go through this server. With
    `--engine` the pages read a cluster that receivers ship to, and nothing is taken here; with
    `--ship` this server is one of those receivers.
    """
    from dashboard.serving.server import serve
    from dashboard.settings import read_settings

    settings = read_settings(
        db=db,
        engine=engine,
        host=host,
        port=port,
        otlp_port=otlp_port,
        grpc_port=grpc_port,
        ship=ship,
    )

    def announce(addresses: "Addresses") -> None:
        click.echo(f"Toolsight on {addresses.pages} over {settings.db}")
        if addresses.otlp is not None:
            click.echo(
                f"Takes OTLP over HTTP on {addresses.otlp}, over gRPC on port {addresses.grpc_port}"
            )

    serve(settings, on_ready=announce)
