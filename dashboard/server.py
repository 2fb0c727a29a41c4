"""The server: Streamlit's ASGI app and our routes in one process that owns the store.

Nothing here reads a `.streamlit` folder for what matters: every option that bears on safety or
speed is set in code.
"""

import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

from dashboard import runtime
from dashboard.errors import HostRefusedError, PortInUseError
from dashboard.security import LOOPBACK_NAMES, Gate, inline_script_hashes, is_loopback
from dashboard.settings import Settings
from dashboard.streamlit_options import configure_streamlit
from dashboard.warm_up import warm_up
from pipeline.errors import ToolsightError
from replay_store.database import Database
from replay_store.derive import catch_up

if TYPE_CHECKING:
    import streamlit as st
    from starlette.requests import Request
    from starlette.responses import Response

__all__ = ["Loader", "serve", "url"]

Loader = Callable[[Database, runtime.Loading], None]
"""Fills the store while the pages are already up; ends early when `Loading.report` raises."""

_SCRIPT: Final = Path(__file__).with_name("app.py")
_GRACE_SECONDS: Final = 2
"""How long open requests may take to finish after SIGTERM."""
_BACKLOG: Final = 128


def serve(
    settings: Settings,
    *,
    on_ready: Callable[[str], None] | None = None,
    loader: Loader | None = None,
) -> None:
    """Serve the pages over the store at `settings.db` until SIGTERM or Ctrl-C.

    Args:
        settings: Address, port and store.
        on_ready: Called once with the URL when the first request can be answered.
        loader: Fills the store in a thread of its own once the server answers.

    Raises:
        HostRefusedError: The address is reachable from other machines.
        PortInUseError: Something else listens on the port.
        StoreBusyError: Another process owns the store.
    """
    _refuse_other_machines(settings.host)
    _clean_sys_path()
    with (
        _exit_on_sigterm(),
        _listen(settings.host, settings.port) as listener,
        Database.open(settings.db, memory_limit=settings.memory_limit) as database,
    ):
        bound = settings.model_copy(update={"port": listener.getsockname()[1]})
        announce = partial(on_ready, url(bound)) if on_ready else _say_nothing
        _run(_Process(bound, database, loader, announce), bound, listener)


def url(settings: Settings) -> str:
    """Where a browser finds the pages."""
    bare = settings.host.strip("[]")
    host = f"[{bare}]" if ":" in bare else bare
    return f"http://{host}:{settings.port}"


def _say_nothing() -> None:
    return None


class _Process:
    """What lives from the first request to the last: the runtime and one background thread."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        loader: Loader | None,
        on_ready: Callable[[], None],
    ) -> None:
        self._runtime = runtime.Runtime(database, settings, runtime.Loading() if loader else None)
        self._loader = loader
        self._on_ready = on_ready

    @asynccontextmanager
    async def lifespan(self, _app: "st.App") -> AsyncIterator[None]:
        """Start what the pages need before the first request, stop it after the last."""
        runtime.start(self._runtime)
        background = threading.Thread(target=self._background, name="background", daemon=True)
        background.start()
        self._on_ready()
        try:
            yield
        finally:
            if self._runtime.loading:
                self._runtime.loading.cancel()
            background.join()
            runtime.stop()

    async def health(self, _request: "Request") -> "Response":
        """`/healthz`: up, and how far a first load is (null without one)."""
        from starlette.responses import JSONResponse

        state = self._runtime.loading.state if self._runtime.loading else None
        return JSONResponse(
            {
                "status": "ok",
                "loading": None if state is None or state.is_finished else state.fraction,
            },
            headers={"cache-control": "no-store"},
        )

    def _background(self) -> None:
        try:
            catch_up(self._runtime.database, now_ns=time.time_ns())
            warm_up()
        finally:
            if self._loader and self._runtime.loading:
                _load(self._loader, self._runtime.database, self._runtime.loading)


def _load(loader: Loader, database: Database, loading: runtime.Loading) -> None:
    try:
        loader(database, loading)
    except runtime.LoadCancelled:
        return
    except ToolsightError as error:
        loading.fail(str(error))
    except BaseException:
        loading.fail("the load ended early: a defect; its traceback is in the server's output")
        raise
    else:
        loading.finish()


def _run(process: _Process, settings: Settings, listener: socket.socket) -> None:
    import uvicorn

    config = uvicorn.Config(
        _app(process, settings),
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ws_per_message_deflate=False,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _app(process: _Process, settings: Settings) -> "st.App":
    import streamlit as st
    from starlette.middleware import Middleware
    from starlette.routing import Route
    from streamlit import file_util

    hosts = LOOPBACK_NAMES | {settings.host.strip("[]").lower()}
    hashes = inline_script_hashes(Path(file_util.get_static_dir()) / "index.html")
    app = st.App(
        _SCRIPT,
        lifespan=process.lifespan,
        middleware=[Middleware(Gate, hosts=hosts, script_hashes=hashes)],
        routes=[Route("/healthz", process.health, methods=["GET"])],
    )
    configure_streamlit(settings, hosts)
    return app


def _refuse_other_machines(host: str) -> None:
    if not is_loopback(host):
        raise HostRefusedError(
            f"--host {host}: other machines could read the traces: expected a loopback address; "
            "use 127.0.0.1, and an SSH tunnel or a proxy with a login to reach it from elsewhere"
        )


def _clean_sys_path() -> None:
    """Like `python -P`: neither the current folder nor the script's may shadow a module."""
    script_folder = str(Path(sys.argv[0]).resolve().parent)
    sys.path[:] = [entry for entry in sys.path if entry and entry != script_folder]


@contextmanager
def _listen(host: str, port: int) -> Iterator[socket.socket]:
    address = host.strip("[]")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
        except OSError as error:
            raise PortInUseError(
                f"--port {port}: cannot listen on {host}:{port} ({error.strerror}): expected a free "
                "port; stop what uses it, or choose another with --port (0 takes any free one)"
            ) from error
        listener.listen(_BACKLOG)
        yield listener
    finally:
        listener.close()


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """SIGTERM ends the process with status 0 through every `finally`, before uvicorn runs too."""

    def leave(_signal: int, _frame: FrameType | None) -> None:
        raise SystemExit(0)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    except KeyboardInterrupt:
        return
    finally:
        signal.signal(signal.SIGTERM, before)
