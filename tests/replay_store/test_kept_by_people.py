"""Notes on a trace and searches by name: kept, newest first counts, nothing lost."""

from typing import Any

import pytest

from replay_store import Database
from replay_store.kept_by_people import (
    KeptError,
    keep_note,
    keep_view,
    saved_views,
    state_of,
    trace_notes,
)

TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def store(agent: Any) -> Database:
    agent.root()
    agent.write()
    return agent.database  # type: ignore[no-any-return]


def note(store: Database, **values: Any) -> None:
    given: dict[str, Any] = {"author": "李雷", "note": "", "state": None, "clock": lambda: 7}
    keep_note(store, values.pop("trace_id", TRACE), **(given | values))


def test_notes_keep_their_order_and_the_last_state_holds(store: Database) -> None:
    note(store, note="timeout of the order service", state="investigating")
    note(store, note="下游已恢复", state="explained")
    note(store, note="seen again?\x00")

    kept = trace_notes(store, TRACE)

    assert [one.note for one in kept] == [
        "timeout of the order service",
        "下游已恢复",
        "seen again?�",
    ]
    assert [one.time_ns for one in kept] == [7, 8, 9]
    assert (state_of(kept), state_of([])) == ("explained", None)


@pytest.mark.parametrize(
    "values",
    [
        {"note": "x", "author": "  "},
        {"note": " ", "state": None},
        {"note": "x", "state": "solved"},
        {"note": "x", "trace_id": "9" * 32},
    ],
)
def test_what_says_nothing_or_of_nothing_is_refused(store: Database, values: Any) -> None:
    with pytest.raises(KeptError):
        note(store, **values)
    assert trace_notes(store, TRACE) == []


def test_a_search_is_kept_by_its_name_changed_and_taken_out(store: Database) -> None:
    kept: dict[str, Any] = {"page": "traces", "author": "Han", "clock": lambda: 7}
    keep_view(store, "夜班", query="error=any", **kept)
    keep_view(store, "slow", query="q=x", **kept)
    keep_view(store, "夜班", query="error=TIMEOUT", **kept)
    keep_view(store, "other page", query="", **(kept | {"page": "saw"}))

    assert [(view.name, view.query) for view in saved_views(store, "traces")] == [
        ("slow", "q=x"),
        ("夜班", "error=TIMEOUT"),
    ]
    keep_view(store, "slow", query="", is_removed=True, **kept)
    assert [view.name for view in saved_views(store, "traces")] == ["夜班"]
    with pytest.raises(KeptError):
        keep_view(store, " ", query="", **kept)
