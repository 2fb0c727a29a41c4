"""The Traces page lists what the store holds, by filters that live in the address."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import metrics
from dashboard.filters import instant_text
from dashboard.search_language import parsed
from dashboard.views.traces import queries as traces_queries
from dashboard.views.traces.chips import narrow
from dashboard.views.traces.page import PAGE_SIZE
from metrics import Part
from replay_store import Database, reader
from replay_store.reader import TraceFilter
from replay_store.trace_counts import count_traces
from tests.dashboard.shown import component_texts

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import MakeSpan, OpenPage, WriteSpans

DAY = 86_400_000_000_000


def parameter(page: "AppTest", name: str) -> str:
    """One part of the address: what the test gave is text, what the page wrote a list."""
    value = page.query_params[name]
    return value if isinstance(value, str) else value[0]


def n_listed(page: "AppTest") -> int:
    return len(page.dataframe[0].value)


def caption_with(page: "AppTest", words: str) -> str:
    return next(str(caption.value) for caption in page.caption if words in caption.value)


def test_the_first_page_is_the_newest_and_says_of_how_many(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "traces", range="all")
    n = count_traces(sample_store, TraceFilter())
    newest = reader.find_traces(sample_store, TraceFilter(), limit=1)[0]

    assert caption_with(page, "of").startswith(f"1–{PAGE_SIZE} of {n:,} traces")
    assert page.dataframe[0].value["id"].iloc[0] == newest.trace_id[:12]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({"tool": "query_order_status"}, TraceFilter(tool_name="query_order_status")),
        ({"error": "any"}, TraceFilter(error="any")),
        ({"error": "NOT_FOUND"}, TraceFilter(error="NOT_FOUND")),
        ({"status": "error"}, TraceFilter(status="error")),
        ({"agent": "shop_agent"}, TraceFilter(agent_name="shop_agent")),
        ({"layer": "execution"}, TraceFilter(terms=parsed("layer:execution").terms)),
    ],
)
def test_a_filter_in_the_address_lists_what_the_store_finds(
    open_page: "OpenPage", sample_store: Database, query: dict[str, str], wanted: TraceFilter
) -> None:
    page = open_page(sample_store, "traces", range="all", **query)
    n = count_traces(sample_store, wanted)

    assert n > 0
    assert f"of {n:,} traces" in caption_with(page, " traces · ")
    assert n_listed(page) == min(n, PAGE_SIZE)


@pytest.mark.parametrize("part", list(Part))
@pytest.mark.parametrize("key", ["retry_rate", "guard_hits", "latency_p95_call"])
def test_behind_a_figure_stand_exactly_its_traces(
    open_page: "OpenPage", sample_store: Database, key: str, part: Part
) -> None:
    page = open_page(sample_store, "traces", metric=key, part=part)
    scope = metrics.default_scope("7d", metrics.data_range(sample_store))
    n = metrics.behind_count(sample_store, key, part, scope).n_traces

    assert n > 0
    assert f"of {n:,} traces" in caption_with(page, " traces · ")


def test_a_figure_can_be_left(open_page: "OpenPage", sample_store: Database) -> None:
    page = open_page(sample_store, "traces", metric="retry_rate", part="numerator", range="all")

    page.button(key="figure_leave").click().run()

    assert "metric" not in page.query_params
    n = count_traces(sample_store, TraceFilter())
    assert f"of {n:,} traces" in caption_with(page, " traces · ")


def test_a_stretch_of_time_in_the_address_bounds_the_list(
    open_page: "OpenPage", sample_store: Database
) -> None:
    [newest] = reader.find_traces(sample_store, TraceFilter(), limit=1)
    assert newest.start_time_ns is not None
    day = newest.start_time_ns // DAY * DAY
    during = {"from": instant_text(day), "to": instant_text(day + DAY)}
    page = open_page(sample_store, "traces", **during)

    n = count_traces(sample_store, TraceFilter(start_time_ns=day, end_time_ns=day + DAY))
    assert f"of {n:,} traces" in caption_with(page, " traces · ")
    page.button(key="figure_leave").click().run()
    assert "from" not in page.query_params


@pytest.mark.parametrize(
    "query",
    [
        {"page": "-1"},
        {"page": "9999999999999999999999"},
        {"page": "٣"},
        {"metric": "no such metric"},
        {"metric": "retry_rate", "part": "nonsense"},
        {"metric": "retry_rate", "from": "yesterday", "to": "2026-13-45"},
        {"range": "1e9"},
    ],
)
def test_nonsense_in_the_address_is_ignored(
    open_page: "OpenPage", sample_store: Database, query: dict[str, str]
) -> None:
    assert n_listed(open_page(sample_store, "traces", **query)) == PAGE_SIZE


@pytest.mark.parametrize(
    "query",
    [
        {"tool": "'; drop table trace; --"},
        {"status": "<script>"},
        {"q": "![](http://evil.test/x.png)"},
        {"metric": "retry_rate", "from": "1999-01-01T00:00:00Z", "to": "1999-01-02T00:00:00Z"},
    ],
)
def test_filters_that_nothing_passes_say_so(
    open_page: "OpenPage", sample_store: Database, query: dict[str, str]
) -> None:
    page = open_page(sample_store, "traces", range="all", **query)

    assert len(page.dataframe) == 0
    assert len(page.info) + len(page.warning) == 1


def test_a_pasted_id_opens_the_trace(open_page: "OpenPage", sample_store: Database) -> None:
    trace = reader.find_traces(sample_store, TraceFilter(), limit=1)[0]
    page = open_page(sample_store, "traces")

    page.text_input(key="filter_text").set_value(f'"{trace.trace_id.upper()}"').run()

    assert parameter(page, "trace_id") == trace.trace_id
    assert trace.trace_id in component_texts(page)


def test_the_list_asked_for_one_trace_opens_it(
    open_page: "OpenPage", sample_store: Database
) -> None:
    [newest] = reader.find_traces(sample_store, TraceFilter(), limit=1)
    page = open_page(sample_store, "traces", trace_id=newest.trace_id)

    assert newest.trace_id in component_texts(page)


def test_a_task_id_lists_its_traces_in_all_time(
    open_page: "OpenPage", sample_store: Database
) -> None:
    trace = next(
        trace
        for trace in reader.find_traces(sample_store, TraceFilter(), limit=1000)
        if trace.task_id != trace.trace_id
    )
    page = open_page(sample_store, "traces", q=trace.task_id, range="24h")

    n = count_traces(sample_store, TraceFilter(task_id=trace.task_id))
    assert n_listed(page) == n


def test_the_next_page_goes_on_where_the_first_ends(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "traces", range="all")
    page.button(key="page_next").click().run()

    expected = reader.find_traces(sample_store, TraceFilter(), limit=1, offset=PAGE_SIZE)[0]
    assert parameter(page, "page") == "2"
    assert page.dataframe[0].value["id"].iloc[0] == expected.trace_id[:12]


def test_a_trace_without_a_time_is_listed_under_all_data(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    untimed = make_span(trace_id="b" * 32, start_time_ns=None, end_time_ns=None)
    database = write_spans([untimed, make_span()])

    assert n_listed(open_page(database, "traces", range="all")) == 2
    bounded = open_page(database, "traces", range="7d")
    assert n_listed(bounded) == 1
    assert caption_with(bounded, "in all data").startswith("2 traces")


def test_an_empty_store_says_what_to_do(open_page: "OpenPage", empty_store: Database) -> None:
    page = open_page(empty_store, "traces")

    assert "toolsight demo" in [code.value for code in page.code]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("tool:query_order* duration>5s", ("tool", "duration")),
        ("layer:planning -status:ok", ("sign", "status")),
        ("has:noise steps>=3", ("observed", "steps")),
    ],
)
def test_the_filter_in_the_address_lists_what_the_store_finds(
    open_page: "OpenPage", sample_store: Database, text: str, terms: tuple[str, ...]
) -> None:
    wanted = TraceFilter(terms=parsed(text).terms)
    assert tuple(term.kind for term in wanted.terms) == terms
    page = open_page(sample_store, "traces", range="all", filter=text)
    n = count_traces(sample_store, wanted)

    assert n > 0
    assert f"of {n:,} traces" in caption_with(page, " traces · ")


def test_each_count_is_that_of_the_list_it_leads_to(
    open_page: "OpenPage", sample_store: Database
) -> None:
    open_page(sample_store, "traces")
    failed = TraceFilter(error="any")
    counted = traces_queries.counts(failed)

    assert counted.errors
    assert set(counted.layers) == {"planning", "execution", "observation", "model"}
    assert sum(counted.statuses.values()) == count_traces(sample_store, failed)
    for status, n in counted.statuses.items():
        assert n == count_traces(sample_store, replace(failed, status=status))
    for layer, n in counted.layers.items():
        terms = parsed(f"layer:{layer}").terms
        assert n == count_traces(sample_store, replace(failed, terms=terms))
    for error, n in counted.errors.items():
        assert n == count_traces(sample_store, TraceFilter(error=error)), error


@pytest.mark.parametrize(
    "chosen", [None, "status", {}, {"name": "q", "value": "x"}, {"name": "status", "value": 7}]
)
def test_what_is_no_choice_of_a_count_changes_nothing(chosen: object) -> None:
    narrow(chosen)


def test_a_filter_that_cannot_be_read_says_where(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "traces", filter="colour:<b>red</b>")

    assert page.error[0].value == "This filter cannot be read."
    assert "place 1: colour: no such name" in page.code[0].value


def test_words_of_any_language_are_looked_for_in_the_text_of_spans(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    spans = [
        make_span(trace_id=digit * 32, attributes={"gen_ai.tool.call.result": text})
        for digit, text in (("1", "订单已发货"), ("2", "pending"))
    ]
    page = open_page(write_spans(spans), "traces", range="all", filter="已发货")
    for _ in range(50):
        if any("was read" in caption.value for caption in page.caption):
            break
        time.sleep(0.1)
        page.run()

    assert list(page.dataframe[0].value["id"]) == ["1" * 12]
    assert "All text of the chosen time was read; 1 trace holds it." in [
        caption.value for caption in page.caption
    ]


def test_a_search_is_kept_by_its_name_and_opened_again(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    database = write_spans([make_span()])
    page = open_page(database, "traces", range="all", filter="spans>0", status="unknown")
    page.text_input(key="saved_name").set_value("夜班")
    next(button for button in page.button if button.label == "Keep").click().run()
    assert "夜班" in [text.value for text in page.text]

    again = open_page(database, "traces")
    again.button(key="saved_open_0").click().run()
    assert parameter(again, "filter") == "spans>0"
    assert parameter(again, "status") == "unknown"
    again.button(key="saved_remove_0").click().run()
    assert "夜班" not in [text.value for text in again.text]


def test_the_form_adds_to_the_filter(open_page: "OpenPage", sample_store: Database) -> None:
    page = open_page(sample_store, "traces", range="all", filter="tool:query*")
    next(box for box in page.number_input if box.label == "At least so many steps").set_value(3)
    next(button for button in page.button if button.label == "Add to the filter").click().run()

    assert parameter(page, "filter") == "tool:query* steps>=3"
