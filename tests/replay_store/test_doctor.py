"""The doctor finds what is wrong in a store, mends what received rows allow, and saves what it can."""

import gzip
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sample_traces
from ingest import import_paths
from ingest.rebuild import rebuild
from replay_store import Database, derive
from replay_store.derive import seal
from replay_store.doctor import Check, examine, tables_of
from replay_store.doctor_repair import REPAIRED_HERE, repair
from replay_store.errors import StoreWriteError
from replay_store.salvage import salvage
from tests.stores import memory_store

N_TRACES = 120
FAR_NS = 2**62
BLOCK_BYTES = 262_144
HEADER_BYTES = 3 * 4_096


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of some sample traces, all sealed, with what people wrote about them."""
    folder = tmp_path_factory.mktemp("doctor")
    lines = _spans().splitlines(keepends=True)[:N_TRACES]
    (folder / "some.jsonl").write_bytes(b"".join(lines))
    path = folder / "store.duckdb"
    with Database.open(path) as database:
        import_paths([folder / "some.jsonl"], database)
        derive(database)
        seal(database, quiet_before_ns=FAR_NS)
    return path


@pytest.fixture
def store(small: Path, tmp_path: Path) -> Iterator[Database]:
    with Database.open(Path(shutil.copy(small, tmp_path / "store.duckdb"))) as database:
        yield database


def _spans() -> bytes:
    """The recorded spans of the samples, a trace a line."""
    for path in sample_traces.paths():
        data = path.read_bytes()
        text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        if b"resourceSpans" in text[:200]:
            return text
    raise AssertionError("no file of spans among the samples")


def wrong(database: Database) -> dict[Check, int]:
    return {finding.check: finding.n for finding in examine(database) if not finding.is_sound}


def change(database: Database, *statements: str) -> None:
    with database.transaction() as cursor:
        for sql in statements:
            cursor.execute(sql)


def content(database: Database) -> dict[str, int]:
    """A hash of what figures and pages read, whatever the order of rows and where they lie."""
    views = ("span", "trace", "tool_call", "attempt", "decision", "observed", "fact", "raw_output")
    return {
        name: next(iter(database.rows(f"select bit_xor(hash(read)) as h from {name} as read")))["h"]
        for name in views
    }


def test_an_empty_store_is_sound_and_says_what_was_looked_at() -> None:
    with memory_store() as database:
        found = examine(database)

    assert [finding.check for finding in found] == list(Check)
    assert all(finding.is_sound for finding in found)
    assert found[0].n_looked > 50


def test_progress_goes_to_the_end(store: Database) -> None:
    told: list[tuple[int, int]] = []

    assert wrong(store) == {}
    examine(store, on_progress=lambda n_done, n_total: told.append((n_done, n_total)))

    assert [n_done for n_done, _ in told] == list(range(1, len(told) + 1))
    assert told[-1][0] == told[-1][1] == len(tables_of(store)) + len(Check) - 1


@pytest.mark.parametrize(
    ("damage", "check", "n"),
    [
        ("insert into span from span limit 3", Check.SPANS_TWICE, 3),
        ("delete from trace_sealed where trace_id = (select min(trace_id) from span)", Check.UNDERIVED, 1),
        ("delete from span where trace_id = (select min(trace_id) from span)", Check.UNDERIVED, 1),
        ("update rollup_call set n = n + 1 where tool_name = (select min(tool_name) from rollup_call)", Check.ROLLUPS, 1),
        ("delete from rollup_tool_time where n_hours = 6 and tool_name = (select min(tool_name) from rollup_call)", Check.ROLLUPS, 1),
        ("delete from rollup_time_day where counted = 'call'", Check.ROLLUPS, 1),
        ("delete from rollup_tool_count where counted = 'caller' and tool_name = (select min(tool_name) from rollup_call)", Check.ROLLUPS, 1),
        ("delete from rollup_seen where kind = 'tool' and value = (select min(tool_name) from rollup_call)", Check.ROLLUPS, 1),
        ("delete from rollup_share where share = 'noise'", Check.ROLLUPS, 1),
        ("delete from rollup_share_day where share = 'noise'", Check.ROLLUPS, 1),
        ("delete from observed_sealed where trace_id = (select min(trace_id) from observed_sealed)", Check.ROLLUPS, 1),
    ],
    ids=[
        *("twice", "underived", "without spans", "calls", "stretches", "days", "callers", "seen"),
        *("observations by hour", "observations by day", "observations"),
    ],
)  # fmt: skip
def test_what_is_wrong_between_tables_is_found_and_mended(
    store: Database, damage: str, check: Check, n: int
) -> None:
    before = content(store)
    change(store, damage)
    assert wrong(store)[check] == n
    assert check in REPAIRED_HERE

    repair(store, check, now_ns=FAR_NS)

    assert wrong(store) == {}
    if "delete from span" not in damage:
        assert content(store) == before


def test_labelled_decisions_that_are_gone_are_found_and_kept_again(store: Database) -> None:
    change(
        store,
        """
        insert into label by name
        select
            'one' as label_id, 1 as record_hash, trace_id, turn_index, call_index, 'RIGHT' as label,
            'ann' as annotator, 'HUMAN' as annotator_kind, 'audit' as source,
            1 as inclusion_probability, uuid() as file_id, 0 as record_index, 0 as received_time_ns
        from decision
        where call_index is not null
        limit 1
        """,
    )
    seal(store, quiet_before_ns=FAR_NS)
    kept = store.rows("from labelled_decision order by all")
    assert kept
    assert wrong(store) == {}
    change(store, "delete from labelled_decision")
    assert Check.ROLLUPS in wrong(store)

    repair(store, Check.ROLLUPS, now_ns=FAR_NS)

    assert wrong(store) == {}
    assert store.rows("from labelled_decision order by all") == kept


def test_what_is_read_in_spans_is_read_again(store: Database) -> None:
    before = content(store)
    change(
        store,
        "delete from span_role where trace_id = (select min(trace_id) from span)",
        "delete from raw_output",
    )
    found = wrong(store)
    assert found[Check.UNMAPPED] > 0
    assert (
        found[Check.RAW_OUTPUTS] == store.rows("select count(*) as n from raw_occurrence")[0]["n"]
    )

    rebuild(store)

    assert wrong(store) == {}
    assert content(store) == before


def test_a_ledger_that_does_not_add_up_is_told_with_its_file(store: Database) -> None:
    change(store, "update ingest_file set n_stored = n_stored - 1")

    [finding] = [found for found in examine(store) if not found.is_sound]

    assert (finding.check, finding.n, finding.n_looked) == (Check.LEDGER, 1, 1)
    assert str(finding.example).endswith("some.jsonl")


def test_traces_that_wait_to_be_derived_are_not_wrong(store: Database) -> None:
    change(
        store,
        "insert into dirty_trace (trace_id, first_received_time_ns, last_received_time_ns) "
        "select trace_id, min(received_time_ns), max(received_time_ns) from span group by trace_id",
        "delete from trace_sealed",
        *(f"delete from {name}_sealed" for name in ("tool_call", "attempt", "decision")),
    )

    assert Check.UNDERIVED not in wrong(store)


@pytest.mark.slow
def test_rows_of_a_damaged_file_are_saved_but_for_those_in_the_damage(
    sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    whole = sample_copy(tmp_path / "whole.duckdb")
    saved = tmp_path / "saved.duckdb"
    with Database.open(damaged(whole, tmp_path / "damaged.duckdb")) as database:
        found = examine(database)
        copied = {line.table: line for line in salvage(database, saved)}
        with pytest.raises(StoreWriteError, match="is there already"):
            salvage(database, saved)

    assert (found[0].check, found[0].n) == (Check.BLOCKS, 1)
    assert str(found[0].example).startswith("span: ")
    assert "checksum" in str(found[0].example)
    with Database.open(saved) as fresh, Database.open(whole) as before:
        kept, all_spans = _hashes(fresh), _hashes(before)
        assert kept < all_spans
        assert len(kept) == copied["span"].n_kept == len(all_spans) - copied["span"].n_lost > 0
        assert {line.table for line in copied.values() if line.n_lost} == {"span"}
        assert _count(fresh, "label") == _count(before, "label") > 0
        assert {finding.check for finding in examine(fresh) if not finding.is_sound} <= {
            Check.UNDERIVED
        }


def _hashes(database: Database) -> set[int]:
    return {row["h"] for row in database.rows("select hash(span) as h from span")}


def _count(database: Database, table: str) -> int:
    return int(database.rows(f"select count(*) as n from {table}")[0]["n"])


def damaged(source: Path, target: Path) -> Path:
    """A copy in whose data some bytes are others, of a block that holds attributes of spans."""
    with Database.open(source) as database:
        [row] = database.rows(
            "select min(block_id) as n from pragma_storage_info('span') "
            "where column_name = 'attributes' and block_id >= 0"
        )
    data = bytearray(source.read_bytes())
    first = HEADER_BYTES + row["n"] * BLOCK_BYTES + 5_000
    for at in range(first, first + 64):
        data[at] ^= 0xFF
    target.write_bytes(data)
    return target
