"""The course of requests per second at the service, with and without jitter, as one HTML file."""

from collections.abc import Sequence
from pathlib import Path

from dashboard.loadtest.rates import WINDOW_SECONDS, windows
from dashboard.loadtest.running import LoadResult


def write_plot(results: Sequence[LoadResult], path: Path) -> None:
    """Writes a page that needs no network; the tests lie above each other on one scale."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    titles = ["with jitter" if item.load.has_jitter else "without jitter" for item in results]
    figure = make_subplots(
        rows=len(results), shared_xaxes=True, shared_yaxes=True, subplot_titles=titles
    )
    for row, (item, title) in enumerate(zip(results, titles, strict=True), 1):
        rates = windows(item.arrivals)
        seconds = [at * WINDOW_SECONDS for at in range(len(rates))]
        figure.add_trace(go.Scatter(x=seconds, y=rates, name=title, line={"width": 1}), row, 1)
    highest = max((rate for item in results for rate in windows(item.arrivals)), default=1.0)
    figure.update_yaxes(title_text="requests/s", range=[0, highest * 1.05])
    figure.update_xaxes(title_text="seconds", row=len(results), col=1)
    load = results[0].load
    figure.update_layout(
        title=f"{load.target}: {load.concurrency} agents, service down "
        f"{load.faults.outage_seconds:g} s of every {load.faults.outage_every_seconds:g} s",
        showlegend=False,
    )
    path.write_text(figure.to_html(include_plotlyjs=True), encoding="utf-8")
