"""How a cluster is named, which tables lie there, and that nobody is shown its password."""

import pytest

from replay_store.cluster.client import Client, ClusterUrl, Node
from replay_store.cluster.contract import OPEN_TRACE, SHIPPED, STAYING, block_unit
from replay_store.database import Database
from replay_store.errors import ClusterError, ClusterUnreachableError

SECRET = "s3cr3t-passphrase"  # noqa: S105 - of no cluster


@pytest.mark.parametrize(
    ("text", "nodes", "database", "cluster", "user"),
    [
        ("clickhouse://h", (Node("h", 8123),), "default", None, "default"),
        ("clickhouse://h:9/db", (Node("h", 9),), "db", None, "default"),
        ("clickhouse://me@h/db?cluster=c", (Node("h", 8123),), "db", "c", "me"),
        ("clickhouse://a:1,b:2/db", (Node("a", 1), Node("b", 2)), "db", None, "default"),
        ("clickhouse://h/db?secure=1", (Node("h", 8443),), "db", None, "default"),
        ("clickhouse://[::1]:5/db", (Node("::1", 5),), "db", None, "default"),
        ("clickhouse://m%40x:p@h/db", (Node("h", 8123),), "db", None, "m@x"),
    ],
)
def test_a_url_says_where_a_cluster_is(
    text: str, nodes: tuple[Node, ...], database: str, cluster: str | None, user: str
) -> None:
    url = ClusterUrl.parse(text)

    assert (url.nodes, url.database, url.cluster, url.user) == (nodes, database, cluster, user)


@pytest.mark.parametrize(
    "text",
    [
        "http://h/db",
        "clickhouse:///db",
        f"clickhouse://me:{SECRET}@h/db;drop",
        f"clickhouse://me:{SECRET}@h/db?cluster=a b",
        f"clickhouse://me:{SECRET}@h/db?colour=red",
        f"clickhouse://me:{SECRET}@h:port/db",
        f"clickhouse://me:{SECRET}@,/db",
    ],
)
def test_what_is_no_address_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(ClusterError) as refused:
        ClusterUrl.parse(text)

    assert SECRET not in str(refused.value)


def test_the_password_is_taken_from_beside_the_url_and_never_shown() -> None:
    url = ClusterUrl.parse("clickhouse://me@b:2,a:1/db?cluster=c", SECRET)

    assert url.password == SECRET
    assert SECRET not in repr(url) + url.place
    assert url.place == "clickhouse://a:1,b:2/db?cluster=c"
    assert ClusterUrl.parse(f"clickhouse://me:{SECRET}@h/db", "other").password == SECRET


def test_a_cluster_that_does_not_answer_is_named_without_its_password() -> None:
    client = Client(ClusterUrl.parse(f"clickhouse://me:{SECRET}@127.0.0.1:1,127.0.0.1:2/db"))

    with pytest.raises(ClusterUnreachableError, match=r"127\.0\.0\.1:1, 127\.0\.0\.1:2") as refused:
        client.insert("span_shipped", b"{}")

    assert SECRET not in str(refused.value)


def test_the_unit_of_a_block_is_the_same_for_the_store_and_for_a_reader(database: Database) -> None:
    row = database.row("select md5('rollup_call/490152')::uuid as unit")

    assert row == {"unit": block_unit("rollup_call", 490152)}


def test_every_table_of_the_store_is_shipped_or_said_to_stay(database: Database) -> None:
    """A new table must be named in `contract`: as what comes with a trace, is derived, or by blocks."""
    rows = database.rows(
        "select table_name from duckdb_tables() "
        "where database_name = 'store' and schema_name = 'main'"
    )
    tables = {row["table_name"].removesuffix("_open").removesuffix("_sealed") for row in rows}

    assert tables == (set(SHIPPED) - {OPEN_TRACE}) | STAYING
