"""What controlled noise takes: a curve over its intensity, and each kind of noise on its own."""

from collections.abc import Sequence
from typing import Final

import plotly.graph_objects as go
import streamlit as st

from dashboard.formats import count_text, rate_text
from dashboard.i18n import t
from dashboard.views.replay import queries as replay_queries
from dashboard.views.replay.columns import listed
from metrics.paired import Share
from metrics.robustness import Robustness
from pipeline.replay.robustness import ALL_KINDS

_ASKED: Final = "replay_noise_asked"
_HEIGHT: Final = 320
_GRID: Final = "rgba(128,136,150,0.22)"


def noise_view() -> None:
    """Draw the curve and the table; it is worked out when somebody asks for it."""
    st.markdown(t("replay_noise_what"))
    if not st.session_state.get(_ASKED):
        st.button(t("replay_noise_start"), key="replay_noise_start", on_click=_ask, type="primary")
        return
    with st.spinner(t("replay_noise_running")):
        rows = replay_queries.disturbed()
    if not rows:
        st.info(t("replay_noise_none"), icon=":material/inbox:")
        return
    _invariance(rows)
    st.plotly_chart(_figure(rows), key="replay_noise_chart", config={"displayModeBar": False})
    _table(rows)
    first = rows[0]
    st.caption(
        t(
            "replay_noise_note",
            n=count_text(first.facts_kept.n_cases),
            seeds=count_text(first.n_seeds),
        )
    )


def _ask() -> None:
    st.session_state[_ASKED] = True


def _invariance(rows: Sequence[Robustness]) -> None:
    touched = [row for row in rows if not row.is_critical_untouched]
    if touched:
        kinds = ", ".join(sorted({row.kind for row in touched}))
        st.error(t("replay_noise_touched", kinds=kinds), icon=":material/error:")
    else:
        st.success(t("replay_noise_untouched"), icon=":material/check_circle:")


def _figure(rows: Sequence[Robustness]) -> go.Figure:
    figure = go.Figure()
    for kind in dict.fromkeys(row.kind for row in rows):
        of_kind = [row for row in rows if row.kind == kind and row.facts_kept.value is not None]
        figure.add_scatter(
            x=[row.intensity for row in of_kind],
            y=[100 * (row.facts_kept.value or 0) for row in of_kind],
            name=t("replay_noise_all") if kind == ALL_KINDS else kind,
            mode="lines+markers",
            line={"width": 3 if kind == ALL_KINDS else 1.5},
            error_y=_bars(of_kind) if kind == ALL_KINDS else None,
        )
    figure.update_layout(
        height=_HEIGHT,
        margin={"l": 4, "r": 12, "t": 14, "b": 4},
        dragmode=False,
        xaxis={"title": {"text": t("replay_column_intensity")}, "showgrid": False},
        yaxis={
            "title": {"text": t("replay_column_facts")},
            "ticksuffix": "%",
            "gridcolor": _GRID,
        },
    )
    return figure


def _bars(rows: Sequence[Robustness]) -> dict[str, object]:
    """The 95 % interval of each point; none where there is no interval."""
    up, down = [], []
    for row in rows:
        share = row.facts_kept
        # Without intensity nothing is disturbed: that is known, not estimated.
        interval = share.interval if row.intensity > 0 else None
        value = share.value or 0
        up.append(0 if interval is None else 100 * (interval.high - value))
        down.append(0 if interval is None else 100 * (value - interval.low))
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down}


def _table(rows: Sequence[Robustness]) -> None:
    columns = {
        "replay_column_noise": [
            t("replay_noise_all") if row.kind == ALL_KINDS else row.kind for row in rows
        ],
        "replay_column_intensity": [f"{row.intensity:g}" for row in rows],
        "replay_column_facts": [_share(row.facts_kept) for row in rows],
        "replay_column_prompts": [_share(row.prompts_changed) for row in rows],
        "replay_column_flips": [_share(row.flipped) for row in rows],
        "replay_column_critical": [rate_text(row.critical_kept.value) for row in rows],
    }
    listed("replay_noise_table", columns)


def _share(share: Share) -> str:
    text = rate_text(share.value)
    if share.interval is None:
        return text
    return f"{text} [{rate_text(share.interval.low)}, {rate_text(share.interval.high)}]"
