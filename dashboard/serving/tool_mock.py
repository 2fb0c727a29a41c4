"""A web server that answers for tools by their contracts, with made-up data (S4 §4.3)."""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from pipeline.contracts import (
    Contract,
    ContractError,
    check_arguments,
    mock_answer,
    problems_text,
)

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request

__all__ = ["mock_app", "serve_mock"]

_MAX_BYTES: Final = 1024**2


def mock_app(contracts: Sequence[Contract], seed: int = 0) -> "Starlette":
    """An ASGI app: `GET /` lists the tools, `POST /NAME` answers for one."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    by_name = {contract.name: contract for contract in contracts}

    async def listed(_: "Request") -> JSONResponse:
        return JSONResponse({"tools": sorted(by_name)})

    async def answered(request: "Request") -> JSONResponse:
        contract = by_name.get(request.path_params["name"])
        if contract is None:
            return JSONResponse({"error": f"no such tool; tools: {', '.join(by_name)}"}, 404)
        body = await request.body()
        status, answer = _answer(contract, body[: _MAX_BYTES + 1], seed)
        return JSONResponse(answer, status)

    return Starlette(
        routes=[Route("/", listed), Route("/{name}", answered, methods=["POST"])],
    )


def serve_mock(
    contracts: Sequence[Contract], port: int, seed: int, say: Callable[[str], object]
) -> None:
    """Serve on loopback until Ctrl-C; says the address first."""
    import socket

    import uvicorn

    with socket.create_server(("127.0.0.1", port)) as listening:
        say(f"Mock of {len(contracts)} tools on http://127.0.0.1:{listening.getsockname()[1]}")
        config = uvicorn.Config(mock_app(contracts, seed), log_level="warning")
        uvicorn.Server(config).run(sockets=[listening])


def _answer(contract: Contract, body: bytes, seed: int) -> tuple[int, object]:
    if len(body) > _MAX_BYTES:
        return 413, {"error": "too large"}
    try:
        arguments = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        return 400, {"error": "the body is no JSON"}
    if problems := check_arguments(contract, arguments):
        return 400, {"error": problems_text(problems)}
    try:
        return 200, mock_answer(contract, seed)
    except ContractError as error:
        return 501, {"error": str(error)}
