"""A small OpenID Connect issuer for tests: signs in whoever comes, as the person it is told."""

import base64
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT_ID, CLIENT_SECRET = "toolsight", "a-client-secret-that-must-stay-out-of-logs"


class Issuer:
    """One issuer; `person` is what its tokens say of who signs in."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        from joserfc.jwk import RSAKey

        self.url = f"http://localhost:{server.server_port}"
        self.person: Mapping[str, Any] = {}
        self.secrets_shown: list[str] = []
        self._key = RSAKey.generate_key(2048, {"kid": "k1", "use": "sig"})
        self._nonces: dict[str, str] = {}

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def keys(self) -> dict[str, Any]:
        return {"keys": [self._key.as_dict(private=False)]}

    def redirection(self, asked: Mapping[str, list[str]]) -> str:
        """Where a browser goes from `/authorize`: back with a code."""
        code = f"code-{len(self._nonces)}"
        self._nonces[code] = asked["nonce"][0]
        back = urlencode({"code": code, "state": asked["state"][0]})
        return f"{asked['redirect_uri'][0]}?{back}"

    def token(self, given: Mapping[str, list[str]], authorization: str) -> dict[str, Any]:
        from joserfc import jwt

        self.secrets_shown.append(base64.b64decode(authorization.partition(" ")[2]).decode())
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": self._nonces.pop(given["code"][0]),
            **self.person,
        }
        id_token = jwt.encode({"alg": "RS256", "kid": "k1"}, claims, self._key)
        return {
            "access_token": "an-access-token-that-must-stay-out-of-logs",
            "token_type": "Bearer",
            "expires_in": 300,
            "id_token": id_token,
        }


@contextmanager
def issuing() -> Iterator[Issuer]:
    """An issuer that answers on a port of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    issuer = Issuer(server)
    server.issuer = issuer  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        issuer: Issuer = self.server.issuer  # type: ignore[attr-defined]
        address = urlsplit(self.path)
        if address.path == "/authorize":
            self.send_response(302)
            self.send_header("location", issuer.redirection(parse_qs(address.query)))
            self.send_header("content-length", "0")
            self.end_headers()
        else:
            self._answer(issuer.keys() if address.path == "/jwks" else issuer.metadata())

    def do_POST(self) -> None:
        issuer: Issuer = self.server.issuer  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        self._answer(issuer.token(parse_qs(body), self.headers.get("authorization", "")))

    def _answer(self, body: Mapping[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
