"""A recorded observation reads again: the same by the same rules, differently by other ones."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.observation import (
    RuleSet,
    ToolOutput,
    load_rules,
    map_value,
    package_rule_texts,
    package_rules,
)
from pipeline.vocabulary import ErrorClass
from replay_store import Database
from replay_store.rereading import reread, resolve_recorded
from replay_store.saw import RecordedObservation, get_observation
from tests.observed import Recorder, Seen, answer, order, points
from tests.stores import memory_store


@pytest.fixture
def database() -> Iterator[Database]:
    with memory_store() as opened:
        yield opened


def recorded(
    database: Database, folder: Path, outputs: list[ToolOutput], **more: object
) -> tuple[Seen, RecordedObservation]:
    recorder = Recorder()
    seen = recorder.observe(outputs, **more)
    found = get_observation(recorder.store(database, folder), seen.trace_id, seen.span_id)
    assert found is not None
    return seen, found


def with_refunding() -> RuleSet:
    texts = package_rule_texts()
    name = "order_status.yaml"
    texts[name] = map_value(
        name, texts[name], "status", "refunding", {"zh": "退款中", "en": "refunding"}
    )
    return load_rules(texts)


OUTPUTS = {
    "seed": [order(), points()],
    "unknown status": [order(status="refunding")],
    "conflict": [order(), order(5, "order_status_api", status="delivered")],
    "bad date": [order(estimated_delivery="2024-02-31")],
    "failed": [answer("order_api", {"secret": 1}, error=ErrorClass.TIMEOUT), points()],
    "empty": [answer("order_api", {"code": 0, "data": []})],
    "degraded": [replace(order(), degradation="L2")],
    "no rules": [answer("weather_api", {"sky": "blue"})],
    "no JSON": [answer("weather_api", "<html>502</html>")],
    "no JSON from a known tool": [answer("order_api", "502 Bad Gateway")],
    "null": [answer("order_api", None)],
    "JSON text": [answer("order_api", '{"order_id": "12345", "status": "shipped"}')],
    "sensitive": [answer("points_api", {"user_id": "U789", "points_balance": "many"})],
    "another order": [order(order_id="999"), points()],
    "nothing": [],
}


@pytest.mark.parametrize("outputs", OUTPUTS.values(), ids=OUTPUTS)
def test_the_rules_that_read_it_first_give_the_same_facts_again(
    database: Database, tmp_path: Path, outputs: list[ToolOutput]
) -> None:
    seen, found = recorded(database, tmp_path, outputs)

    again = reread(found, package_rules())

    assert again.snapshot_hash == found.observation.snapshot_hash
    assert again.health == seen.observation.clean.resolved.health
    assert again.snapshot == seen.observation.clean.snapshot
    assert again.resolved == seen.observation.clean.resolved
    assert again.critical == seen.observation.critical
    assert (again.n_facts_changed, again.n_unreadable) == (0, 0)


def test_a_new_mapping_changes_the_one_statement_that_it_is_about(
    database: Database, tmp_path: Path
) -> None:
    _, found = recorded(database, tmp_path, [order(status="refunding"), points()])
    assert found.observation.n_unknown == 1

    again = reread(found, with_refunding())

    assert [(s.entity.id, s.fact_type, s.source) for s in again.changed] == [
        ("12345", "STATUS", "order_api.status")
    ]
    assert again.health.n_unknown == 0
    assert again.snapshot_hash != found.observation.snapshot_hash
    assert again.rule_version == with_refunding().version


def test_rules_that_no_longer_know_a_tool_lose_its_statements_and_say_so(
    database: Database, tmp_path: Path
) -> None:
    _, found = recorded(database, tmp_path, [order()])
    texts = package_rule_texts()
    del texts["order_status.yaml"]

    again = reread(found, load_rules(texts))

    types = {statement.fact_type for statement in again.changed}
    assert {"STATUS", "TOOL_RESULT"} <= types
    assert again.health.n_unparsed == 1


def test_an_output_that_was_recorded_in_part_is_left_out_and_counted(
    database: Database, tmp_path: Path
) -> None:
    long = [{"time": "2024-06-10T08:23:11Z", "event": "x" * 100}] * 1000
    _, found = recorded(database, tmp_path, [order(logistics_info=long), points()])

    again = reread(found, package_rules())

    assert (again.n_unreadable, again.is_complete) == (1, False)
    assert again.n_facts_changed == 0
    assert {fragment.tool for fragment in again.fragments} == {"points_api"}


def test_noise_is_not_read_again(database: Database, tmp_path: Path) -> None:
    _, found = recorded(
        database, tmp_path, [order(), points()], cni_enabled=True, cni_intensity=1.0
    )
    assert found.observation.n_noise_hit

    assert reread(found, package_rules()).n_facts_changed == 0


@pytest.mark.parametrize("variant", ["clean", "noisy"])
def test_recorded_evidence_resolves_as_it_did_when_it_was_shown(
    database: Database, tmp_path: Path, variant: str
) -> None:
    seen, found = recorded(
        database, tmp_path, [order(), points()], cni_enabled=True, cni_intensity=1.0
    )
    made = {"clean": seen.observation.clean, "noisy": seen.observation.noisy}[variant]
    assert made is not None

    assert resolve_recorded(found, variant, package_rules()) == made.resolved


def test_a_variant_that_was_not_recorded_or_is_no_snapshot_is_none(
    database: Database, tmp_path: Path
) -> None:
    _, found = recorded(database, tmp_path, [order()])
    broken = replace(found, snapshots=[replace(found.snapshots[0], facts="[1]")])

    assert resolve_recorded(found, "noisy", package_rules()) is None
    assert resolve_recorded(broken, "clean", package_rules()) is None


@pytest.mark.parametrize("context", [None, "{}", "no JSON"])
def test_without_its_recorded_context_the_columns_hold_its_essentials(
    database: Database, tmp_path: Path, context: str | None
) -> None:
    _, found = recorded(database, tmp_path, [order()])

    again = reread(replace(found, context=context), package_rules())

    assert again.context.intent == "track_delivery"
    assert again.context.query_time == reread(found, package_rules()).context.query_time
    assert str(again.context.primary) == "order:12345"
