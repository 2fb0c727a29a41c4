"""Sign-in at an OpenID Connect issuer, through Streamlit's own routes and its signed cookie.

Streamlit talks to the issuer (`/auth/login`, `/oauth2callback`, `/auth/logout`) and keeps who signed
in in a cookie; here it is decided, for every route and the websocket, whether that person may look.
Nothing of the client secret or of a token is logged or shown.
"""

import hmac
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from dashboard.errors import SettingsError
from dashboard.settings import OidcSettings

if TYPE_CHECKING:
    from starlette.types import Scope

__all__ = ["OIDC_PATHS", "SIGN_OUT_PATH", "Oidc", "Person", "auth_secrets"]

SIGN_OUT_PATH: Final = "/auth/logout"
_CALLBACK_PATH: Final = "/oauth2callback"
OIDC_PATHS: Final = frozenset({"/auth/login", _CALLBACK_PATH, SIGN_OUT_PATH})
"""What a stranger must be able to reach in order to sign in."""
_MODULES: Final = ("authlib", "httpx")


@dataclass(frozen=True, slots=True)
class Person:
    """Who signed in, as the issuer says."""

    name: str
    """The mail address, or what the issuer names the person by; to be shown as text."""
    is_allowed: bool
    may_see_raw: bool
    """Also raw outputs and debug prompts, from wherever they look."""


def auth_secrets(settings: OidcSettings) -> dict[str, Any]:
    """What Streamlit calls its secrets.

    Raises:
        SettingsError: The libraries for it are not installed; says how to install them.
    """
    if any(find_spec(name) is None for name in _MODULES):
        raise SettingsError(
            "TOOLSIGHT_OIDC: sign-in needs Authlib and httpx: expected them installed; "
            "run `pip install 'toolsight[oidc]'`"
        )
    return {
        "auth": {
            "redirect_uri": settings.public_url.rstrip("/") + _CALLBACK_PATH,
            "cookie_secret": _cookie_secret(settings),
            "client_id": settings.client_id,
            "client_secret": settings.client_secret.get_secret_value(),
            "server_metadata_url": settings.metadata_url,
        }
    }


class Oidc:
    """Reads who signed in from the headers of a request.

    Args:
        settings: Who may look, and where the pages are.
    """

    def __init__(self, settings: OidcSettings) -> None:
        self._settings = settings
        self._secret = _cookie_secret(settings)
        self._origin = settings.public_url.rstrip("/")

    def person(self, scope: "Scope") -> Person | None:
        """Who signed in; None for a stranger, and for a cookie that is not ours or too old."""
        from starlette.requests import cookie_parser

        cookies: dict[str, str] = {}
        for name, value in scope["headers"]:
            if name == b"cookie":
                cookies |= cookie_parser(value.decode("latin-1"))
        return self.person_with(cookies)

    def person_with(self, cookies: Mapping[str, str]) -> Person | None:
        """Who signed in, by the cookies of a request; None as in `person`."""
        claims = self._claims(cookies)
        if claims is None or claims.get("origin") != self._origin:
            return None
        if claims.get("is_logged_in") is not True:
            return None
        mail = str(claims.get("email") or "")
        name = mail or str(claims.get("name") or claims.get("sub") or "")
        is_allowed = not self._settings.allowed or (
            claims.get("email_verified") is not False and _is_listed(mail, self._settings.allowed)
        )
        may_see_raw = claims.get("email_verified") is True and _is_listed(
            mail, self._settings.raw_allowed
        )
        return Person(name, is_allowed, is_allowed and may_see_raw)

    def start_address(self) -> str:
        """Where a browser goes to sign in; holds for two minutes."""
        from streamlit.user_info import generate_login_redirect_url

        return "/" + str(generate_login_redirect_url("default")).lstrip("/")

    def _claims(self, cookies: Mapping[str, str]) -> dict[str, Any] | None:
        from streamlit.auth_util import get_cookie_with_chunks
        from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
        from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

        def signed(name: str) -> bytes | None:
            value = cookies.get(name)
            return None if value is None else decode_signed_value(self._secret, name, value)

        try:
            found = get_cookie_with_chunks(signed, USER_COOKIE_NAME)
            claims = None if found is None else json.loads(found)
        except ValueError:
            return None
        return claims if isinstance(claims, dict) else None


def _is_listed(mail: str, entries: Sequence[str]) -> bool:
    """Whether an address is listed, or its whole domain is."""
    listed = {entry.lower() for entry in entries}
    address = mail.lower()
    return bool(mail) and (address in listed or "@" + address.rpartition("@")[2] in listed)


def _cookie_secret(settings: OidcSettings) -> str:
    """Made from the client secret: it outlives a restart, and a new secret ends all sessions."""
    key = settings.client_secret.get_secret_value().encode()
    return hmac.new(key, b"toolsight oidc cookie", sha256).hexdigest()
