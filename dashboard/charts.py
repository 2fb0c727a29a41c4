"""Trends as Plotly figures: gaps stay gaps, the limit is dashed, buckets are points to click."""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

import plotly.graph_objects as go

from dashboard.formats import moment
from dashboard.metric_text import value_text
from dashboard.theme import STATE_COLORS, Mode
from metrics import DAY_NS, Point, Unit

HEIGHT: Final = 210
_KEPT: Final = 96
"""Figures kept: those of a few time ranges in both modes."""
_FAR: Final = 4
"""A limit this many times above every value is not drawn: it would flatten the trend."""
_SECOND_MS: Final = 1000
_LINE: Final[dict[Mode, str]] = {"light": "#2563a8", "dark": "#6ea8e6"}
_GRID: Final = "rgba(128,136,150,0.22)"


def trend_figure(
    points: Sequence[Point],
    unit: Unit,
    limit: float | None,
    zone: ZoneInfo,
    mode: Mode,
) -> go.Figure:
    """A line over time; hits, being counts, as bars. Do not change the figure: others get the same.

    Args:
        points: One a bucket; None leaves a gap.
        unit: Of the values.
        limit: Level of the dashed line, in the unit; None draws none.
        zone: Of the time axis.
        mode: Light or dark.
    """
    return _figure(tuple(points), unit, limit, zone, mode)


@lru_cache(maxsize=_KEPT)
def _figure(
    points: tuple[Point, ...], unit: Unit, limit: float | None, zone: ZoneInfo, mode: Mode
) -> go.Figure:
    """Plotly takes longer over one than the page over everything else on it."""
    axis = _axis(points, unit)
    figure = go.Figure(_series(points, unit, axis, zone, mode))
    if limit is not None and drawn_limit(points, limit) is not None:
        color = STATE_COLORS[mode]["bad"]
        figure.add_hline(
            y=limit * axis.scale,
            line={"color": color, "width": 1, "dash": "dash"},
        )
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 4, "r": 12, "t": 14, "b": 4},
        showlegend=False,
        hovermode="closest",
        clickmode="event+select",
        dragmode=False,
        xaxis={"showgrid": False, "type": "date", "tickformat": _time_format(points)},
        yaxis={"ticksuffix": axis.suffix, "rangemode": "tozero", "gridcolor": _GRID, "nticks": 5},
    )
    return figure


def _time_format(points: Sequence[Point]) -> str:
    """Month and day, with the hour below when buckets are shorter than a day; no month names."""
    is_daily = len(points) < 2 or points[1].time_ns - points[0].time_ns >= DAY_NS
    return "%m-%d" if is_daily else "%H:%M<br>%m-%d"


class _Axis(NamedTuple):
    scale: float
    suffix: str


def _axis(points: Sequence[Point], unit: Unit) -> _Axis:
    """Rates in percent, durations in milliseconds or, when long, in seconds."""
    if unit is Unit.RATE:
        return _Axis(100.0, "%")
    if unit is Unit.MS:
        longest = max((p.value for p in points if p.value is not None), default=0.0)
        return _Axis(1.0, " ms") if longest < _SECOND_MS else _Axis(1 / _SECOND_MS, " s")
    return _Axis(1.0, "")


def drawn_limit(points: Sequence[Point], limit: float | None) -> float | None:
    """The limit when it lies near the values; None when drawing it would flatten them."""
    highest = max((p.value for p in points if p.value is not None), default=0.0)
    return None if limit is None or limit > highest * _FAR else limit


def _series(
    points: Sequence[Point], unit: Unit, axis: _Axis, zone: ZoneInfo, mode: Mode
) -> go.Bar | go.Scatter:
    times: list[datetime] = [moment(p.time_ns, zone).replace(tzinfo=None) for p in points]
    common = {
        "x": times,
        "y": [None if p.value is None else p.value * axis.scale for p in points],
        "customdata": [[value_text(p.value, unit), p.n] for p in points],
        "hovertemplate": (
            "%{x|%Y-%m-%d %H:%M}<br><b>%{customdata[0]}</b><br>n = %{customdata[1]}<extra></extra>"
        ),
    }
    if unit is Unit.HITS:
        return go.Bar(marker={"color": _LINE[mode]}, **common)
    return go.Scatter(
        mode="lines+markers",
        connectgaps=False,
        line={"color": _LINE[mode], "width": 1.8},
        marker={"color": _LINE[mode], "size": 7},
        **common,
    )
