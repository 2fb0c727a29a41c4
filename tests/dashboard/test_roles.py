"""Who may see raw outputs: people at this machine, and those with the token for it."""

import pytest

from dashboard.roles import caller_of
from dashboard.serving.login import SESSION_COOKIE, session_of
from dashboard.serving.oidc import Person
from pipeline.observation import Caller

TOKEN = "a token of some length"  # noqa: S105
OTHER = "another token of some length"
HERE = {"host": "localhost:8501"}


@pytest.mark.parametrize(
    ("address", "headers", "expected"),
    [
        ("127.0.0.1", HERE, Caller.LOCAL),
        ("::1", {"host": "[::1]:8501"}, Caller.LOCAL),
        ("127.0.0.1", {}, Caller.LOCAL),
        ("10.0.0.9", HERE, Caller.REMOTE),
        ("127.0.0.1", {"host": "toolsight.example.com"}, Caller.REMOTE),
        ("127.0.0.1", HERE | {"x-forwarded-for": "127.0.0.1"}, Caller.REMOTE),
        ("127.0.0.1", HERE | {"forwarded": "for=10.0.0.9"}, Caller.REMOTE),
        ("no address", HERE, Caller.REMOTE),
        ("", {"host": "\x00"}, Caller.REMOTE),
    ],
)
def test_only_somebody_at_this_machine_is_local(
    address: str, headers: dict[str, str], expected: Caller
) -> None:
    assert caller_of(address, headers, {}, None) is expected


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        (session_of(TOKEN), Caller.PRIVILEGED),
        (session_of(OTHER), Caller.REMOTE),
        (TOKEN, Caller.REMOTE),
        ("", Caller.REMOTE),
        ("\ud800", Caller.REMOTE),
    ],
)
def test_from_elsewhere_the_session_of_the_raw_token_counts(session: str, expected: Caller) -> None:
    cookies = {SESSION_COOKIE: session}

    assert caller_of("10.0.0.9", {"host": "a.example"}, cookies, TOKEN) is expected
    assert caller_of("10.0.0.9", {"host": "a.example"}, cookies, None) is Caller.REMOTE


@pytest.mark.parametrize(
    ("person", "expected"),
    [
        (Person("owner@example.com", is_allowed=True, may_see_raw=True), Caller.PRIVILEGED),
        (Person("ops@example.com", is_allowed=True, may_see_raw=False), Caller.REMOTE),
        (None, Caller.REMOTE),
    ],
)
def test_from_elsewhere_a_listed_person_counts(person: Person | None, expected: Caller) -> None:
    assert caller_of("10.0.0.9", {"host": "a.example"}, {}, None, person) is expected
