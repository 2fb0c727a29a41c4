"""What the first visit would wait for, done while the browser still loads its scripts."""

import gc
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from dashboard.menu import PAGES, Entry

__all__ = ["warm_up"]

_YOUNG_OBJECTS: Final = 10_000
"""New objects, less those gone, after which collection looks for cycles among them."""


def warm_up() -> None:
    """Ask the first page's figures, import what all pages use, and take both out of collection.

    Frozen objects are never scanned again: a collection at the end of every page run would
    otherwise cost more than the run itself. What comes after is looked through less often: spans
    that come in are many objects and no cycles, and the default costs them a tenth of their time.
    """
    _import(PAGES[:1])
    _ask_first_page()
    _import(PAGES[1:])
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, *gc.get_threshold()[1:])


def _import(pages: Sequence[Entry]) -> None:
    import plotly.graph_objects as go

    for entry in pages:
        import_module(f"dashboard.views.{entry.key}.page")
    go.Figure(go.Bar(y=[1])).to_json()


def _ask_first_page() -> None:
    """The answer is kept for the page."""
    from dashboard import queries
    from dashboard.filters import DEFAULT_RANGE
    from metrics import RangeKey

    queries.report(RangeKey(DEFAULT_RANGE))
