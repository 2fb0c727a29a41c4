"""`toolsight demo`: the pages over the sample traces."""

import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import browser_option, port_option

if TYPE_CHECKING:
    from dashboard.runtime import Addresses


@click.command("demo", short_help="Show the pages over sample traces.")
@click.option(
    "--db",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Keep the store in this file. Unlike elsewhere, TOOLSIGHT_DB is not read: "
    "samples never mix into your own store unasked.",
)
@port_option
@browser_option
@click.option(
    "--live", "is_live", is_flag=True, help="An agent that works now, and an incident that unfolds."
)
def command(db: Path | None, port: int | None, is_quiet: bool, is_live: bool) -> None:
    """Show the pages over sample traces until Ctrl-C.

    The store is a temporary one, gone afterwards. Needs no network. With `--live` the shop's agent
    works as you watch: an hour and a half of quiet traffic lies before, and after a minute the order
    system becomes slow, then a guard rule falls silent, then a status comes that no dictionary knows.
    """
    from dashboard.serving.demo import load_samples
    from dashboard.serving.server import serve
    from dashboard.settings import read_settings
    from sample_traces import contract_folder

    stop = threading.Event()

    def announce(addresses: "Addresses") -> None:
        url = f"{addresses.pages}/?live=5" if is_live else addresses.pages
        click.echo(f"Toolsight demo on {url} (stop with Ctrl-C)")
        if is_live and addresses.otlp is not None:
            _start_live(addresses.otlp, stop)
        if not is_quiet and _has_display():
            threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    with _store(db) as path:
        settings = read_settings(db=path, port=port, contract_folder=contract_folder())
        # Invented traces stay apart from those of a cluster.
        settings = settings.model_copy(update={"db": path, "engine": None, "ship": None})
        if is_live:
            settings = settings.model_copy(update={"otlp_port": 0, "grpc_port": 0})
        loader = None if is_live else load_samples
        try:
            serve(settings, on_ready=announce, loader=loader, is_receiving=is_live)
        finally:
            stop.set()


def _start_live(address: str, stop: threading.Event) -> None:
    from dashboard.serving.demo_live import LiveDemo

    LiveDemo.started(address, stop)


@contextmanager
def _store(db: Path | None) -> Iterator[Path]:
    if db is not None:
        yield db
        return
    with tempfile.TemporaryDirectory(prefix="toolsight-demo-") as folder:
        yield Path(folder) / "demo.duckdb"


def _has_display() -> bool:
    """Whether a browser could show up: always, except on a Unix without a screen."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
