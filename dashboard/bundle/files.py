"""A bundle as files."""

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import orjson

from dashboard.bundle.contents import Bundle
from dashboard.formats import duration_text, json_text, size_text

if TYPE_CHECKING:
    from jinja2 import Template

__all__ = ["bundle_html", "bundle_json"]

_MAX_CHARS: Final = 20_000
"""Longer values are cut in the HTML file, and say how long they are; the JSON file has them whole."""


def bundle_json(bundle: Bundle) -> bytes:
    """Everything, for scripts."""
    whole = dict(bundle.values) | {"n_redacted": bundle.n_redacted}
    return orjson.dumps(whole, option=orjson.OPT_INDENT_2)


def bundle_html(bundle: Bundle) -> bytes:
    """One page without script, font or address. Everything from the trace is escaped."""
    text = _template().render(
        bundle.values,
        n_redacted=bundle.n_redacted,
        lang=bundle.lang,
        duration=duration_text,
        shown=_shown,
        bar=_bars(bundle.values["spans"]),
    )
    return text.encode("utf-8", "replace")


def _shown(value: Any) -> str:
    text = json_text(value)
    if len(text) <= _MAX_CHARS:
        return text
    size = size_text(len(text.encode("utf-8", "replace")))
    return f"{text[:_MAX_CHARS]}\n… ({size})"


def _bars(spans: list[dict[str, Any]]) -> dict[str, tuple[float, float]]:
    """Left edge and width of each span's bar in percent; spans without a start have none."""
    timed = [span for span in spans if span["start_time_ns"] is not None]
    if not timed:
        return {}
    first = min(span["start_time_ns"] for span in timed)
    last = max(span["end_time_ns"] or span["start_time_ns"] for span in timed)
    whole = max(1, last - first)
    return {
        span["span_id"]: (
            100 * (span["start_time_ns"] - first) / whole,
            100 * (span["duration_ns"] or 0) / whole,
        )
        for span in timed
    }


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    text = (files(__package__) / "bundle.html.j2").read_text(encoding="utf-8")
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(text)
