"""Tells each channel once that an incident goes on, and once that it is over."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from dashboard.alert_text import Lang, alert_sentence, deploy_text, incident_title
from dashboard.notify.channel import Channel, Message

if TYPE_CHECKING:
    from dashboard.alerting import Look, Told
    from replay_store.database import Database
    from replay_store.records import AlertNotice

__all__ = ["announce", "incident_message"]

Clock = Callable[[], int]
Sleep = Callable[[float], object]
_FIRING: Final = "firing"
_CLEARED: Final = "cleared"
_MAX_SENTENCES: Final = 8
_WORDS: Final = {
    "over": {"en": "Over: {title}", "zh": "已恢复：{title}"},
    "since": {"en": "Since {time} ({zone}).", "zh": "始于 {time}（{zone}）。"},
    "new": {"en": "New then: {deploys}.", "zh": "当时新上线：{deploys}。"},
    "more": {"en": "and {n} more", "zh": "另有 {n} 条"},
    "look": {
        "en": "Incident {id}; `toolsight check` shows it.",
        "zh": "事件 {id}；`toolsight check` 可查看。",
    },
}


def announce(
    database: "Database",
    found: "Look",
    channels: Iterable[Channel],
    *,
    clock: Clock,
    sleep: Sleep,
    zone: ZoneInfo,
    lang: Lang = "en",
) -> "list[AlertNotice]":
    """Send what has not been told yet, and keep what became of each message.

    An incident is told when nobody has acknowledged it; that it is over, to those who were told. A
    message that could not be sent is tried again at the next look.
    """
    from replay_store.alerts import alert_notices, record_notice
    from replay_store.records import AlertNotice

    sent = {
        (notice.incident_id, notice.channel, notice.state)
        for notice in alert_notices(database)
        if notice.outcome == "sent"
    }
    notices = []
    for channel in channels:
        for told, state in _due(found, channel, sent):
            outcome = channel.send(incident_message(told, state, zone, lang), sleep)
            notice = AlertNotice(
                incident_id=told.incident_id,
                state=state,
                channel=channel.name,
                outcome="sent" if outcome.is_sent else "failed",
                detail=outcome.detail,
                n_tries=outcome.n_tries,
                time_ns=clock(),
            )
            record_notice(database, notice)
            notices.append(notice)
    return notices


def incident_message(told: "Told", state: str, zone: ZoneInfo, lang: Lang = "en") -> Message:
    """The incident in plain text: what, since when, what else, what was new."""
    incident = told.incident
    title = incident_title(incident, lang)
    shown = incident.alerts[1:_MAX_SENTENCES]
    lines = [alert_sentence(alert, lang) for alert in shown]
    n_more = len(incident.alerts) - 1 - len(shown)
    lines += [_WORDS["more"][lang].format(n=n_more)] if n_more else []
    moment = datetime.fromtimestamp(incident.since_ns / 1e9, zone).strftime("%Y-%m-%d %H:%M")
    lines.append(_WORDS["since"][lang].format(time=moment, zone=zone.key))
    deploys = {deploy_text(deploy, lang) for alert in incident.alerts for deploy in alert.deploys}
    if deploys:
        lines.append(_WORDS["new"][lang].format(deploys=", ".join(sorted(deploys))))
    lines.append(_WORDS["look"][lang].format(id=told.incident_id))
    if state == _CLEARED:
        return Message(_WORDS["over"][lang].format(title=title), "\n".join(lines), True)
    return Message(f"[{incident.severity}] {title}", "\n".join(lines))


def _due(
    found: "Look", channel: Channel, sent: set[tuple[str, str, str]]
) -> Iterator[tuple["Told", str]]:
    seen = set()
    for told in found.told:
        knows = (told.incident_id, channel.name, _FIRING) in sent
        knows_end = (told.incident_id, channel.name, _CLEARED) in sent
        if told.incident_id in seen:
            continue
        seen.add(told.incident_id)
        if told.is_open and not knows:
            yield told, _FIRING
        elif knows and not knows_end and told.incident.cleared_ns is not None:
            yield told, _CLEARED
