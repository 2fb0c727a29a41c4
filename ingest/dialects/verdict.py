"""How a call ended, from whatever the span says: the first rule that speaks decides.

Source: the order is blocked, explicit flag, span status ERROR or exception event, content; a
status of OK is believed only when the content does not deny it, because several frameworks set OK
on failed tools.
"""

import re
from typing import Any, NamedTuple

from ingest.dialects.values import parsed, text
from pipeline.vocabulary import CallStatus, ErrorSource

STATUS_OK = 1
STATUS_ERROR = 2

_BLOCKED = re.compile(
    r"^\W*(blocked by\b|permission to use .{1,80} has been rejected|the user doesn't want to proceed"
    r"|(this )?(action|operation|tool( call)?) (is |was )?(blocked|denied)\b|requires (human )?approval"
    r"|已拦截|被拦截|操作被拦截)",
    re.IGNORECASE,
)
"""Texts by which guards tell the model no, anchored at the start of a result."""
_FAILED = re.compile(r"^\s*(error|exception|traceback|failed)\b\s*[:\s(]", re.IGNORECASE)
_HEAD = 400


class Verdict(NamedTuple):
    """The status of a call and where it was read."""

    status: CallStatus
    source: ErrorSource | None = None
    message: str | None = None


def written_flag(value: Any) -> CallStatus | None:
    """What an attribute such as `success` says, a truth value or a word; None when it says nothing."""
    written = str(value).lower()
    if written in ("error", "false", "failed"):
        return CallStatus.ERROR
    return CallStatus.OK if written in ("success", "true", "ok") else None


def judge(
    result: Any,
    *,
    flag: CallStatus | None = None,
    status_code: int = 0,
    status_message: str | None = None,
    exception: str | None = None,
) -> Verdict:
    """The verdict on one call.

    Args:
        result: What came back, in any shape; None when the span does not show it.
        flag: An explicit verdict of the dialect.
        status_code: OpenTelemetry status of the span.
        status_message: Message beside that status.
        exception: Message of the span's exception event.
    """
    shown = text(result)
    if is_block(shown):
        return Verdict(CallStatus.BLOCKED, ErrorSource.CONTENT, _head(shown))
    if flag not in (None, CallStatus.OK):
        return Verdict(flag, ErrorSource.FLAG, status_message or exception or _head(shown))
    if status_code == STATUS_ERROR:
        return Verdict(
            CallStatus.ERROR, ErrorSource.SPAN_STATUS, exception or status_message or _head(shown)
        )
    if exception is not None:
        return Verdict(CallStatus.ERROR, ErrorSource.EXCEPTION, exception)
    if flag is None and says_failed(result):
        return Verdict(CallStatus.ERROR, ErrorSource.CONTENT, _head(shown))
    if flag is CallStatus.OK or status_code == STATUS_OK or result is not None:
        return Verdict(CallStatus.OK)
    return Verdict(CallStatus.UNKNOWN)


def is_block(shown: str | None) -> bool:
    """Whether a result is the text of a guard that stopped the call."""
    return shown is not None and _BLOCKED.match(shown[:_HEAD].lstrip("\"'[{ ")) is not None


def says_failed(result: Any) -> bool:
    """Whether a result speaks of failure: anchored text, or a JSON object that says so."""
    value = parsed(result) if isinstance(result, str) and result[:1] in ("{", '"') else result
    if isinstance(value, str):
        return _FAILED.match(value[:_HEAD]) is not None
    if isinstance(value, dict):
        return (
            bool(value.get("error") or value.get("errors") or value.get("exception"))
            or value.get("success") is False
            or value.get("status") == "error"
        )
    return False


def _head(shown: str | None) -> str | None:
    return shown[:_HEAD] if shown else None
