"""What is told of shipping to a cluster: on Intake, by `toolsight intake` and in `/metrics`."""

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dashboard.cli import main
from dashboard.errors import SettingsError
from dashboard.serving.exposition import _shipping
from dashboard.serving.shipping import shipper
from dashboard.settings import Settings, read_settings
from replay_store import Database
from replay_store.cluster.ship_state import register, ship_state, tell_problem
from replay_store.errors import ClusterError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.dashboard.conftest import OpenPage

PLACE = "clickhouse://ch1:8123/toolsight?cluster=main"
SECRET = "s3cr3t-passphrase"  # noqa: S105 - of no cluster
PROBLEM = "cluster: ch1:8123: no answer <b>*"


def failing(database: Database) -> Database:
    """A store of which one trace waits because the cluster is away."""
    state = register(database, PLACE)
    tell_problem(database, state.receiver, PROBLEM)
    with database.transaction() as cursor:
        cursor.execute(
            "insert into ship_outbox (unit, is_raw, is_whole, first_received_time_ns, "
            "last_received_time_ns, store_version) values (uuid(), false, false, 1000000000, 1, 1)"
        )
    return database


def test_a_server_that_ships_nowhere_has_no_shipper(empty_store: Database) -> None:
    assert shipper(empty_store, Settings()) is None


def test_none_in_place_of_an_address_ends_shipping(empty_store: Database) -> None:
    failing(empty_store)

    assert shipper(empty_store, Settings(ship="none")) is None
    assert ship_state(empty_store) is None


def test_who_reads_a_cluster_does_not_ship_to_one(empty_store: Database) -> None:
    settings = Settings(ship=PLACE, engine=PLACE)

    with pytest.raises(SettingsError, match="TOOLSIGHT_SHIP"):
        shipper(empty_store, settings)


def test_an_address_that_cannot_be_read_is_refused_without_being_shown(
    empty_store: Database,
) -> None:
    settings = Settings(ship=f"mysql://me:{SECRET}@h/db")

    with pytest.raises(ClusterError) as refused:
        shipper(empty_store, settings)
    assert SECRET not in str(refused.value)


def test_neither_address_nor_password_is_shown_with_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOOLSIGHT_SHIP", f"clickhouse://me:{SECRET}@h/db")
    monkeypatch.setenv("TOOLSIGHT_SHIP_PASSWORD", SECRET)

    settings = read_settings()

    assert SECRET not in repr(settings) + str(settings)
    assert settings.ship is not None


def test_prometheus_reads_what_waits_and_whether_shipping_fails(empty_store: Database) -> None:
    assert _shipping(ship_state(empty_store)) == []

    told = {family.name: family.samples for family in _shipping(ship_state(failing(empty_store)))}

    assert told == {
        "toolsight_ship_waiting": [({}, 1)],
        "toolsight_ship_oldest_received_timestamp_seconds": [({}, 1.0)],
        "toolsight_ship_last_timestamp_seconds": [],
        "toolsight_ship_failing": [({}, 1.0)],
    }


def test_the_command_tells_what_waits_and_why(tmp_path: "Path") -> None:
    db = tmp_path / "s.duckdb"
    with Database.open(db) as database:
        failing(database)

    text = CliRunner().invoke(main, ["intake", "--db", str(db)]).output
    answer = json.loads(CliRunner().invoke(main, ["intake", "--json", "--db", str(db)]).output)

    assert f"Ships to {PLACE}: 1 trace waits, the first since 1970-01-01 00:00Z" in text
    assert PROBLEM in text
    assert answer["ship"]["problem"] == PROBLEM
    assert answer["ship"]["n_waiting"] == 1


@pytest.mark.parametrize(("lang", "waits"), [("en", "1 trace waits"), ("zh", "1 条链路")])
def test_the_page_tells_what_waits_and_why(
    open_page: "OpenPage", empty_store: Database, lang: str, waits: str
) -> None:
    page = open_page(failing(empty_store), "intake", lang=lang)

    texts = [text.value for text in page.text]
    assert any(PLACE in text and waits in text for text in texts)
    assert PROBLEM in texts, "shown as text, not as markup"
    assert len(page.warning) == 1
