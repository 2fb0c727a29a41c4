"""The trial of a draft on recorded traffic: goes on while the page is used, stopped at once."""

from functools import partial
from typing import Final, NamedTuple

import streamlit as st

from dashboard import queries
from dashboard.background import Background, Report, Stopped
from dashboard.filters import range_key
from dashboard.i18n import t
from dashboard.tuning.trial import Trial, Wanted, run_trial
from dashboard.views import working
from dashboard.views.dictionaries import state as dictionaries_state
from dashboard.views.dictionaries.draft import Draft
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.state import Seen
from metrics import Scope
from pipeline.errors import ToolsightError
from replay_store.database import Database
from replay_store.rule_store import version_of

_KEY: Final = "dictionaries_trying"


class _Done(NamedTuple):
    period: Scope
    trial: Trial


def tried(draft: Draft, period: Scope, *, is_asked: bool) -> Seen | None:
    """The trial of this draft; None where there is none yet, and then what to do is drawn.

    Args:
        draft: What to try.
        period: On what.
        is_asked: Whether it is to be tried now.
    """
    of = (version_of(draft.texts), draft.base_version, range_key())
    if is_asked:
        wanted = Wanted(draft.base_version, draft.base, draft.texts, period)
        working.begin(_KEY, of, partial(_run, queries.database(), wanted))
    work = working.known(_KEY, of)
    if work is not None and working.is_working(_KEY, work, "dictionaries_running"):
        return None
    seen = dictionaries_state.seen(draft, range_key())
    if work is not None:
        seen = _taken(work, draft) or seen
    if seen is None:
        st.caption(t("dictionaries_effect_first"))
    return seen


def _run(database: Database, wanted: Wanted, report: Report) -> _Done:
    return _Done(wanted.period, run_trial(database, wanted, on_progress=report))


def _taken(work: Background[_Done], draft: Draft) -> Seen | None:
    """What came of it, remembered; None where it was stopped or refused, which is drawn."""
    try:
        done = work.result()
    except Stopped:
        st.caption(t("dictionaries_stopped"))
        return None
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error)
        return None
    working.end(_KEY)
    return dictionaries_state.keep_seen(draft, range_key(), done.period, done.trial)
