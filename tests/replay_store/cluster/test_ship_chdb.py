"""The same tables and reads in the current dialect: one node of a current ClickHouse in this process."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest

from replay_store.cluster.client import Client, ClusterUrl, Node
from replay_store.cluster.schema import node_ddl, store_columns
from replay_store.cluster.ship import Shipper
from replay_store.cluster.ship_state import start_over
from replay_store.database import Database
from replay_store.retention import remove_expired
from tests.replay_store.cluster.compared import is_equal
from tests.replay_store.conftest import Agent

session = pytest.importorskip(
    "chdb.session", reason="no chdb: the current dialect cannot be run (pip install chdb)"
)
pytestmark = pytest.mark.slow
URL = ClusterUrl.parse("clickhouse://here/toolsight")


class Embedded(Client):
    """Asks the ClickHouse of this process."""

    def __init__(self, engine: Any) -> None:
        super().__init__(URL)
        self._engine = engine

    def ask(self, sql: str, *, node: Node | None = None) -> bytes:
        settings = "settings output_format_json_quote_64bit_integers = 0"
        asked = sql if "format JSONEachRow" not in sql else f"{sql} {settings}"
        return bytes(self._engine.query(asked).bytes())

    def insert(self, relation: str, lines: bytes) -> None:
        into = f"insert into {self.url.database}.{relation} format JSONEachRow\n"
        self._engine.query(into + lines.decode())

    def rows_of(self, table: str) -> list[dict[str, Any]]:
        text = self.ask(f"select * from {self.url.database}.{table} format JSONEachRow")
        return [orjson.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    opened = session.Session()
    yield opened
    opened.close()


@pytest.fixture
def embedded(engine: Any) -> Embedded:
    engine.query(f"drop database if exists {URL.database}")
    return Embedded(engine)


def call_a_tool(agent: Agent) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "get_order", {"id": 7, "名": "\x00\u2028\\"}),))
    agent.tool(3, 3, 4, "get_order", call_id="c1", result="{}")
    agent.write()


def test_every_statement_is_understood(engine: Any, database: Database) -> None:
    for sql in node_ddl(store_columns(database), "by_hand", None):
        engine.query(sql)

    assert engine.query("select count() from by_hand.tool_call").bytes().strip() == b"0"


def test_what_is_shipped_twice_and_what_is_gone_is_read_as_in_the_store(
    agent: Agent, embedded: Embedded
) -> None:
    call_a_tool(agent)
    shipper = Shipper(agent.database, embedded)
    shipper.ship_all()
    assert is_equal(agent.database, embedded.rows_of)

    start_over(agent.database, URL.place)
    agent.root(until=70.0)
    agent.write()
    shipper.ship_all()
    assert is_equal(agent.database, embedded.rows_of)

    remove_expired(agent.database, before_ns=2**62, now_ns=2**62)
    shipper.ship_all()
    assert embedded.rows_of("span") == []
    assert is_equal(agent.database, embedded.rows_of)
