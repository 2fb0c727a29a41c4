"""`toolsight check` over the sample world, in which six things go wrong."""

import json
from collections.abc import Callable, Iterable
from datetime import timedelta

import pytest
from click.testing import CliRunner, Result

from dashboard.alerting import Look, Told, look
from dashboard.cli import main
from dashboard.cli.stores import served_store
from dashboard.settings import Settings
from metrics import DEFAULT_THRESHOLDS, data_range, default_scope, report, standouts
from metrics.alerts import Severity
from replay_store import Database
from replay_store.alerts import held_alerts, record_ack
from sample_traces import Story, stories

Check = Callable[..., Result]


@pytest.fixture
def check(sample_store: Database) -> Check:
    """Runs the command over the sample world; only alert rows are written to it."""
    return _runner(sample_store)


def _runner(database: Database) -> Check:
    def run(*arguments: str) -> Result:
        with served_store(database, Settings()):
            return CliRunner().invoke(main, ["check", *arguments])

    return run


@pytest.fixture(scope="module")
def found(sample_store: Database) -> Look:
    return look(sample_store, DEFAULT_THRESHOLDS, lambda: 1)


def test_an_empty_store_says_what_to_do_and_is_fine(empty_store: Database) -> None:
    result = _runner(empty_store)()
    assert result.exit_code == 0
    assert "toolsight ingest" in result.output


@pytest.mark.parametrize("story", stories(), ids=lambda story: story.key)
def test_every_story_is_told_and_dated(found: Look, story: Story) -> None:
    told = [
        alert
        for item in found.firing
        for alert in item.incident.alerts
        if alert.key.metric == story.metric
        and (alert.key.subject is None or story.tool == alert.key.tool_name)
        and (story.rule is None or (alert.key.subject and alert.key.subject.name == story.rule))
    ]
    assert told
    start = int(story.start.timestamp() * 1e9)
    day = int(timedelta(days=1).total_seconds() * 1e9)
    assert any(alert.fired_ns > start and alert.since_ns > start - day for alert in told)


def test_what_stands_out_on_the_overview_is_told_too(sample_store: Database, found: Look) -> None:
    week = default_scope("7d", data_range(sample_store))
    shown = {item.metric for item in standouts(report(sample_store, week))}
    told = {alert.key.metric for item in found.told for alert in item.incident.alerts}
    assert shown <= told


def test_looking_again_tells_nothing_new(sample_store: Database, found: Look) -> None:
    before = held_alerts(sample_store)
    again = look(sample_store, DEFAULT_THRESHOLDS, lambda: 2)
    assert [told.incident_id for told in again.told] == [told.incident_id for told in found.told]
    assert held_alerts(sample_store) == before


def test_the_command_fails_while_something_goes_on(check: Check) -> None:
    result = check()
    assert result.exit_code == 1
    assert "money_confirmation is not evaluated any more" in result.output
    assert "page" in result.output


def test_json_has_every_figure_and_no_rate_without_its_n(check: Check) -> None:
    body = json.loads(check("--json").output)
    alerts = [alert for incident in body["incidents"] for alert in incident["alerts"]]
    assert body["n_open"] >= 5
    assert all(alert["n"] > 0 and alert["what"] and alert["alert_id"] for alert in alerts)


def act(database: Database, action: str, incidents: Iterable[Told]) -> None:
    for told in incidents:
        record_ack(database, told.incident_id, action, author="Ann", note="known", clock=lambda: 5)


def test_what_somebody_took_over_fails_no_more(
    check: Check, sample_store: Database, found: Look
) -> None:
    first, *others = found.firing
    act(sample_store, "acknowledge", others)
    result = check("--acknowledge", first.incident_id, "--by", "Ben")
    assert result.exit_code == 0
    assert "by Ann" in result.output
    assert "by Ben" in result.output
    assert "0 open" in result.output
    act(sample_store, "reopen", others)
    assert check("--reopen", first.incident_id, "--by", "Ben").exit_code == 1


def test_tickets_alone_do_not_fail_a_check_for_pages(
    check: Check, sample_store: Database, found: Look
) -> None:
    pages = [told for told in found.firing if told.incident.severity is Severity.PAGE]
    assert pages
    act(sample_store, "acknowledge", pages)
    assert check("--page").exit_code == 0
    act(sample_store, "reopen", pages)
    assert check("--page").exit_code == 1


def test_an_unknown_incident_is_an_error_in_one_sentence(check: Check) -> None:
    result = check("--acknowledge", "nothing")
    assert result.exit_code == 1
    assert "no such incident" in result.output
