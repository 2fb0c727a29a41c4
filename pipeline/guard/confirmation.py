"""One-time tokens by which a person confirms one call (S3 §7.1).

A token is bound to tool, arguments, task and caller, is signed, expires, and is good for one use.
Only the program that asked the person may issue it; a model that writes one of its own is refused.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final

from pipeline.execution import Call

TOKEN_PARAMETER: Final = "confirm_token"  # noqa: S105  a name
VALID_SECONDS: Final = 300.0
SKEW_SECONDS: Final = 5.0
"""How far the clocks of two processes may be apart."""
MIN_SECRET_BYTES: Final = 16


class TokenProblem(StrEnum):
    """Why a token is no good."""

    MISSING = "missing"
    FORGED = "forged"
    """Not signed by us, or cut."""
    OTHER_CALL = "other_call"
    """Given for another tool, other arguments, another task or caller."""
    EXPIRED = "expired"
    USED = "used"


class Confirmations:
    """Issues tokens and takes each once.

    Args:
        secret: At least 16 bytes; shared by the processes that issue and take.
        now: Seconds since the epoch.
        valid_seconds: How long a token is good.
        nonce: Tells tokens of equal calls apart; a random text by default.
    """

    def __init__(
        self,
        secret: bytes,
        now: Callable[[], float],
        valid_seconds: float = VALID_SECONDS,
        nonce: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        if len(secret) < MIN_SECRET_BYTES:
            raise ValueError(f"secret: {len(secret)} bytes: expected at least {MIN_SECRET_BYTES}")
        self._secret = secret
        self._now = now
        self._nonce = nonce
        self._valid_seconds = valid_seconds
        self._used: dict[str, float] = {}

    def issue(self, call: Call) -> str:
        """A token for this very call; to be given out only after a person has confirmed it."""
        now = self._now()
        payload = {
            "call": _bound(call),
            "from": now,
            "until": now + self._valid_seconds,
            "nonce": self._nonce(),
        }
        data = json.dumps(payload, sort_keys=True).encode()
        return f"{_encoded(data)}.{_encoded(self._signature(data))}"

    def problem(self, call: Call) -> TokenProblem | None:
        """Why the call's token does not confirm it; None when it does. Uses nothing up."""
        token = token_of(call)
        if token is None:
            return TokenProblem.MISSING
        payload = self._payload(token)
        if payload is None:
            return TokenProblem.FORGED
        if not hmac.compare_digest(payload["call"], _bound(call)):
            return TokenProblem.OTHER_CALL
        now = self._now()
        if not payload["from"] - SKEW_SECONDS <= now < payload["until"]:
            return TokenProblem.EXPIRED
        return TokenProblem.USED if payload["nonce"] in self._used else None

    def use(self, call: Call) -> None:
        """The call's token is used up."""
        payload = self._payload(token_of(call) or "")
        if payload is not None:
            now = self._now()
            alive = {n: end for n, end in self._used.items() if end + SKEW_SECONDS > now}
            self._used = {**alive, payload["nonce"]: payload["until"]}

    def _payload(self, token: str) -> dict[str, Any] | None:
        """What a token says; None unless we signed it."""
        data, _, signature = token.partition(".")
        try:
            raw = base64.b64decode(data + "=" * (-len(data) % 4), altchars=b"-_", validate=True)
        except ValueError:
            return None
        wanted = _encoded(self._signature(raw))
        is_ours = hmac.compare_digest(signature.encode("utf-8", "replace"), wanted.encode())
        if not is_ours or _encoded(raw) != data:
            return None
        found: dict[str, Any] = json.loads(raw)
        return found

    def _signature(self, data: bytes) -> bytes:
        return hmac.new(self._secret, data, hashlib.sha256).digest()


def token_of(call: Call) -> str | None:
    """The token beside the call, or the one that the model passed on; None without any."""
    found = call.confirm_token
    if found is None and isinstance(call.arguments, Mapping):
        found = call.arguments.get(TOKEN_PARAMETER)
    return found if isinstance(found, str) and found else None


def _bound(call: Call) -> str:
    """A hash of what the token is for; the token itself is no part of it."""
    arguments = {name: call.arguments[name] for name in call.arguments if name != TOKEN_PARAMETER}
    text = json.dumps([call.tool, arguments, call.task_id, call.caller], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
