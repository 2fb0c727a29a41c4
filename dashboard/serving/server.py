"""The server: Streamlit's ASGI app and the receiver in one process that owns the store.

Nothing here reads a `.streamlit` folder for what matters: every option that bears on safety or
speed is set in code.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from dashboard import runtime
from dashboard.cli.output import routed
from dashboard.cli.served import COMMAND_PATH
from dashboard.engine import open_database
from dashboard.errors import HostRefusedError, PortInUseError
from dashboard.menu import PAGES
from dashboard.runtime import Addresses
from dashboard.serving.alert_watch import AlertWatch
from dashboard.serving.command_route import CommandRoute
from dashboard.serving.intake_service import IntakeService
from dashboard.serving.login import Login
from dashboard.serving.look_ahead import LookAhead
from dashboard.serving.oidc import Oidc, auth_secrets
from dashboard.serving.owner import new_owner, recorded
from dashboard.serving.preload import Start, preloading_pages
from dashboard.serving.rules_route import RulesRoute
from dashboard.serving.security import (
    Gate,
    host_name,
    inline_script_hashes,
    is_loopback,
    known_hosts,
    script_hash,
)
from dashboard.serving.shipping import shipper
from dashboard.serving.static_copies import StaticCopies
from dashboard.serving.streamlit_options import configure_streamlit
from dashboard.serving.visits import Visits
from dashboard.serving.warm_up import warm_up
from dashboard.settings import Settings
from pipeline.errors import ToolsightError
from replay_store.database import Database
from replay_store.derive import catch_up

if TYPE_CHECKING:
    import streamlit as st
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from replay_store.cluster.ship import Shipper

__all__ = ["Loader", "serve", "url"]

Loader = Callable[[Database, runtime.Loading], None]
"""Fills the store while the pages are already up; ends early when `Loading.report` raises."""

_SCRIPT: Final = Path(__file__).parent.with_name("app.py")
_Service = TypeVar("_Service", AlertWatch, IntakeService, "Shipper")
_GRACE_SECONDS: Final = 2
"""How long open requests may take to finish after SIGTERM."""
_BACKLOG: Final = 128


def serve(
    settings: Settings,
    *,
    on_ready: Callable[[Addresses], None] | None = None,
    loader: Loader | None = None,
    is_receiving: bool = True,
) -> None:
    """Serve the pages over the store at `settings.db`, and take OTLP, until SIGTERM or Ctrl-C.

    Over a cluster (`settings.engine`) nothing is received, and alerts are looked for here.

    Args:
        settings: Addresses, ports and store.
        on_ready: Called once when the first request can be answered.
        loader: Fills the store in a thread of its own once the server answers.
        is_receiving: Whether to listen for OTLP.

    Raises:
        HostRefusedError: The address is reachable from other machines, and there is no token.
        PortInUseError: Something else listens on a port.
        StoreBusyError: Another process owns the store.
        EngineError: The cluster does not answer, or holds nothing that was shipped.
        ClusterError: The address to ship to cannot be read.
    """
    _need_token(settings)
    _clean_sys_path()
    from starlette.routing import Route

    is_receiving = is_receiving and settings.engine is None
    with _exit_on_sigterm(), ExitStack() as stack:
        pages = stack.enter_context(_listen(settings.host, settings.port, "--port"))
        otlp = None
        if is_receiving:
            otlp = stack.enter_context(_listen(settings.host, settings.otlp_port, "--otlp-port"))
        database = stack.enter_context(open_database(settings))
        if database.is_engine:
            _started(stack, AlertWatch(database, settings))
        intake = None
        if otlp is not None:
            intake = _started(stack, IntakeService(database, settings, otlp))
        shipping = shipper(database, settings)
        if shipping is not None:
            _started(stack, shipping)
        addresses = _addresses(settings, pages, intake)
        owner = new_owner(
            addresses.pages, otlp_port=addresses.otlp_port, grpc_port=addresses.grpc_port
        )
        stack.enter_context(recorded(owner, settings.db))
        stack.enter_context(routed())
        bound = settings.model_copy(update={"port": pages.getsockname()[1]})
        routes = [
            Route(
                COMMAND_PATH, CommandRoute(database, bound, owner.token).__call__, methods=["POST"]
            ),
            *RulesRoute(database).routes(),
        ]

        def announce() -> None:
            if on_ready is not None:
                on_ready(addresses)

        _run(_Process(bound, database, loader, announce, intake, addresses), bound, pages, routes)


def _started(stack: ExitStack, service: _Service) -> _Service:
    """The service, begun; closed when the server ends."""
    stack.callback(service.close)
    service.start()
    return service


def _addresses(settings: Settings, pages: socket.socket, intake: IntakeService | None) -> Addresses:
    page = url(settings.host, pages.getsockname()[1])
    if intake is None:
        return Addresses(page, None, None, None)
    return Addresses(page, url(settings.host, intake.port), intake.port, intake.grpc_port)


def url(host: str, port: int) -> str:
    """The address of a port for a browser or an exporter."""
    bare = host.strip("[]")
    return f"http://[{bare}]:{port}" if ":" in bare else f"http://{bare}:{port}"


class _Process:
    """What lives from the first request to the last: the runtime and one background thread."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        loader: Loader | None,
        on_ready: Callable[[], None],
        intake: IntakeService | None,
        addresses: Addresses,
    ) -> None:
        self._runtime = runtime.Runtime(
            database, settings, runtime.Loading() if loader else None, addresses
        )
        self._loader = loader
        self._on_ready = on_ready
        self._intake = intake

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
            if self._intake is not None:
                await asyncio.to_thread(self._intake.close)
            background.join()
            self._runtime.answers.close()
            runtime.stop()

    async def health(self, _request: "Request") -> "Response":
        """`/healthz`: up, and how far a first load is (null without one)."""
        from starlette.responses import JSONResponse

        state = self._runtime.loading.state if self._runtime.loading else None
        is_well = self._intake is None or self._intake.is_well
        return JSONResponse(
            {
                "status": "ok" if is_well else "the store is not written any more; restart",
                "loading": None if state is None or state.is_finished else state.fraction,
            },
            status_code=200 if is_well else 503,
            headers={"cache-control": "no-store"},
        )

    async def metrics(self, _request: "Request") -> "Response":
        """`/metrics` for Prometheus; 404 on a server that receives nothing."""
        from starlette.responses import PlainTextResponse, Response

        if self._intake is None:
            return PlainTextResponse("this server receives nothing\n", status_code=404)
        text = await self._intake.metrics()
        return Response(text.body, text.status, media_type=text.content_type.decode())

    def _background(self) -> None:
        try:
            if not self._runtime.database.is_engine:
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


def _run(
    process: _Process, settings: Settings, listener: socket.socket, routes: "Sequence[Route]"
) -> None:
    import uvicorn

    config = uvicorn.Config(
        _app(process, settings, routes),
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ws_per_message_deflate=False,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _app(process: _Process, settings: Settings, routes: "Sequence[Route]") -> "st.App":
    import streamlit as st
    from starlette.middleware import Middleware
    from starlette.routing import Route
    from streamlit import file_util

    hosts = known_hosts(settings) | _public_host(settings)
    is_exposed = not is_loopback(settings.host)
    static = Path(file_util.get_static_dir())
    start = Start.ASKING if settings.oidc else Start.CONNECTING
    hashes = (*inline_script_hashes(static / "index.html"), script_hash(start.value))
    app = st.App(
        _SCRIPT,
        lifespan=process.lifespan,
        middleware=[
            Middleware(Gate, hosts=hosts, script_hashes=hashes, is_any_ip=is_exposed),
            *(
                [
                    Middleware(
                        Login,
                        token=settings.token,
                        own_paths=frozenset({COMMAND_PATH}),
                        raw_token=settings.raw_token,
                        oidc=Oidc(settings.oidc) if settings.oidc else None,
                    )
                ]
                if settings.token or settings.oidc
                else []
            ),
            Middleware(LookAhead, ask=_ask_ahead),
            Middleware(
                StaticCopies,
                static=static,
                pages=preloading_pages(static, start),
                known_pages=preloading_pages(static, start, is_compiled=True),
                visits=Visits((static / "index.html").read_bytes()),
            ),
        ],
        routes=[
            Route("/healthz", process.health, methods=["GET"]),
            Route("/metrics", process.metrics, methods=["GET"]),
            Route(f"/{PAGES[0].key}", _start_page, methods=["GET"]),
            *routes,
        ],
        secrets=auth_secrets(settings.oidc) if settings.oidc else None,
    )
    # Empty: Streamlit lets every name through, the gate before it does not.
    configure_streamlit(settings, () if is_exposed else hosts)
    return app


def _ask_ahead(wanted: str) -> None:
    from dashboard.views.trace.queries import ask_ahead

    ask_ahead(wanted)


async def _start_page(request: "Request") -> "Response":
    """The start page by its name: its own address is `/`, and what was asked goes with it."""
    from starlette.responses import RedirectResponse

    query = request.url.query
    return RedirectResponse(f"/?{query}" if query else "/")


def _public_host(settings: Settings) -> frozenset[str]:
    """The name under which people are sent back after signing in elsewhere."""
    return frozenset(
        {host_name(urlsplit(settings.oidc.public_url).netloc)} if settings.oidc else ()
    )


def _need_token(settings: Settings) -> None:
    if not is_loopback(settings.host) and settings.token is None:
        raise HostRefusedError(
            f"--host {settings.host}: other machines could read the traces and send any: expected a "
            "token; set TOOLSIGHT_TOKEN to at least 16 characters (`openssl rand -hex 24`), which "
            "people enter once and senders put into OTEL_EXPORTER_OTLP_HEADERS="
            '"authorization=Bearer TOKEN", or use a loopback address such as 127.0.0.1'
        )


def _clean_sys_path() -> None:
    """Like `python -P`: neither the current folder nor that of a script may shadow a module."""
    script = Path(sys.argv[0]).resolve()
    script_folder = str(script.parent) if script.is_file() else None
    sys.path[:] = [entry for entry in sys.path if entry and entry != script_folder]


@contextmanager
def _listen(host: str, port: int, option: str) -> Iterator[socket.socket]:
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
                f"{option} {port}: cannot listen on {host}:{port} ({error.strerror}): expected a free "
                f"port; stop what uses it, or choose another with {option} (0 takes any free one)"
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
