"""Long work on a page: how far it is, and the way to stop it; the page stays usable meanwhile."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from dashboard import background
from dashboard.background import Background, Progress, Report
from dashboard.formats import count_text
from dashboard.i18n import t

__all__ = ["begin", "end", "is_working", "known"]

_EVERY_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Held:
    of: Hashable
    work: Background[Any]


def begin(key: str, of: Hashable, work: Callable[[Report], Any]) -> None:
    """Begin work of this session in place of what it had under the key, and wait a moment.

    Quick work is over before anything flickers.

    Args:
        key: One of the page's keys.
        of: Of what it is the work.
        work: Runs in a thread of its own: it may use nothing of Streamlit.
    """
    end(key)
    running = Background(work)
    st.session_state[key] = _Held(of, running)
    running.start()
    running.wait(background.PATIENCE_SECONDS)


def known(key: str, of: Hashable) -> Background[Any] | None:
    """The work of this session, under way or over; what is work of something else is ended."""
    held = st.session_state.get(key)
    if not isinstance(held, _Held):
        return None
    if held.of != of:
        end(key)
        return None
    return held.work


def end(key: str) -> None:
    """Forget the work, and stop it where it goes on."""
    held = st.session_state.pop(key, None)
    if isinstance(held, _Held):
        held.work.stop()


def is_working(key: str, work: Background[Any], text: str) -> bool:
    """Whether it goes on; then how far it is is drawn, and the page anew when it is over.

    Args:
        key: As for `begin`.
        work: Its work.
        text: Catalogue key of the sentence; may name `{n}` and `{total}`.
    """
    if work.is_over:
        return False

    @st.fragment(run_every=_EVERY_SECONDS)
    def told() -> None:
        if work.is_over:
            st.rerun()
        with st.container(
            horizontal=True, vertical_alignment="center", gap="small", key=f"{key}_progress"
        ):
            progress = work.progress
            st.progress(progress.fraction if progress else 0.0, _sentence(text, progress))
            st.button(
                t("working_stop"), icon=":material/stop:", key=f"{key}_stop", on_click=work.stop
            )

    told()
    return True


def _sentence(text: str, progress: Progress | None) -> str:
    if progress is None:
        return t("working_begins")
    return t(text, n=count_text(progress.n_done), total=count_text(progress.n_total))
