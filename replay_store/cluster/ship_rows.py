"""The texts that turn rows of the store into lines of JSON, as the cluster's tables take them."""

from collections.abc import Mapping, Sequence
from typing import Final

from replay_store.cluster.contract import BLOCKS, OPEN_TRACE
from replay_store.cluster.schema import Column

__all__ = ["arrived_sql", "block_rows_sql", "content_sql", "derived_sql", "fingerprint_sql"]

_LIST: Final = "VARCHAR[]"
_NUMBERED_BY_HASH: Final = frozenset({"span", "span_log", "noise_log"})
"""Tables that hold each record once."""
_LONG: Final = frozenset(
    {
        *("body", "raw", "before", "after", "diff", "explanation", "arguments", "description"),
        *("input_schema", "attributes", "resource", "original_value", "injected_value"),
    }
)
"""Columns by which no change is told: they are long, and others of the row say what they hold."""
_SOURCES: Final[Mapping[str, str]] = {OPEN_TRACE: "(select trace_id from trace_open)"}
Columns = Mapping[str, Sequence[Column]]


def arrived_sql(table: str, columns: Sequence[Column]) -> str:
    """Lines of what came with the units of `shipping`, or was mapped from it, between their times."""
    names = {column.name for column in columns}
    if table in _NUMBERED_BY_HASH:
        number = "1"
    else:
        listed = ", ".join(f"t.{column.name}" for column in columns)
        number = f"row_number() over (partition by t.trace_id, t.record_hash order by {listed})"
    if "received_time_ns" in names:
        came = (
            "t.received_time_ns between $lo and $hi "
            "and t.received_time_ns between shipping.first_ns and shipping.last_ns"
        )
    else:
        came = "(t.trace_id, t.record_hash) in (select trace_id, record_hash from arrived_record)"
    ship = _ship("t.trace_id", "shipping.base_version", "t.record_hash", number, "0")
    return _lines(
        ship,
        columns,
        f"{table} as t inner join shipping on t.trace_id = shipping.unit where {came}",
    )


def derived_sql(table: str, columns: Sequence[Column]) -> str:
    """Lines of what is derived of the units of `shipping`."""
    hour = "coalesce(t.hour, 0)" if any(column.name == "hour" for column in columns) else "0"
    number = "row_number() over (partition by t.trace_id)"
    ship = _ship("t.trace_id", "$version", "0", number, hour)
    return _lines(ship, columns, f"{table} as t inner join shipping on t.trace_id = shipping.unit")


def content_sql(table: str, columns: Sequence[Column]) -> str:
    """Lines of the raw outputs of `shipping_raw`."""
    ship = _ship("t.raw_id", "shipping_raw.base_version", "0", "1", "0")
    return _lines(ship, columns, f"{table} as t inner join shipping_raw using (raw_id)")


def block_rows_sql(table: str, columns: Sequence[Column]) -> str:
    """Lines of the blocks of `block_changed`."""
    cut = BLOCKS[table]
    unit = f"md5('{table}/' || t.ship_block)::uuid"
    ship = _ship(unit, "$version", "0", "row_number() over ()", "0")
    source = _SOURCES.get(table, table)
    return _lines(
        ship,
        columns,
        f"(select *, ({cut.by})::bigint as ship_block from {source} where {cut.where}) as t "  # noqa: S608 - names of the store's own schema
        "inner join block_changed on t.ship_block = block_changed.block "
        f"where block_changed.table_name = '{table}'",
    )


def fingerprint_sql(tables: Columns) -> str:
    """By table and block, what tells that a block is another than before."""
    return " union all ".join(_fingerprint(table, tables[table]) for table in BLOCKS)


def _fingerprint(table: str, columns: Sequence[Column]) -> str:
    cut = BLOCKS[table]
    told = ", ".join(column.name for column in columns if column.name not in _LONG)
    return (
        f"select '{table}' as table_name, ({cut.by})::bigint as block, "  # noqa: S608 - names of the store's own schema
        f"greatest(hash(count(*), bit_xor(hash({told})), sum(hash({told})::hugeint)), 1) as fingerprint "
        f"from {_SOURCES.get(table, table)} where {cut.where} group by block"
    )


def _ship(unit: str, version: str, key: str, row: str, hour: str) -> str:
    return (
        f"$receiver as receiver, {unit} as ship_unit, {version}::ubigint as ship_version, "
        f"{key}::ubigint as ship_key, ({row})::ubigint as ship_row, ({hour})::integer as ship_hour"
    )


def _lines(ship: str, columns: Sequence[Column], source: str) -> str:
    shown = ", ".join(_shown(column) for column in columns)
    return f"select to_json(line)::varchar from (select {ship}, {shown} from {source}) as line"  # noqa: S608 - names of the store's own schema


def _shown(column: Column) -> str:
    if column.duck_type == _LIST and column.is_nullable:
        return f"to_json(t.{column.name})::varchar as {column.name}"
    return f"t.{column.name}"
