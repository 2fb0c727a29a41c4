"""Asks a system over HTTP as an adapter file says. Needs the extra `agent`."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from pipeline.execution.adapters.messages import (
    HttpRequest,
    code_of,
    http_request,
    result_of,
    turn_page,
)
from pipeline.execution.adapters.spec import AdapterSpec, at
from pipeline.execution.adapters.unlogged import unlogged
from pipeline.execution.calls import Partial, Request
from pipeline.execution.errors import ToolError
from pipeline.vocabulary import ErrorClass

if TYPE_CHECKING:
    import httpx

MAX_BYTES: Final = 4 * 1024**2
_CLASSES: Final[Mapping[int, ErrorClass]] = {
    400: ErrorClass.INVALID_ARGUMENT,
    401: ErrorClass.AUTH,
    403: ErrorClass.PERMISSION,
    404: ErrorClass.NOT_FOUND,
    408: ErrorClass.TIMEOUT,
    409: ErrorClass.INVALID_ARGUMENT,
    410: ErrorClass.NOT_FOUND,
    413: ErrorClass.TOO_LARGE,
    422: ErrorClass.INVALID_ARGUMENT,
    504: ErrorClass.TIMEOUT,
}
_LAST: Final = (None, "", False)
"""What an answer says in place of a next page when it is the last one."""
_NO_JSON: Final = object()
_NOT_DONE: Final = frozenset({429, 503})
"""Answers of a system that did not even begin (RFC 9110 §15.6.4, RFC 6585 §4)."""


class HttpAdapter:
    """One tool's system.

    Args:
        spec: How it is asked.
        client: Sends; shared by all adapters of a process. It must follow no redirects.
        credentials: By domain; each with just the rights of its domain.
    """

    def __init__(
        self, spec: AdapterSpec, client: "httpx.AsyncClient", credentials: Mapping[str, str]
    ) -> None:
        self._spec = spec
        self._client = client
        self._credentials = credentials
        self.about = {
            "server.address": urlsplit(spec.url).hostname or "",
            "http.request.method": spec.method,
        }

    async def __call__(self, request: Request) -> Any:
        """The answer, all pages of it, as the adapter's data shapes it.

        Raises:
            ToolError: By the contract's error table, else by the HTTP status.
        """
        message = http_request(self._spec, request.arguments)
        message.headers |= self._headers(request)
        body = await self._asked(message, request)
        paging = self._spec.paging
        if paging is None:
            return result_of(self._spec, body)
        rows = list(at(body, paging.items) or ())
        for _ in range(paging.max_pages - 1):
            token = at(body, paging.next)
            if token in _LAST:
                break
            turn_page(message, self._spec, token)
            body = await self._asked(message, request)
            rows += at(body, paging.items) or ()
        shaped = result_of(replace(self._spec, root=None), rows)
        return shaped if at(body, paging.next) in _LAST else Partial(shaped)

    def _headers(self, request: Request) -> dict[str, str]:
        headers = dict(request.headers)
        if not request.contract.is_read:
            headers[self._spec.idempotency_header] = request.idempotency_key
        domain = self._spec.auth_domain
        if domain is not None:
            if domain not in self._credentials:
                raise ToolError(ErrorClass.AUTH, f"no credentials of domain {domain}")
            value = f"{self._spec.auth_scheme} {self._credentials[domain]}".strip()
            headers[self._spec.auth_header] = value
        return headers

    async def _asked(self, message: HttpRequest, request: Request) -> Any:
        with unlogged():
            status, data = await self._sent(message, request.timeout_seconds)
        body = _json(data)
        code = code_of(self._spec, body)
        if code is None and 200 <= status < 300:
            if body is _NO_JSON:  # a page to log in, a gateway's notice: nobody knows what was done
                raise ToolError(
                    ErrorClass.UPSTREAM, "no JSON", error_type="no_json", may_have_happened=True
                )
            return body
        raise self._failure(request, status, code)

    async def _sent(self, message: HttpRequest, timeout_seconds: float) -> tuple[int, bytes]:
        import httpx

        try:
            async with self._client.stream(
                self._spec.method,
                message.url,
                params=message.query or None,
                headers=message.headers,
                json=message.body or None,
                timeout=timeout_seconds,
                follow_redirects=False,
            ) as answer:
                data = b""
                async for chunk in answer.aiter_bytes():
                    data += chunk
                    if len(data) > MAX_BYTES:
                        raise ToolError(ErrorClass.TOO_LARGE, "answer too large")
                return answer.status_code, data
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise ToolError(ErrorClass.UPSTREAM, "no connection", error_type="connect") from error
        except httpx.TimeoutException as error:
            raise ToolError(
                ErrorClass.TIMEOUT,
                "no answer in time",
                error_type="timeout",
                may_have_happened=True,
            ) from error
        except httpx.HTTPError as error:
            raise ToolError(
                ErrorClass.UPSTREAM,
                type(error).__name__,
                error_type="broken",
                may_have_happened=True,
            ) from error

    def _failure(self, request: Request, status: int, code: str | None) -> ToolError:
        table = request.contract.errors
        rule = table.get(code or "") or table.get(str(status))
        found = _CLASSES.get(status, ErrorClass.UPSTREAM) if rule is None else rule.error_class
        return ToolError(
            found,
            f"status {status}",
            error_type=code or str(status),
            may_have_happened=status >= 500 and status not in _NOT_DONE,
            advice=None if rule is None else rule.advice,
            http_status=status,
        )


def _json(data: bytes) -> Any:
    """The body; None without one, `_NO_JSON` for one that is no JSON."""
    try:
        return json.loads(data) if data.strip() else None
    except (ValueError, RecursionError):
        return _NO_JSON
