"""What lies in the cluster, and which of its rows count: what a shipper and a reader agree on.

**Units.** Every row belongs to one unit, named by the UUID `ship_unit`; a unit is replaced whole or added
to, and lies on one shard (`cityHash64(toString(ship_unit))`):

- a *trace*: `ship_unit` is its `trace_id`. The rows that came with it and those mapped from them
  (`ARRIVED`) are added to; the derived ones (`DERIVED`) are replaced whole, because spans that come late
  change them and let some vanish;
- a *raw output* (`CONTENT`): `ship_unit` is its `raw_id`; kept once by content;
- a *block* of any other table, and of the logs that name no trace: some rows that are replaced whole,
  such as an hour of a rollup. `ship_unit` is `block_unit(table, block)`.

**Columns.** A shipped table has the columns of the store's table of that name, and before them those of
`SHIP_COLUMNS`: `receiver` (who shipped: the id of one store), `ship_unit`, `ship_version`, `ship_key`,
`ship_row`, `ship_hour`. Within one version of a unit (`ship_key`, `ship_row`) names a row: a batch that is
sent twice, because its answer was lost, counts once (ReplacingMergeTree; read with FINAL). Types are those
of `schema.clickhouse_type`: ids are UUID and UInt64, truth values UInt8, NULL is NULL; a list that may be
NULL is JSON in a Nullable(String).

**Which rows count.** `ship_head` says of each unit of each receiver which version does. Its rows come after
all others of a version, so that a version is seen as a whole or not at all. Of several head rows the
greatest values hold: `max(ship_version)` and `max(base_version)`.

- Rows of `DERIVED` and of blocks count when their `ship_version` is the unit's greatest `ship_version`.
- Rows of `ARRIVED` and `CONTENT` count when theirs is the unit's greatest `base_version`: 0, until what
  was received or how it was mapped changed (rebuild, repair, removal).
- Of a block both are equal: a table may hold rows of either kind (logs with and without a trace).
- A unit that was removed has a head and no row of that version.

That is what the relations named as the store's tables hold, so `select … from tool_call` needs no more.
To read few traces faster, ask `ship_head_shipped` for them and then `<table>_shipped` FINAL.

**Relations**, for each shipped table `t`, in the database that the URL names:

| name        | what                                                                                   |
|-------------|----------------------------------------------------------------------------------------|
| `t_local`   | on each node: ReplacingMergeTree with every version                                    |
| `t_shipped` | Distributed over `t_local`; what is inserted into                                      |
| `t_present` | on each node: a view of its rows that count                                            |
| `t`         | Distributed over `t_present`: the rows that count, with all columns                    |

Without a cluster `t_shipped` is a view of `t_local`, `t` one of `t_present`, and rows go into `t_local`.

**Rollups and open traces.** Figures over rollups are rollups + the rows of open traces. A trace of a
receiver is open when `open_trace` holds it and sealed, that is in the rollups, when it does not. Both are
taken from the store at one moment, some seconds apart: a trace shipped since then is not in figures over
rollups yet, and none is in them twice.

**What several receivers hold.** Rollups, people's rows and intake add up over receivers. Raw outputs and
catalogues (`raw_output`, `offered_tool`) are the same whoever shipped them: the relation holds each once.
A trace is expected at one receiver (the Collector's load-balancing exporter); one that came to two is
two rows of `trace`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import md5
from typing import Final
from uuid import UUID

from replay_store.columns import table_name
from replay_store.of_traces import DERIVED_OF_TRACES, READ_OF_TRACES
from replay_store.records import RECORDS, RawOutput, Trace, TraceKey, TraceLink

__all__ = [
    "ARRIVED",
    "BLOCKS",
    "CONTENT",
    "DERIVED",
    "HEAD",
    "OPEN_TRACE",
    "SHIPPED",
    "SHIP_COLUMNS",
    "STAYING",
    "Block",
    "block_unit",
    "local_table",
    "present_view",
    "shipped_table",
]

SHIP_COLUMNS: Final[Mapping[str, str]] = {
    "receiver": "String",
    "ship_unit": "UUID",
    "ship_version": "UInt64",
    "ship_key": "UInt64",
    "ship_row": "UInt64",
    "ship_hour": "Int32",
}
"""ClickHouse type of each column that a shipped table has before the store's. `ship_hour` is the hour of
a derived row (0 without), by which these tables are sorted; elsewhere 0."""

HEAD: Final = "ship_head"
"""Columns: receiver, ship_unit, ship_version, base_version."""
OPEN_TRACE: Final = "open_trace"
"""Column: trace_id."""


def _tables(*records: type) -> tuple[str, ...]:
    return tuple(map(table_name, records))


ARRIVED: Final = _tables(*READ_OF_TRACES, TraceKey)
"""Tables whose rows come with a span or a log record and never change; each row names it by
`trace_id` and `record_hash`."""

DERIVED: Final = _tables(Trace, *DERIVED_OF_TRACES, TraceLink)
"""Tables whose rows of a trace are replaced whole."""

CONTENT: Final = _tables(RawOutput)
"""Tables kept once by content."""


@dataclass(frozen=True, slots=True)
class Block:
    """How the rows of a table are cut into blocks."""

    by: str
    """DuckDB expression over its columns: a number; rows of equal numbers are one block."""
    where: str = "true"
    """Which rows; the others go with their traces."""


_HOUR: Final = "coalesce(hour, -1)"
_MINUTE: Final = "received_time_ns // 60000000000"
_CUT: Final[Mapping[str, Block]] = {
    "rollup_call": Block(_HOUR),
    "rollup_count": Block(_HOUR),
    "rollup_time": Block(_HOUR),
    "rollup_tool_time": Block(_HOUR),
    "rollup_tool_count": Block(_HOUR),
    "rollup_seen": Block(_HOUR),
    "rollup_alike": Block(_HOUR),
    "rollup_time_day": Block("day"),
    "rollup_share": Block(_HOUR),
    "rollup_share_day": Block("day"),
    "rollup_crossing": Block(_HOUR),
    "rollup_task": Block(_HOUR),
    "task_part": Block("md5_number_lower(trace_id::varchar) % 256"),
    "labelled_decision": Block("md5_number_lower(trace_id::varchar) % 64"),
    "labelled_trace": Block("md5_number_lower(trace_id::varchar) % 64"),
    OPEN_TRACE: Block("0"),
    "span_log": Block(_MINUTE, "trace_id is null"),
    "noise_log": Block(_MINUTE, "trace_id is null"),
    "reject": Block(_MINUTE),
    "intake_minute": Block("minute // 60"),
    "ingest_file": Block("finished_time_ns // 3600000000000"),
    "offered_tool": Block("catalogue_hash % 256"),
}


def _kept() -> dict[str, Block]:
    """People's and the other small tables: 64 blocks each, by the first column."""
    cut: dict[str, Block] = {}
    for record in RECORDS:
        name = table_name(record)
        if name not in {*ARRIVED, *DERIVED, *CONTENT, *_CUT}:
            first = next(iter(record.__dataclass_fields__))
            cut[name] = Block(f"md5_number_lower({first}::varchar) % 64")
    return cut


BLOCKS: Final[Mapping[str, Block]] = {**_kept(), **_CUT}
"""Tables that are shipped by blocks."""

SHIPPED: Final = tuple(sorted({*ARRIVED, *DERIVED, *CONTENT, *BLOCKS}))
"""Every shipped table, by the store's name."""


STAYING: Final = frozenset(
    {
        *("migration", "store_state", "dirty_trace"),
        *("tier_store", "tier_file", "tiered_trace", "returned_trace"),
        *("ship_target", "ship_outbox", "ship_base", "ship_block"),
    }
)
"""Tables by which a store keeps itself: they say nothing to anybody else."""


def block_unit(table: str, block: int) -> UUID:
    """The unit of one block; as DuckDB's `md5('table/block')::uuid`."""
    return UUID(md5(f"{table}/{block}".encode(), usedforsecurity=False).hexdigest())


def local_table(table: str) -> str:
    """The table on each node, with every version."""
    return f"{table}_local"


def shipped_table(table: str) -> str:
    """Every version on all shards; what is inserted into."""
    return f"{table}_shipped"


def present_view(table: str) -> str:
    """The rows of one node that count."""
    return f"{table}_present"
