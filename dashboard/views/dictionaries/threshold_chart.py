"""Recorded numbers as a histogram, the thresholds drawn on it."""

from collections.abc import Sequence
from typing import Final

import plotly.graph_objects as go

from dashboard.formats import count_text
from dashboard.theme import CATEGORICAL, CATEGORICAL_DARK, STATE_COLORS, Mode
from dashboard.tuning.thresholds import Measured
from pipeline.observation.bands import Band

HEIGHT: Final = 240
N_BINS: Final = 48
_GRID: Final = "rgba(128,136,150,0.22)"


def threshold_figure(
    numbers: Sequence[Measured],
    bands: Sequence[Band],
    names: Sequence[str],
    moved: float | None,
    mode: Mode,
) -> go.Figure:
    """Bars of how often which number came, a line at each threshold, a dashed one where one is moved.

    Args:
        numbers: Lowest first; at least one.
        bands: The intervals in force, lowest first.
        names: What each interval is called, in their order.
        moved: Where a threshold is tried; None without.
        mode: Light or dark.
    """
    seams = [float(band.high) for band in bands if band.high is not None]
    low, high = span_of(numbers, [*seams, *([] if moved is None else [moved])])
    width = (high - low) / N_BINS
    counts = [0] * N_BINS
    for item in numbers:
        at = min(int((float(item.value) - low) / width), N_BINS - 1)
        counts[at] += item.n
    centres = [low + (at + 0.5) * width for at in range(N_BINS)]
    colors = CATEGORICAL if mode == "light" else CATEGORICAL_DARK
    figure = go.Figure(
        go.Bar(
            x=centres,
            y=counts,
            width=width * 0.94,
            marker={"color": colors[0]},
            customdata=[
                [f"{low + at * width:,.4g} – {low + (at + 1) * width:,.4g}", count_text(counts[at])]
                for at in range(N_BINS)
            ],
            hovertemplate="%{customdata[0]}<br>n = %{customdata[1]}<extra></extra>",
        )
    )
    for seam in seams:
        figure.add_vline(x=seam, line={"color": STATE_COLORS[mode]["bad"], "width": 1.5})
    if moved is not None and moved not in seams:
        figure.add_vline(
            x=moved, line={"color": STATE_COLORS[mode]["bad"], "width": 1.5, "dash": "dash"}
        )
    edges = [low, *seams, high]
    for name, left, right in zip(names, edges, edges[1:], strict=False):
        figure.add_annotation(
            x=(max(left, low) + min(right, high)) / 2,
            y=1.0,
            yref="paper",
            yanchor="bottom",
            text=_plain(name),
            showarrow=False,
        )
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 4, "r": 12, "t": 26, "b": 4},
        showlegend=False,
        dragmode=False,
        xaxis={"showgrid": False, "range": [low, high]},
        yaxis={"rangemode": "tozero", "gridcolor": _GRID, "nticks": 5},
    )
    return figure


def span_of(numbers: Sequence[Measured], seams: Sequence[float]) -> tuple[float, float]:
    """From the lowest to the highest number or threshold, with some room; never of no width."""
    values = [float(numbers[0].value), float(numbers[-1].value), *seams]
    low, high = min(values), max(values)
    room = (high - low) * 0.04 or abs(high) * 0.1 or 1.0
    return low - room, high + room


def _plain(name: str) -> str:
    """Plotly reads some HTML in texts, and words of a rule file are anyone's."""
    return name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
