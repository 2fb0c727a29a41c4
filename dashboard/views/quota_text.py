"""How a daily quota stands, in words."""

from typing import Final

from dashboard.filters import zone
from dashboard.formats import NO_VALUE, minute_text
from dashboard.i18n import t
from metrics import QuotaState, QuotaUse

_STATES: Final = {
    QuotaState.OVER: "quota_over",
    QuotaState.BURNING: "quota_burning",
    QuotaState.WITHIN: "quota_within",
}


def caller_text(use: QuotaUse) -> str:
    """Who calls: a name from the spans, everybody, or nobody that is named."""
    return t("quota_all") if use.is_all else use.caller or "?"


def quota_verdict(use: QuotaUse) -> str:
    """Whether the quota lasts the newest day at its pace so far; until when, where it does not.

    A dash without a quota.
    """
    if use.state is QuotaState.NO_QUOTA:
        return NO_VALUE
    until = "" if use.used_up_ns is None else minute_text(use.used_up_ns, zone())[-5:]
    return t(_STATES[use.state], time=until)
