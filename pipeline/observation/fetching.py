"""One file from a web server: no redirects, an end to waiting and to reading.

Apart from `published` because the standard library's client is slow to import and seldom needed.
"""

from collections.abc import Mapping
from http.client import HTTPException, HTTPMessage
from typing import IO, Final
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from pipeline.observation.errors import RuleSourceError

_WANTS_TOKEN: Final = frozenset({301, 302, 303, 307, 308, 401, 403})
"""Answers of a server that sends strangers to its form, or away."""


class _NoRedirects(HTTPRedirectHandler):
    """A redirect is an answer like any other: a token is for the server it was given for."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        return None


def fetched(
    address: str,
    place: str,
    token: str | None,
    timeout_seconds: float,
    max_bytes: int,
    told: Mapping[str, str] | None = None,
) -> bytes:
    """The first bytes of what lies at an address.

    Args:
        address: `http://` or `https://`; the caller has checked the scheme.
        place: The address for messages, without any password.
        token: Sent as a bearer token; None sends none.
        timeout_seconds: For each wait.
        max_bytes: How many are read.
        told: Headers that say who asks.

    Raises:
        RuleSourceError: The server does not answer, or answers with something else.
    """
    headers = dict(told or {})
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    request = Request(address, headers=headers)  # noqa: S310  # the scheme was checked
    try:
        with build_opener(_NoRedirects).open(request, timeout=timeout_seconds) as answer:
            body: bytes = answer.read(max_bytes)
            return body
    except HTTPError as error:
        with error:
            raise RuleSourceError(f"{place}: {_said(error.code)}") from error
    except (OSError, HTTPException, ValueError) as error:
        raise RuleSourceError(
            f"{place}: {type(error).__name__}: expected a published version; "
            "check that the server is up and serves it"
        ) from error


def _said(status: int) -> str:
    expected = f"answered {status}: expected a published version; "
    if status in _WANTS_TOKEN:
        return f"{expected}give its token (`HttpSource(url, token=...)`), or its whole address"
    return f"{expected}check that the server serves it"
