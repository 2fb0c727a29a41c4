"""The Overview shows what the metrics say, with their words, and never a number without data."""

import json
from typing import TYPE_CHECKING

import pytest

import metrics
from dashboard.metric_text import STATES, headline
from metrics import RangeKey, Report
from replay_store import Database
from replay_store.errors import StoreMemoryError

if TYPE_CHECKING:
    from tests.dashboard.conftest import MakeSpan, OpenPage, WriteSpans

HEADLINES = (
    "selection_accuracy",
    "latency_p95_call",
    "retry_rate",
    "steps_per_task",
    "guard_hits",
)


def report_of(database: Database, key: str) -> Report:
    return metrics.report(database, metrics.default_scope(key, metrics.data_range(database)))


@pytest.mark.parametrize("key", list(RangeKey))
def test_five_cards_show_the_values_of_the_metrics(
    open_page: "OpenPage", sample_store: Database, key: RangeKey
) -> None:
    page = open_page(sample_store, "overview", range=key)
    expected = report_of(sample_store, key).metrics()

    assert [card.value for card in page.metric][:5] == [headline(expected[k]) for k in HEADLINES]
    assert [card.label for card in page.metric][:5] == [
        metrics.definition(k).name.en for k in HEADLINES
    ]


def test_each_card_says_its_state_in_a_word_and_its_n(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "overview")
    figures = report_of(sample_store, "7d").metrics()
    captions = [caption.value for caption in page.caption]

    assert set(STATES) == set(metrics.State)
    for key in HEADLINES:
        assert any(f"n = {figures[key].n:,} " in caption for caption in captions), key


def test_figures_are_judged_by_the_limits_of_the_settings(
    open_page: "OpenPage", sample_store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLSIGHT_THRESHOLDS__MAX_CALL_P95_MS", "1234")
    page = open_page(sample_store, "overview")

    captions = " ".join(caption.value for caption in page.caption)
    assert "Limit: at most 1.23 s" in captions


def test_slas_and_quotas_of_contracts_are_told(
    open_page: "OpenPage", sample_store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    promises = [
        {"tool_name": "query_order_status", "p95_ms": 1000},
        {"tool_name": "search_orders", "p95_ms": 1000},
        {"tool_name": "refund_order", "p95_ms": 2000, "per_day": 20},
    ]
    monkeypatch.setenv("TOOLSIGHT_THRESHOLDS", json.dumps({"promises": promises}))
    page = open_page(sample_store, "overview")
    tools = next(t.value for t in page.dataframe if "sla" in t.value.columns).set_index("tool")
    quotas = next(t.value for t in page.dataframe if "quota" in t.value.columns)

    captions = [caption.value for caption in page.caption]
    assert "SLAs: **1 kept, 1 broken, 1 without enough data**" in captions
    assert tools.loc["query_order_status", "sla"] == "1.00 s · broken"
    assert tools.loc["search_orders", "sla"] == "1.00 s · kept"
    assert tools.loc["refund_order", "sla"] == "2.00 s · not enough data"
    assert tools.loc["check_coupon", "sla"] == "–"
    assert quotas["tool"].tolist() == ["refund_order"]
    assert quotas["caller"].tolist() == ["all callers"]
    assert (quotas["quota"].tolist(), quotas["newest"].tolist()) == ([20], [18])
    assert quotas["state"].tolist() == ["used up at 17:46"]


def test_the_range_ends_at_the_newest_data_and_says_so(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "overview")

    captions = " ".join(caption.value for caption in page.caption)
    assert "Ends at the newest data, not at the present moment" in captions
    assert "UTC" in captions


def test_an_unknown_range_means_the_default_one(
    open_page: "OpenPage", sample_store: Database
) -> None:
    odd = open_page(sample_store, "overview", range="'; drop table span")
    plain = open_page(sample_store, "overview")

    assert [card.value for card in odd.metric] == [card.value for card in plain.metric]


def test_the_page_speaks_chinese_when_the_address_says_so(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "overview", lang="zh")

    assert page.header[0].value == "总览"
    assert page.metric[0].label == metrics.definition("selection_accuracy").name.zh


def test_an_unknown_language_means_english(open_page: "OpenPage", sample_store: Database) -> None:
    assert open_page(sample_store, "overview", lang="xx").header[0].value == "Overview"


def test_an_empty_store_shows_no_number_but_the_commands_that_fill_it(
    open_page: "OpenPage", empty_store: Database
) -> None:
    page = open_page(empty_store, "overview")

    assert len(page.metric) == 0
    commands = [code.value for code in page.code]
    assert any(command.startswith("toolsight ingest") for command in commands)
    assert "toolsight demo" in commands


def test_traces_without_labels_or_guard_show_words_not_zeros(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    page = open_page(write_spans([make_span()]), "overview", range="all")

    by_label = {card.label: card.value for card in page.metric}
    assert by_label[metrics.definition("selection_accuracy").name.en] == "No data"
    assert by_label[metrics.definition("guard_hits").name.en] == "No data"


@pytest.mark.parametrize(("lang", "words"), [("en", "Memory is too short"), ("zh", "内存不足")])
def test_a_page_that_memory_is_too_short_for_says_so(
    open_page: "OpenPage",
    sample_store: Database,
    monkeypatch: pytest.MonkeyPatch,
    lang: str,
    words: str,
) -> None:
    def short(*_: object) -> None:
        raise StoreMemoryError("short")

    monkeypatch.setattr(Database, "rows", short)
    page = open_page(sample_store, "overview", lang=lang)

    [error] = page.error
    assert error.value.startswith(words)
