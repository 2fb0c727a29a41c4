"""Who looks at a page, and whether raw outputs and debug prompts may be shown to them.

Somebody at this machine may see them, and somebody elsewhere who signed in with the token for raw
outputs, or at the issuer with an address that is listed for them. Headers are only ever believed when they take a right away.
"""

import hmac
from collections.abc import Mapping
from typing import Final

import streamlit as st

from dashboard import runtime
from dashboard.serving.login import SESSION_COOKIE, session_of
from dashboard.serving.oidc import Oidc, Person
from dashboard.serving.security import LOOPBACK_NAMES, host_name
from pipeline.observation import Caller, caller_at

_FORWARDED: Final = ("forwarded", "via", "x-forwarded-for", "x-real-ip")
"""Headers by which a proxy says that it speaks for somebody else."""
_THIS_MACHINE: Final = "127.0.0.1"


def caller() -> Caller:
    """Who this run of the page is for; without a server, somebody in this very process."""
    running = runtime.current()
    if running.addresses is None:
        return Caller.LOCAL
    here = st.context
    # Streamlit tells no address for the loopback ones.
    address = here.ip_address or _THIS_MACHINE
    settings = running.settings
    person = Oidc(settings.oidc).person_with(here.cookies) if settings.oidc else None
    return caller_of(address, here.headers, here.cookies, settings.raw_token, person)


def caller_of(
    address: str,
    headers: Mapping[str, str],
    cookies: Mapping[str, str],
    raw_token: str | None,
    person: Person | None = None,
) -> Caller:
    """Who asks, by the connection they ask over.

    Args:
        address: Of the peer, as the connection has it.
        headers: Of the request; names in lower case, or found in any.
        cookies: Of the request.
        raw_token: Token for raw outputs; None where there is none.
        person: Who signed in at the issuer; None for nobody.
    """
    session = cookies.get(SESSION_COOKIE, "").encode("utf-8", "replace")
    has_token = raw_token is not None and hmac.compare_digest(
        session, session_of(raw_token).encode()
    )
    is_privileged = has_token or (person is not None and person.may_see_raw)
    is_forwarded = any(name in headers for name in _FORWARDED)
    named = host_name(headers.get("host", _THIS_MACHINE))
    is_here = named in LOOPBACK_NAMES and not is_forwarded
    return caller_at(address if is_here else "", is_privileged=is_privileged)
