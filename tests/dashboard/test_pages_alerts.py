"""The Alerts page tells what goes on, takes acknowledgements, and shows what was before."""

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import pytest

from dashboard.alerting import Look
from dashboard.refreshed import Answer
from dashboard.views.alerts import queries as alert_queries
from metrics.alerts import Incident
from replay_store import Database
from replay_store.alerts import acknowledged, alert_acks, record_ack
from tests.dashboard.shown import component_texts

if TYPE_CHECKING:
    from tests.dashboard.conftest import OpenPage


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_store_says_what_to_do(
    open_page: "OpenPage", empty_store: Database, lang: str
) -> None:
    page = open_page(empty_store, "alerts", lang=lang)

    assert not page.exception
    assert "toolsight ingest" in page.code[0].value


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", "Guard rule money_confirmation is not evaluated any more"),
        ("zh", "护栏规则 money_confirmation 已不再被评估"),
    ],
)
def test_incidents_are_told_in_sentences(
    open_page: "OpenPage", sample_store: Database, lang: str, said: str
) -> None:
    page = open_page(sample_store, "alerts", lang=lang)

    assert not page.exception
    assert any(said in text.value for text in page.text)
    assert len(page.dataframe) >= 6


def test_a_rule_that_stopped_leads_to_the_calls_that_went_by(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "alerts")
    first = next(
        link.proto.query_string
        for link in page.get("page_link")
        if link.proto.label == "The traces of this stretch"
    )
    parameters = {name: values[0] for name, values in parse_qs(first).items()}
    found = open_page(sample_store, "traces", **parameters)

    assert parameters["tool"] == "refund_order"
    assert "metric" not in parameters
    assert found.dataframe[0].value.shape[0] > 0


def test_an_alert_of_one_trace_leads_to_it(
    open_page: "OpenPage", sample_store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace_id = "5d4e5b4453c9f57698a036039e03ca89"
    newest_look = alert_queries.newest_look

    def of_one_trace() -> Answer[Look]:
        answer = newest_look()
        first, *others = answer.value.told
        alert = replace(first.incident.alerts[0], trace_id=trace_id)
        told = replace(first, incident=Incident((alert,)))
        return replace(answer, value=replace(answer.value, told=(told, *others)))

    monkeypatch.setattr(alert_queries, "newest_look", of_one_trace)
    page = open_page(sample_store, "alerts")
    (link,) = (
        link.proto for link in page.get("page_link") if link.proto.label == "A trace that shows it"
    )

    parameters = {name: values[0] for name, values in parse_qs(link.query_string).items()}
    found = open_page(sample_store, link.page, **parameters)
    assert trace_id in component_texts(found)


def test_tables_give_a_guard_rule_s_usual_as_a_share(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "alerts")
    history = page.dataframe[-1].value

    assert page.dataframe[0].value["usual"][0] == "100.0%"
    assert set(history["usual"][history["figure"] == "Guard hits"]) == {"100.0%"}
    assert set(history["part"][history["figure"] == "Guard hits"]) == {
        "refund_order money_confirmation"
    }


def test_an_incident_is_taken_over_and_given_back(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "alerts")
    before = acknowledged(alert_acks(sample_store))
    page.text_input[0].set_value("Ann")
    page.text_input[1].set_value("looking into it")
    page.button[0].click().run()

    held = acknowledged(alert_acks(sample_store))
    (incident_id,) = held.keys() - before.keys()
    assert not page.exception
    assert (held[incident_id].author, held[incident_id].note) == ("Ann", "looking into it")
    assert any(text.value == "Ann" for text in page.text)
    record_ack(sample_store, incident_id, "reopen", author="Ann", note=None, clock=lambda: 1)


def test_nobody_takes_over_without_a_name(open_page: "OpenPage", sample_store: Database) -> None:
    page = open_page(sample_store, "alerts")
    before = alert_acks(sample_store)
    page.text_input[0].set_value("  ")
    page.button[0].click().run()

    assert not page.exception
    assert page.error[0].value
    assert alert_acks(sample_store) == before


def test_without_channels_the_page_says_how_to_set_them(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "alerts")

    assert any("TOOLSIGHT_NOTIFY" in text.value for text in page.markdown)


def test_a_tool_leads_to_its_own_incident(open_page: "OpenPage", sample_store: Database) -> None:
    tool = open_page(sample_store, "tools", tool="refund_order")
    links = (link.proto for link in tool.get("page_link") if "incident=" in link.proto.query_string)
    parameters = {name: values[0] for name, values in parse_qs(next(links).query_string).items()}
    page = open_page(sample_store, "alerts", **parameters)

    assert not page.exception
    assert len(page.dataframe) == 1
    assert any("money_confirmation" in text.value for text in page.text)
    assert any(link.proto.label.startswith("All that goes on") for link in page.get("page_link"))
