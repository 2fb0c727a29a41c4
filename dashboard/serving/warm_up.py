"""What the first visit would wait for, done while the browser still loads its scripts."""

import gc
import inspect
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Final
from zoneinfo import ZoneInfo

from dashboard.collection import collect_seldom
from dashboard.menu import PAGES, Entry
from replay_store.errors import StoreError

__all__ = ["warm_up"]

LOADED_LATE: Final = ("streamlit.emojis", "streamlit.material_icon_names", "pyarrow.pandas_compat")
"""Modules of others that they import in the middle of a page's first run."""


def warm_up() -> None:
    """Ask the first page's figures, import what all pages use, and take both out of collection.

    Frozen objects are never scanned again: a collection at the end of every page run would
    otherwise cost more than the run itself.
    """
    _import(PAGES[:1])
    _ask_first_page()
    _prepare_first_run()
    _import(PAGES[1:])
    gc.collect()
    collect_seldom()


def _import(pages: Sequence[Entry]) -> None:
    for entry in pages:
        import_module(f"dashboard.views.{entry.key}.page")


def _prepare_first_run() -> None:
    """What the first run of a page script does once for all runs: half a second of it.

    Streamlit asks for the call stack at its first element, which looks every module's file up, and
    loads its lists of icons at the first of them; Plotly loads each kind of object when first used.
    """
    from dashboard.charts import trend_figure
    from metrics import Point, Unit

    for name in LOADED_LATE:
        with suppress(ImportError):
            import_module(name)
    inspect.stack()
    for unit in (Unit.RATE, Unit.HITS):
        points = [Point(time_ns=0, value=1.0, n=1)]
        trend_figure(points, unit, 1.0, ZoneInfo("UTC"), "light").to_json()


def _ask_first_page() -> None:
    """The answer is kept for the page, which says so where there is none."""
    from dashboard import queries
    from dashboard.filters import DEFAULT_RANGE
    from metrics import RangeKey

    with suppress(StoreError):
        queries.report(RangeKey(DEFAULT_RANGE))
