"""From the parts of an address to the traces it asks for. Knows nothing of how a page looks."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from dashboard import queries
from dashboard.figures import Figure, figure
from dashboard.filters import Span, bucket
from dashboard.search_language import parsed
from metrics import LAYERS, Scope
from replay_store.finding import FoundBy
from replay_store.reader import TraceFilter
from replay_store.trace_terms import Term

_PAGE_NUMBER: Final = re.compile(r"[0-9]{1,8}")
Parameter = Callable[[str], str | None]
"""Reads one part of the address; None when it is absent."""


@dataclass(frozen=True, slots=True)
class Search:
    """What to list, and how it was asked for."""

    trace_filter: TraceFilter
    unbounded: TraceFilter | None = None
    """The same without its time range; None where no range applies."""
    text: str | None = None
    """The id or part of one that was searched for."""
    figure: Figure | None = None
    """The figure whose traces these are."""
    stretch: Span | None = None
    """The stretch of time that the address names, without a figure."""
    words: tuple[str, ...] = ()
    """Looked for in the text of spans."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list; rows count from 1."""

    number: int
    n_pages: int
    offset: int
    first: int
    last: int


def search(parameter: Parameter, scope: Scope | None, *, is_bounded: bool) -> Search:
    """The search that an address spells.

    An id is looked for in all time; a figure brings its own period; anything else keeps to the
    stretch that the address names, or else to the scope of the page.

    Args:
        parameter: Reads one part of the address.
        scope: The period of the page; None while nothing in the store has a time.
        is_bounded: Whether the list keeps to the scope; without, traces without a time show too.

    Raises:
        SearchError: The filter cannot be read.
    """
    asked = parsed(parameter("filter") or "")
    terms = (*asked.terms, *_layer(parameter("layer")))
    found = _search(parameter, scope, terms, is_bounded=is_bounded)
    return replace(found, words=asked.words)


def _search(
    parameter: Parameter, scope: Scope | None, terms: tuple[Term, ...], *, is_bounded: bool
) -> Search:
    base = TraceFilter(
        terms=terms,
        tool_name=parameter("tool"),
        error=parameter("error"),
        status=parameter("status"),
        agent_name=parameter("agent"),
    )
    text = parameter("q")
    if text is not None:
        return Search(_by_text(base, text), text=text)
    wanted = figure(parameter, scope)
    if wanted is not None:
        ids = queries.traces_behind(wanted.metric, wanted.part, wanted.scope)
        return Search(replace(base, trace_ids=ids), figure=wanted)
    stretch = bucket()
    if stretch is not None:
        return Search(_within(base, stretch), unbounded=base, stretch=stretch)
    if scope is None or not is_bounded:
        return Search(base)
    return Search(_within(base, scope), unbounded=base)


def _layer(name: str | None) -> tuple[Term, ...]:
    return parsed(f"layer:{name}").terms if name in LAYERS else ()


def _within(base: TraceFilter, time: Scope | Span) -> TraceFilter:
    return replace(base, start_time_ns=time.start_time_ns, end_time_ns=time.end_time_ns)


def _by_text(base: TraceFilter, text: str) -> TraceFilter:
    found = queries.find(text)
    by = found.matches[0].by if found.matches else None
    if by is FoundBy.SESSION:
        return replace(base, session_id=found.matches[0].value)
    if by is FoundBy.TASK:
        return replace(base, task_id=found.matches[0].value)
    return replace(base, trace_ids=tuple(match.trace_id for match in found.matches))


def page_of(number: str | None, n: int, size: int) -> Page:
    """The page that an address asks for, kept within what there is.

    Args:
        number: As spelled; anything that is no number means the first page.
        n: How many rows there are, at least 1.
        size: Rows a page.
    """
    n_pages = -(-n // size)
    asked = int(number) if number is not None and _PAGE_NUMBER.fullmatch(number) else 1
    at = min(max(asked, 1), n_pages)
    offset = (at - 1) * size
    return Page(at, n_pages, offset, offset + 1, min(offset + size, n))
