"""Who looks at a page, and whether raw outputs and debug prompts may be shown to them.

Somebody at this machine may see them, and somebody elsewhere who signed in with the token for raw
outputs. Headers are only ever believed when they take a right away.
"""

import hmac
from collections.abc import Mapping
from typing import Final

import streamlit as st

from dashboard import runtime
from dashboard.serving.login import SESSION_COOKIE, session_of
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
    return caller_of(address, here.headers, here.cookies, running.settings.raw_token)


def caller_of(
    address: str, headers: Mapping[str, str], cookies: Mapping[str, str], raw_token: str | None
) -> Caller:
    """Who asks, by the connection they ask over.

    Args:
        address: Of the peer, as the connection has it.
        headers: Of the request; names in lower case, or found in any.
        cookies: Of the request.
        raw_token: Token for raw outputs; None where there is none.
    """
    session = cookies.get(SESSION_COOKIE, "").encode("utf-8", "replace")
    is_privileged = raw_token is not None and hmac.compare_digest(
        session, session_of(raw_token).encode()
    )
    is_forwarded = any(name in headers for name in _FORWARDED)
    named = host_name(headers.get("host", _THIS_MACHINE))
    is_here = named in LOOPBACK_NAMES and not is_forwarded
    return caller_at(address if is_here else "", is_privileged=is_privileged)
