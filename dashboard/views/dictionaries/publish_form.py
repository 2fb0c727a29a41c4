"""Publishing a draft that every gate lets pass."""

import time

import streamlit as st

from dashboard import queries, runtime
from dashboard.i18n import t
from dashboard.tuning.publishing import Publication, publish_gated
from dashboard.tuning.trial import cases_of, gates_of, play_cases
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries import state as dictionaries_state
from dashboard.views.dictionaries import workspace
from dashboard.views.dictionaries.gates import Judged
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.rereading import read_again
from dashboard.views.dictionaries.state import Done
from dashboard.views.dictionaries.who import is_named
from metrics.rule_gates import is_publishable
from pipeline.errors import ToolsightError
from pipeline.observation import load_rules
from replay_store.rule_reviews import reviewed
from replay_store.rule_store import MAX_REASON


def publish_form(judged: Judged, who: str) -> None:
    """Draw the form; a draft with a closed gate cannot be sent."""
    with st.form("dictionaries_publish", enter_to_submit=False):
        st.markdown(t("dictionaries_publish_hint"))
        why = st.text_area(
            t("dictionaries_reason"),
            max_chars=MAX_REASON,
            height=80,
            key="dictionaries_publish_reason",
        )
        is_sent = st.form_submit_button(
            t("dictionaries_publish"),
            type="primary",
            icon=":material/publish:",
            disabled=not is_publishable(judged.gates),
        )
    if not is_sent or not is_named(who):
        return
    if not why.strip():
        st.error(t("dictionaries_signature"), icon=":material/edit:")
        return
    _publish(judged, who, why)


def _publish(judged: Judged, who: str, why: str) -> None:
    """Gates are looked at once more: cases and approvals may have changed since the page was drawn."""
    draft = judged.draft
    database = queries.database()
    try:
        base, rules = load_rules(draft.base), load_rules(draft.texts)
        trial = play_cases(judged.trial, base, rules, cases_of(database))
        gates = gates_of(
            trial,
            reviewed(database, draft.base_version, judged.version),
            draft.authors,
            who,
            needs_approval=not runtime.current().settings.team_of_one,
        )
        wanted = Publication(draft.base_version, draft.texts, who, why, judged.period)
        version = publish_gated(database, wanted, trial, gates, time.time_ns)
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "publish")
        return
    workspace.published(draft)
    dictionaries_state.keep_done(Done("dictionaries_published", version, 0, draft.base_version))
    n_read = read_again(dictionaries_queries.in_force())
    done = Done("dictionaries_published_read", version, n_read, draft.base_version)
    dictionaries_state.keep_done(done)
    st.rerun()
