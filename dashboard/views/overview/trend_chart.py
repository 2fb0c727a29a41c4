"""A metric over time; a click on a bucket opens the traces in it."""

from collections.abc import Sequence

import streamlit as st

from dashboard import links
from dashboard.charts import HEIGHT, trend_figure
from dashboard.filters import instant_text, zone
from dashboard.i18n import t
from dashboard.metric_text import limit_text, limit_value, metric_name
from dashboard.theme import Mode
from metrics import Metric, Part, Point


def trend_chart(metric: Metric, points: Sequence[Point], bucket_ns: int, *, is_ready: bool) -> None:
    """Draw the chart of one metric with its title and what to do with it.

    Args:
        metric: The metric.
        points: One a bucket.
        bucket_ns: Width of a bucket.
        is_ready: False keeps its place and leaves the chart out.
    """
    name = metric_name(metric.key)
    with st.container(border=True, gap="xsmall", key=f"chart_{metric.key}"):
        limit = limit_text(metric)
        st.markdown(f"**{name}**")
        if limit is not None:
            st.caption(limit)
        if not any(point.n for point in points):
            st.caption(t("chart_no_data"))
            return
        if not is_ready:
            st.container(height=HEIGHT, border=False)
            return
        key = f"trend_{metric.key}"
        st.plotly_chart(
            trend_figure(
                points,
                metric.unit,
                limit_value(metric),
                zone(),
                _mode(),
            ),
            key=key,
            on_select=lambda: _open_bucket(key, metric, points, bucket_ns),
            selection_mode="points",
            config={"displayModeBar": False},
        )


def _mode() -> Mode:
    return "dark" if st.context.theme.type == "dark" else "light"


def _open_bucket(key: str, metric: Metric, points: Sequence[Point], bucket_ns: int) -> None:
    chosen = st.session_state[key]["selection"]["point_indices"]
    if not chosen or not 0 <= chosen[0] < len(points):
        return
    start = points[chosen[0]].time_ns
    links.go_to(
        "traces",
        metric=metric.key,
        part=Part.DENOMINATOR,
        **{"from": instant_text(start), "to": instant_text(start + bucket_ns)},
    )
