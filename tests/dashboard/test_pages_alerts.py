"""The Alerts page tells what goes on, takes acknowledgements, and shows what was before."""

from typing import TYPE_CHECKING

import pytest

from replay_store import Database
from replay_store.alerts import acknowledged, alert_acks, record_ack

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
