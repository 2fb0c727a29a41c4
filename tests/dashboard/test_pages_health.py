"""The Overview says what stands out, and how well tool outputs were read."""

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

import metrics
from dashboard.metric_text import headline
from metrics import Part, Report, Standout, State
from replay_store import Database
from tests.metrics.conftest import Store

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import OpenPage

KEYS = ("conflict_share", "unknown_share", "mean_confidence", "parse_p95", "noise_exposure")
HOSTILE = "**[x](http://evil)** <img src=x onerror=alert(1)>"
DAY = 86_400


@pytest.fixture
def store(empty_store: Database) -> Store:
    """Rows straight into the tables of an empty store."""
    return Store(empty_store)


def fortnight(store: Store, *, raw: str = "refunding", unknown_now: int = 10) -> None:
    """Twenty observations a day; in the second week some hold a value that nobody maps."""
    for day in range(14):
        for index in range(20):
            number = 1 + 100 * day + index
            is_new = day >= 7 and index < unknown_now
            store.trace(number, start=DAY * day)
            span_id = store.observation(
                number,
                time=DAY * day,
                cells=4,
                multi=2,
                unknown=1 if is_new else 0,
                confidence=0.9,
                parse_ms=1.5,
                noise_hits=0,
            )
            if is_new:
                store.fact(number, span_id, raw=raw, tool="pay")


def report_of(database: Database) -> Report:
    return metrics.report(database, metrics.default_scope("7d", metrics.data_range(database)))


def texts(page: "AppTest") -> str:
    return " ".join(item.value for item in (*page.caption, *page.markdown, *page.text))


def links_to(page: "AppTest", name: str) -> list[dict[str, list[str]]]:
    """The queries of the links to a page."""
    found = [link.proto for link in page.get("page_link")]
    return [parse_qs(proto.query_string) for proto in found if proto.page == name]


def test_five_more_cards_show_observation_health(open_page: "OpenPage", store: Store) -> None:
    fortnight(store)
    page = open_page(store.database, "overview")
    expected = report_of(store.database).metrics()
    assert [card.value for card in page.metric][5:] == [headline(expected[key]) for key in KEYS]
    assert any("n = 560 cells" in caption.value for caption in page.caption)


def test_a_store_without_observations_has_no_row_of_them(
    open_page: "OpenPage", store: Store
) -> None:
    store.trace(1)
    page = open_page(store.database, "overview", range="all")
    assert len(page.metric) == 5
    assert "Observation health" not in [heading.value for heading in page.subheader]


def test_a_finding_names_value_number_and_limit(open_page: "OpenPage", store: Store) -> None:
    fortnight(store)
    page = open_page(store.database, "overview")
    assert "What stands out" in [heading.value for heading in page.subheader]
    assert "pay · STATUS · refunding" in [text.value for text in page.text]
    said = texts(page)
    assert "12.5% (n = 560); the limit is 1.0%" in said
    assert "before: 0.0%" in said
    assert "Limit: 1.0%, from 0.0% before (n = 560)" in said
    assert "Period before: **0.90 (n = 560)**" in said


def test_findings_and_cards_lead_to_what_the_model_saw(open_page: "OpenPage", store: Store) -> None:
    fortnight(store)
    page = open_page(store.database, "overview")
    assert links_to(page, "saw")[0] == {
        "has": ["unknown"],
        "tool": ["pay"],
        "fact_type": ["STATUS"],
        "raw": ["refunding"],
    }
    assert {"has": ["conflict"]} in links_to(page, "saw")
    assert links_to(page, "dictionaries") == [{}, {}]  # the menu, and the card
    assert {"metric": ["unknown_share"], "part": ["numerator"]} in links_to(page, "traces")


def test_text_of_a_trace_in_a_finding_stays_text(open_page: "OpenPage", store: Store) -> None:
    fortnight(store, raw=HOSTILE)
    page = open_page(store.database, "overview")
    assert f"pay · STATUS · {HOSTILE}" in [text.value for text in page.text]
    assert not any(HOSTILE in item.value for item in (*page.markdown, *page.caption))


def test_nothing_out_of_limits_is_a_quiet_line(open_page: "OpenPage", store: Store) -> None:
    fortnight(store, unknown_now=0)
    page = open_page(store.database, "overview")
    assert "Nothing is out of its limits in this time range." in texts(page)
    assert "What stands out" not in [heading.value for heading in page.subheader]


def test_nothing_judged_is_not_called_good(open_page: "OpenPage", store: Store) -> None:
    store.trace(1)
    page = open_page(store.database, "overview", range="all")
    assert "Nothing is out of its limits" not in texts(page)
    assert "No figure could be judged in this time range" in texts(page)


def test_the_list_speaks_chinese(open_page: "OpenPage", store: Store) -> None:
    fortnight(store)
    page = open_page(store.database, "overview", lang="zh")
    assert {"异常要点", "观测健康度"} <= {heading.value for heading in page.subheader}
    assert "12.5%（n = 560），限值 1.0%" in texts(page)


def test_a_published_dictionary_shows_both_numbers(open_page: "OpenPage", store: Store) -> None:
    fortnight(store, unknown_now=0)
    span_id = store.observation(1, time=13 * DAY, cells=4, unknown=4, confidence=0.3)
    store.reread(1, span_id, version="abcdef0123456789", cells=4, confidence=0.9)
    store.pointer("abcdef0123456789")
    page = open_page(store.database, "overview")
    said = texts(page)
    assert "By dictionary `abcdef01`, which has read 1 of 141 observations again" in said
    assert "As recorded: **0.7%**" in said
    assert [card.value for card in page.metric][6] == "0.0%"


def test_every_finding_of_the_sample_leads_to_traces(sample_store: Database) -> None:
    report = report_of(sample_store)
    for standout in metrics.standouts(report):
        if standout.part is not None:
            assert behind(sample_store, report, standout).n_traces > 0, standout


def behind(database: Database, report: Report, standout: Standout) -> metrics.Behind:
    tool = standout.subject.tool_name if standout.subject else None
    scope = report.scope
    narrow = metrics.Scope(scope.start_time_ns, scope.end_time_ns, tool)
    return metrics.behind(database, standout.metric, standout.part or Part.WORST, narrow)


def test_the_traces_page_shows_what_makes_a_figure_bad(open_page: "OpenPage", store: Store) -> None:
    for number in range(1, 60):
        store.trace(number, start=number)
        store.decision(number, time=number)
        store.label(number, label="WRONG_TOOL" if number < 30 else "RIGHT")
    page = open_page(
        store.database, "traces", range="all", metric="selection_accuracy", part="worst"
    )
    assert "1–29 of 29 traces" in texts(page)


def test_states_of_findings_are_words(open_page: "OpenPage", store: Store) -> None:
    fortnight(store)
    found = metrics.standouts(report_of(store.database))
    assert [item.state for item in found] == [State.BAD]
    page = open_page(store.database, "overview")
    assert any("Out of limits" in item.value for item in page.markdown)
