"""One incident: what, since when, how sure, what was new then, its traces, and who took it over."""

from collections.abc import Sequence
from typing import Final, Literal

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.alert_text import (
    alert_sentence,
    chance_text,
    deploy_text,
    figure_text,
    incident_title,
    usual_text,
)
from dashboard.alerting import Told
from dashboard.filters import instant_text, zone
from dashboard.formats import NO_VALUE, count_text, minute_text
from dashboard.i18n import language, t
from dashboard.metric_text import in_language
from dashboard.views.alerts import queries as alert_queries
from dashboard.views.alerts.columns import TIME_WIDTH, subject_text
from metrics import DEFINITIONS, Part
from metrics.alerts import Alert, Cause, Severity, figure_name, help_text
from pipeline.errors import ToolsightError
from replay_store.records import AlertAck

_FIGURES: Final = frozenset(item.key for item in DEFINITIONS)
_MAX_SENTENCES: Final = 6
_NOT_COUNTED: Final = frozenset({Cause.EVALUATIONS_STOPPED, Cause.HITS_STOPPED})
"""What did not happen is in no trace that its figure counts: the calls that went by show it."""
_LOOKS: Final[dict[Severity, tuple[str, str, Literal["red", "orange"]]]] = {
    Severity.PAGE: ("alerts_page", ":material/notifications_active:", "red"),
    Severity.TICKET: ("alerts_ticket", ":material/confirmation_number:", "orange"),
}


def incident_card(
    told: Told, ack: AlertAck | None, acks: Sequence[AlertAck], *, is_first: bool
) -> None:
    """Draw one incident.

    Args:
        told: The incident under its id.
        ack: Who has taken it over; None for nobody.
        acks: What people did about all incidents.
        is_first: Whether its figures are shown at once.
    """
    incident, key = told.incident, told.incident_id
    with st.container(border=True, gap="xsmall", key=f"incident_{incident.severity}_{key}"):
        _head(told, ack)
        for alert in incident.alerts[1:_MAX_SENTENCES]:
            if alert.is_firing:
                st.text(f"· {alert_sentence(alert, language())}")
        _deploys(incident.alerts)
        own = [item for item in acks if item.incident_id == key]
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key=f"incident_links_{key}"
        ):
            _links(incident.alerts[0])
            with st.popover(t("alerts_people", n=count_text(len(own))), key=f"people_{key}"):
                _people(key, own, is_taken=ack is not None)
        with st.expander(t("alerts_figures"), expanded=is_first, key=f"figures_{key}"):
            st.caption(in_language(help_text(incident.alerts[0])))
            _figures(incident.alerts, key)


def _head(told: Told, ack: AlertAck | None) -> None:
    label, icon, color = _LOOKS[told.incident.severity]
    with st.container(
        horizontal=True,
        vertical_alignment="center",
        gap="small",
        key=f"incident_head_{told.incident_id}",
    ):
        st.badge(t(label), icon=icon, color=color)
        st.caption(
            t("alerts_since", time=minute_text(told.incident.since_ns, zone())), width="content"
        )
        if ack is not None:
            st.caption(t("alerts_by"), width="content")
            st.text(ack.author, width="content")
        st.caption(told.incident_id, width="content")
    with st.container(key=f"incident_title_{told.incident_id}"):
        st.text(incident_title(told.incident, language()))


def _deploys(alerts: Sequence[Alert]) -> None:
    new = {deploy_text(deploy, language()) for alert in alerts for deploy in alert.deploys}
    if not new:
        return
    with st.container(horizontal=True, gap="small", key=f"incident_new_{alerts[0].alert_id}"):
        st.caption(t("alerts_new"), width="content")
        st.text(", ".join(sorted(new)), width="content")


def _links(alert: Alert) -> None:
    """The traces of the stretch; one trace where that shows it."""
    stretch = {
        "from": instant_text(alert.since_ns),
        "to": instant_text((alert.cleared_ns or alert.last_ns) + 10**9),
    }
    if alert.trace_id is not None:
        links.page_link("trace", t("alerts_one_trace"), trace_id=alert.trace_id)
    is_counted = alert.key.metric in _FIGURES and alert.cause not in _NOT_COUNTED
    metric = alert.key.metric if is_counted else None
    links.page_link(
        "traces",
        t("alerts_traces"),
        metric=metric,
        part=Part.WORST if metric else None,
        tool=alert.key.tool_name,
        **stretch,
    )


def _figures(alerts: Sequence[Alert], key: str) -> None:
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    in_zone = zone()
    frame = pd.DataFrame(
        {
            "figure": [in_language(figure_name(alert.key)) for alert in alerts],
            "part": [subject_text(alert.key) for alert in alerts],
            "value": [figure_text(alert.value, alert.unit) for alert in alerts],
            "usual": [usual_text(alert.key.metric, alert.baseline, alert.unit) for alert in alerts],
            "limit": [figure_text(alert.limit, alert.unit) for alert in alerts],
            "n": [alert.n for alert in alerts],
            "chance": [chance_text(alert.p_value) for alert in alerts],
            "since": [minute_text(alert.since_ns, in_zone) for alert in alerts],
            "sure": [minute_text(alert.fired_ns, in_zone) for alert in alerts],
            "until": [
                NO_VALUE if alert.cleared_ns is None else minute_text(alert.cleared_ns, in_zone)
                for alert in alerts
            ],
        }
    )
    st.dataframe(
        frame,
        key=f"alerts_{key}",
        hide_index=True,
        height="content",
        column_config={
            "figure": text(t("alerts_column_figure"), width=150),
            "part": text(t("alerts_column_part"), width=216),
            "value": text(t("alerts_column_value"), width=58),
            "usual": text(t("alerts_column_usual"), width=60),
            "limit": text(t("alerts_column_limit"), width=68),
            "n": number(t("alerts_column_n"), width=56, format="localized"),
            "chance": text(t("alerts_column_chance"), width=76),
            "since": text(t("alerts_column_since"), width=TIME_WIDTH),
            "sure": text(t("alerts_column_sure"), width=TIME_WIDTH),
            "until": text(t("alerts_column_until"), width=TIME_WIDTH),
        },
    )


def _people(incident_id: str, acks: Sequence[AlertAck], *, is_taken: bool) -> None:
    in_zone = zone()
    for ack in acks:
        word = t(_ACTIONS[ack.action])
        st.text(f"{minute_text(ack.time_ns, in_zone)}  {ack.author}  {word}  {ack.note or ''}")
    for notice in alert_queries.notices(incident_id):
        outcome = t("alerts_sent" if notice.outcome == "sent" else "alerts_not_sent")
        st.text(f"{minute_text(notice.time_ns, in_zone)}  {notice.channel}  {outcome}")
    _form(incident_id, is_taken=is_taken)


_ACTIONS: Final = {
    "acknowledge": "alerts_did_acknowledge",
    "reopen": "alerts_did_reopen",
    "note": "alerts_did_note",
}
_NAME: Final = "alerts_author"


def _form(incident_id: str, *, is_taken: bool) -> None:
    """The name stays for the session; it is the signed-in one where there is one."""
    known = st.session_state.get(_NAME) or str(st.user.get("email") or "")
    with st.form(f"act_{incident_id}", border=False):
        author = st.text_input(t("alerts_name"), value=known, max_chars=200)
        note = st.text_input(t("alerts_note"), max_chars=2_000)
        with st.container(horizontal=True, gap="small", width="content"):
            main = "reopen" if is_taken else "acknowledge"
            label = "alerts_reopen" if is_taken else "alerts_acknowledge"
            did = st.form_submit_button(t(label), type="primary")
            noted = st.form_submit_button(t("alerts_only_note"))
    if did or noted:
        _act(incident_id, main if did else "note", author, note)


def _act(incident_id: str, action: str, author: str, note: str) -> None:
    try:
        alert_queries.act(incident_id, action, author, note)
    except ToolsightError as error:
        st.error(t("alerts_refused"))
        st.text(str(error))
        return
    st.session_state[_NAME] = author
    st.rerun()
