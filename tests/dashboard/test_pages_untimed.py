"""Pages over runs that tell no times: they open, and nothing is made up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest import import_paths
from replay_store import Database, derive

OpenPage = Callable[..., Any]
TRIAL = {
    "task_id": 3, "trial": 1, "reward": 0.0,
    "traj": [
        {"role": "user", "content": "cancel order 7"},
        {
            "role": "assistant", "content": None,
            "tool_calls": [
                {"id": "c1", "function": {"name": "cancel_order", "arguments": '{"id": 7}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "Error: shipped already"},
    ],
    "info": {"task": {"user_id": "lin", "actions": []}},
}  # fmt: skip


@pytest.fixture
def trials(empty_store: Database, tmp_path: Path) -> Database:
    path = tmp_path / "trials.json"
    path.write_text(json.dumps([TRIAL]))
    import_paths([path], empty_store)
    derive(empty_store)
    return empty_store


@pytest.mark.parametrize("page", ["overview", "traces", "intake", "saw", "audit"])
def test_a_page_opens_over_runs_without_times(
    page: str, trials: Database, open_page: OpenPage
) -> None:
    assert not open_page(trials, page).exception


def test_the_trace_page_shows_a_run_without_times(trials: Database, open_page: OpenPage) -> None:
    [row] = trials.rows("select hex_trace(trace_id) as trace_id from trace")
    app = open_page(trials, "trace", trace_id=row["trace_id"])
    assert not app.exception
    shown = "\n".join(
        str(getattr(item, "value", "")) for item in (*app.markdown, *app.caption, *app.metric)
    )
    assert "cancel_order" in shown or any("cancel_order" in str(t.value) for t in app.dataframe)
