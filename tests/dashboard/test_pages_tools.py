"""The Tools page tells everything of one tool."""

import json
from typing import TYPE_CHECKING

import pytest

from metrics import Promise, Scope, data_range, default_scope, quota_used, tool_table
from replay_store import Database
from tests.dashboard.shown import component_texts

if TYPE_CHECKING:
    from tests.dashboard.conftest import OpenPage


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_store_says_what_to_do(
    open_page: "OpenPage", empty_store: Database, lang: str
) -> None:
    page = open_page(empty_store, "tools", lang=lang)

    assert not page.exception
    assert "toolsight ingest" in page.code[0].value


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_busiest_tool_is_shown_first(
    open_page: "OpenPage", sample_store: Database, lang: str
) -> None:
    page = open_page(sample_store, "tools", lang=lang)
    week: Scope = default_scope("7d", data_range(sample_store))
    first = tool_table(sample_store, week)[0]

    assert not page.exception
    assert page.selectbox(key="tools_tool").value == first.tool_name
    assert f"{first.n_calls:,}" in component_texts(page)


def test_a_tool_of_the_address_has_its_tables(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "tools", tool="query_order_status")
    tables = {frozenset(table.value.columns): table.value for table in page.dataframe}
    versions, pairs, errors, after = (
        next(table for columns, table in tables.items() if column in columns)
        for column in ("version", "one", "traces", "mended")
    )

    assert not page.exception
    assert versions["version"].tolist() == ["1.2.0", "1.3.0"]
    assert {*pairs["one"], *pairs["other"]} >= {"query_order_status", "search_orders"}
    assert "TIMEOUT" in errors["class"].tolist()
    assert (after["failed"] > 0).all()
    texts = [text.value for text in page.text]
    assert "when_not" in texts, "its contract lost that sentence"
    assert any(text.startswith("→ Add “If the user only gives") for text in texts)
    assert any("query_order_status" in text.value for text in page.text)


@pytest.mark.parametrize(("lang", "said"), [("en", "SLA in its contract"), ("zh", "契约中的 SLA")])
def test_a_tool_with_a_contract_is_held_against_its_sla_and_its_quotas(
    open_page: "OpenPage",
    sample_store: Database,
    monkeypatch: pytest.MonkeyPatch,
    lang: str,
    said: str,
) -> None:
    promise = {"tool_name": "create_ticket", "p95_ms": 1500, "per_day": 60, "caller_per_day": 20}
    monkeypatch.setenv("TOOLSIGHT_THRESHOLDS", json.dumps({"promises": [promise]}))
    page = open_page(sample_store, "tools", tool="create_ticket", lang=lang)
    callers = next(t.value for t in page.dataframe if "quota" in t.value.columns)
    uses = quota_used(
        sample_store,
        default_scope("7d", data_range(sample_store), "create_ticket"),
        [Promise("create_ticket", per_day=60, caller_per_day=20)],
    )

    assert any(said in caption.value for caption in page.caption)
    assert callers["quota"].tolist() == [str(use.daily_quota) for use in uses]
    assert callers["share"].tolist() == [f"{use.share:.1%}" for use in uses]
    assert set(callers["quota"]) == {"60", "20"}


def test_an_unknown_tool_in_the_address_is_the_default(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "tools", tool="no such tool")

    assert not page.exception
    assert page.selectbox(key="tools_tool").value != "no such tool"
