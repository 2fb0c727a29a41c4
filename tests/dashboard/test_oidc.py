"""People sign in at an issuer; who may look is decided for every route; nothing secret is told."""

import asyncio
import http.client
import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from pydantic import SecretStr
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from dashboard.errors import SettingsError
from dashboard.serving import oidc
from dashboard.serving.login import LOGIN_PATH, Login
from dashboard.serving.oidc import Oidc, auth_secrets
from dashboard.settings import OidcSettings, read_settings
from tests.dashboard.issuer import CLIENT_ID, CLIENT_SECRET, issuing
from tests.serving import ask, free_port, serving

PUBLIC = "http://localhost:8501"
MAIL = "ann@example.com"


def settings(*allowed: str) -> OidcSettings:
    return OidcSettings(
        metadata_url="https://issuer.test/.well-known/openid-configuration",
        client_id=CLIENT_ID,
        client_secret=SecretStr(CLIENT_SECRET),
        public_url=PUBLIC,
        allowed=allowed,
    )


def scope(path: str = "/", **claims: object) -> dict[str, Any]:
    """A request with the cookie that Streamlit sets after signing in."""
    held = {"origin": PUBLIC, "is_logged_in": True, "email": MAIL} | claims
    secret = oidc._cookie_secret(settings())
    value = create_signed_value(secret, "_streamlit_user", json.dumps(held)).decode()
    headers = [(b"cookie", b"other=1"), (b"cookie", f"_streamlit_user={value}".encode())]
    return {"type": "http", "path": path, "method": "GET", "headers": headers}


@pytest.mark.parametrize(
    ("allowed", "claims", "may_look"),
    [
        ((), {}, True),
        ((MAIL.upper(),), {}, True),
        (("@example.com",), {}, True),
        (("@example.com",), {"email": "eve@example.com.evil.test"}, False),
        (("@example.com",), {"email": "eve@evil.test"}, False),
        (("@example.com",), {"email": None, "name": MAIL}, False),
        (("@example.com",), {"email_verified": False}, False),
        (("bob@example.com",), {}, False),
    ],
)
def test_who_may_look(allowed: tuple[str, ...], claims: Mapping[str, Any], may_look: bool) -> None:
    person = Oidc(settings(*allowed)).person(scope(**claims))

    assert person is not None
    assert person.is_allowed is may_look


@pytest.mark.parametrize(
    ("raw_allowed", "claims", "may_see_raw"),
    [
        ((), {"email_verified": True}, False),
        ((MAIL,), {"email_verified": True}, True),
        (("@example.com",), {"email_verified": True}, True),
        ((MAIL,), {}, False),
        ((MAIL,), {"email_verified": "true"}, False),
        (("bob@example.com",), {"email_verified": True}, False),
    ],
)
def test_who_may_see_raw_outputs(
    raw_allowed: tuple[str, ...], claims: Mapping[str, Any], may_see_raw: bool
) -> None:
    listed = settings("@example.com").model_copy(update={"raw_allowed": raw_allowed})
    person = Oidc(listed).person(scope(**claims))

    assert person is not None
    assert person.may_see_raw is may_see_raw


def test_who_may_not_look_sees_nothing_raw() -> None:
    listed = settings("bob@example.com").model_copy(update={"raw_allowed": (MAIL,)})
    person = Oidc(listed).person(scope(email_verified=True))

    assert person is not None
    assert not person.may_see_raw


@pytest.mark.parametrize(
    "claims",
    [{"origin": "http://elsewhere:8501"}, {"is_logged_in": False}, {"is_logged_in": "yes"}],
)
def test_a_cookie_of_elsewhere_or_of_nobody_is_no_person(claims: Mapping[str, Any]) -> None:
    assert Oidc(settings()).person(scope(**claims)) is None


@pytest.mark.parametrize("cookie", ["", "_streamlit_user=guess", "_streamlit_user=a.b.c", "\x01"])
def test_a_forged_cookie_is_no_person(cookie: str) -> None:
    forged = scope() | {"headers": [(b"cookie", cookie.encode())]}

    assert Oidc(settings()).person(forged) is None


async def _page(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the page"})


def answered(asked: dict[str, Any], *allowed: str, token: str | None = None) -> list[Any]:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    login = Login(_page, token, frozenset(), oidc=Oidc(settings(*allowed)))
    asyncio.run(login(asked, receive, send))
    return sent


def test_who_is_not_listed_is_told_so_and_can_sign_out() -> None:
    name = "<script>@evil.test"
    sent = answered(scope(LOGIN_PATH, email=name), "@example.com")

    assert sent[0]["status"] == 403
    assert b"&lt;script&gt;@evil.test may not look here" in sent[1]["body"]
    assert b"/auth/logout" in sent[1]["body"]
    assert answered(scope("/", email=name), "@example.com")[0]["status"] == 303


def test_the_form_offers_the_ways_there_are() -> None:
    stranger = scope(LOGIN_PATH) | {"headers": []}

    only_elsewhere = answered(stranger)[1]["body"]
    both = answered(stranger, token="a token of some length")[1]["body"]  # noqa: S106

    assert b"elsewhere=1" in only_elsewhere
    assert b"password" not in only_elsewhere
    assert b"elsewhere=1" in both
    assert b"password" in both


def test_without_the_libraries_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oidc, "find_spec", lambda _: None)

    with pytest.raises(SettingsError, match=r"toolsight\[oidc\]"):
        auth_secrets(settings())


def test_settings_come_from_the_environment_and_show_no_secret(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOOLSIGHT_OIDC__METADATA_URL", settings().metadata_url)
    monkeypatch.setenv("TOOLSIGHT_OIDC__CLIENT_ID", CLIENT_ID)
    monkeypatch.setenv("TOOLSIGHT_OIDC__CLIENT_SECRET", CLIENT_SECRET)
    with pytest.raises(SettingsError) as missing:
        read_settings()
    assert str(missing.value).startswith("TOOLSIGHT_OIDC__PUBLIC_URL")
    assert CLIENT_SECRET not in str(missing.value)

    monkeypatch.setenv("TOOLSIGHT_OIDC__PUBLIC_URL", PUBLIC)
    monkeypatch.setenv("TOOLSIGHT_OIDC__ALLOWED", '["@example.com"]')
    read = read_settings()
    assert read.oidc == settings("@example.com")
    assert CLIENT_SECRET not in repr(read)


def test_a_token_that_is_too_short_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSIGHT_TOKEN", "hunter2")

    with pytest.raises(SettingsError) as refused:
        read_settings()
    assert "hunter2" not in str(refused.value)


class Browser:
    """Follows redirects and keeps cookies, as a browser would."""

    def __init__(self) -> None:
        self.cookies: dict[tuple[str, str], str] = {}
        self.visited: list[str] = []

    def open(self, url: str) -> tuple[int, bytes]:
        for _ in range(10):
            self.visited.append(urlsplit(url).path)
            status, location, body = self._get(url)
            if location is None:
                return status, body
            url = urljoin(url, location)
        raise AssertionError(f"too many redirects: {self.visited}")

    def _get(self, url: str) -> tuple[int, str | None, bytes]:
        address = urlsplit(url)
        held = "; ".join(f"{n}={v}" for (at, n), v in self.cookies.items() if at == address.netloc)
        with closing(http.client.HTTPConnection(address.netloc, timeout=30)) as connection:
            target = address.path + (f"?{address.query}" if address.query else "")
            connection.request("GET", target, headers={"Cookie": held} if held else {})
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("set-cookie") or ():
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[address.netloc, name] = value.strip('"')
            return answer.status, answer.headers.get("location"), answer.read()


@pytest.mark.slow
def test_people_sign_in_at_an_issuer_and_nothing_secret_is_logged(tmp_path: Path) -> None:
    pytest.importorskip("authlib")
    pytest.importorskip("httpx")
    port = free_port()
    public = f"http://localhost:{port}"
    with issuing() as issuer:
        environment = {
            "TOOLSIGHT_OIDC__METADATA_URL": f"{issuer.url}/.well-known/openid-configuration",
            "TOOLSIGHT_OIDC__CLIENT_ID": CLIENT_ID,
            "TOOLSIGHT_OIDC__CLIENT_SECRET": CLIENT_SECRET,
            "TOOLSIGHT_OIDC__PUBLIC_URL": public,
            "TOOLSIGHT_OIDC__ALLOWED": '["@example.com"]',
        }
        store, options = tmp_path / "store.duckdb", ("--port", str(port))
        with serving(store, *options, is_measured=False, **environment) as server:
            assert ask(port, "GET", "/", headers={"Host": "localhost"}).status == 303

            issuer.person = {"sub": "1", "email": MAIL, "email_verified": True}
            ann = Browser()
            status, body = ann.open(f"{public}{LOGIN_PATH}?elsewhere=1")
            assert (status, b"<title>Streamlit" in body) == (200, True), ann.visited
            assert ann.visited[1:4] == ["/auth/login", "/authorize", "/oauth2callback"]
            assert issuer.secrets_shown == [f"{CLIENT_ID}:{CLIENT_SECRET}"]

            issuer.person = {"sub": "2", "email": "eve@evil.test", "email_verified": True}
            eve = Browser()
            status, body = eve.open(f"{public}{LOGIN_PATH}?elsewhere=1")
            assert (status, eve.visited[-1]) == (403, LOGIN_PATH)
            assert b"eve@evil.test may not look here" in body

            server.process.terminate()
            stdout, stderr = server.process.communicate(timeout=20)
    for text in (stdout, stderr):
        assert CLIENT_SECRET not in text
        assert "access-token" not in text
