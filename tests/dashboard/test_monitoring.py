"""What Prometheus reads, and the files that come with it."""

import asyncio
import json
import re
import socket
import threading
from importlib.resources import files

import pytest
import yaml

import dashboard
from dashboard.alerting import Look, look
from dashboard.serving.alert_watch import AlertWatch
from dashboard.serving.exposition import Exposition
from dashboard.serving.intake_service import IntakeService
from dashboard.settings import Settings
from ingest.receiver import Handler
from metrics import DEFAULT_THRESHOLDS, DEFINITIONS, data_range, default_scope, report
from replay_store import Database
from replay_store.alerts import held_alerts
from replay_store.commit import Committer
from replay_store.errors import StoreMemoryError

FOLDER = files(dashboard) / "monitoring"
SAMPLE = re.compile(r"^(?P<name>\w+)(\{(?P<labels>.*)\})? (?P<value>\S+)$")


def text_of(database: Database, found: Look | None) -> str:
    handler = Handler(Committer(database))
    try:
        exposition = Exposition(database, handler, DEFAULT_THRESHOLDS, lambda: found)
        return exposition.text().decode()
    finally:
        handler.close()


@pytest.fixture(scope="module")
def text(sample_store: Database) -> str:
    """The exposition over the sample world, after a look."""
    return text_of(sample_store, look(sample_store, DEFAULT_THRESHOLDS, lambda: 1))


def samples(text: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            match = SAMPLE.match(line)
            assert match, line
            labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match["labels"] or ""))
            found.setdefault(match["name"], []).append(labels | {"value": match["value"]})
    return found


def test_every_figure_has_its_own_name_and_its_formula_as_help(
    text: str, sample_store: Database
) -> None:
    found = samples(text)
    day = report(sample_store, default_scope("24h", data_range(sample_store))).metrics()
    for item in DEFINITIONS:
        assert (item.prometheus_name in found) == (day[item.key].value is not None), item.key
        assert f"# HELP {item.prometheus_name} {item.name.en}: " in text
        assert f"# TYPE {item.prometheus_name} gauge\n" in text


def test_no_two_figures_share_a_name() -> None:
    names = [item.prometheus_name for item in DEFINITIONS]
    assert len(set(names)) == len(names)


def test_what_is_firing_is_labelled_with_its_incident(text: str) -> None:
    found = samples(text)
    (guard,) = [x for x in found["toolsight_alert_firing"] if x["metric"] == "guard_hits"]
    assert (guard["subject"], guard["cause"]) == ("money_confirmation", "evaluations_stopped")
    assert (guard["severity"], guard["acknowledged"]) == ("page", "false")
    n_open = sum(float(item["value"]) for item in found["toolsight_incidents_open"])
    assert n_open == len({item["incident"] for item in found["toolsight_alert_firing"]})


def test_before_the_first_look_and_without_data_samples_are_absent(empty_store: Database) -> None:
    text = text_of(empty_store, None)
    assert "toolsight_alert_firing" not in text
    assert "toolsight_retry_ratio" not in text


def test_figures_that_memory_is_too_short_for_are_refused_in_a_sentence(
    sample_store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(*_: object) -> None:
        raise StoreMemoryError("store: more memory was needed than there is")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        service = IntakeService(sample_store, Settings(), listener)
        with monkeypatch.context() as patch:
            patch.setattr(Database, "rows", short)
            refused = asyncio.run(service.metrics())
        answered = asyncio.run(service.metrics())
        service.handler.close()

    assert (refused.status, refused.body) == (503, b"store: more memory was needed than there is\n")
    assert answered.status == 200


def test_every_line_of_help_is_one_line(text: str) -> None:
    for line in text.splitlines():
        assert line.startswith(("# HELP ", "# TYPE ")) or SAMPLE.match(line)


def names_in(expressions: list[str]) -> set[str]:
    return {name for item in expressions for name in re.findall(r"toolsight_\w+", item)}


def test_the_alert_rules_ask_only_for_what_is_exposed(text: str) -> None:
    rules = yaml.safe_load((FOLDER / "prometheus_rules.yml").read_text("utf-8"))
    held = [rule for group in rules["groups"] for rule in group["rules"]]
    assert {rule["labels"]["severity"] for rule in held} == {"page", "ticket"}
    assert all(rule["annotations"]["summary"] for rule in held)
    assert names_in([rule["expr"] for rule in held]) <= set(re.findall(r"# TYPE (\w+)", text))


def test_the_grafana_dashboard_shows_every_figure_and_nothing_unknown(text: str) -> None:
    body = json.loads((FOLDER / "grafana_dashboard.json").read_text("utf-8"))
    asked = names_in([target["expr"] for panel in body["panels"] for target in panel["targets"]])
    assert {item.prometheus_name for item in DEFINITIONS} <= asked
    assert asked <= set(re.findall(r"# TYPE (\w+)", text))
    assert len({panel["id"] for panel in body["panels"]}) == len(body["panels"])


def test_a_watch_keeps_what_it_finds_and_stops_when_asked(sample_store: Database) -> None:
    watch = AlertWatch(sample_store, Settings(), clock=lambda: 1, every_seconds=1000)
    watch.start()
    found = watch.look()
    assert watch.newest == found
    kept = {alert.incident_id for alert in held_alerts(sample_store)}
    assert {told.incident_id for told in found.told} <= kept
    watch.close()
    watch.close()
    assert "alert-watch" not in {thread.name for thread in threading.enumerate()}
