"""What rollups say equals what rows say, whatever was sealed, opened again or removed in between."""

import hashlib
import itertools
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import metrics.rollups
from metrics import (
    HOUR_NS,
    Part,
    Promise,
    Scope,
    Thresholds,
    behind_count,
    latency_p95_call,
    promised_p95,
    report,
)
from metrics.buckets import DAY_NS
from metrics.latency_buckets import start_ns
from metrics.once import Once
from metrics.rollups import Rollups, best_of, stretches
from metrics.statements import Row, answer
from metrics.statements import Store as Asked
from metrics.statements import statement as asked_text
from metrics.trend import tool_trend
from replay_store.database import Database
from replay_store.derive import open_retired, seal
from replay_store.derive.rollups import open_again
from replay_store.reader import TraceFilter
from replay_store.statements import statement
from replay_store.trace_counts import count_traces, trace_counts
from tests.metrics.conftest import Store, trace_id

DAYS: Final = Scope(19_680 * DAY_NS, 19_690 * DAY_NS)
"""Ten days from a midnight; the store's rows begin in the middle of the ninth day of them."""
SCOPES: Final = (
    DAYS,
    Scope(19_675 * DAY_NS + 7 * HOUR_NS, 19_688 * DAY_NS + 5 * HOUR_NS),
    Scope(19_676 * DAY_NS - 5 * HOUR_NS, 19_676 * DAY_NS + 3 * HOUR_NS),
)
OF_TOOLS: Final = (
    "after_error",
    "degradation_share",
    "idempotency_honesty",
    "quota_used",
    "retry_kinds",
    "series/deploys",
)
"""Those that the Overview does not ask."""
NAMES: Final = (
    "call_count",
    "error_classes",
    "futile_retries",
    "guard_hits",
    "latency_p95_attempt",
    "latency_p95_call",
    "latency_p95_model",
    "retry_rate",
    "steps_histogram",
    "steps_per_task",
    "tool_table",
    *OF_TOOLS,
    "observation_health",
    "parse_p95",
)
QUANTILES: Final = ("value_ns", "low_ns", "high_ns")
BOUNDS: Final = ("low_ns", "high_ns")
REASONS: Final = ("no_start_time", "pseudo_tool", "blocked", "unfinished", "negative_duration")
NOT_KEPT: Final = {"is_approximate", "n_slow"}


@dataclass(frozen=True)
class Moment:
    """What happens after some traces came."""

    n_sealed: int
    """How many stay open after a seal; -1 for no seal."""
    reopened: tuple[int, ...]
    retired: tuple[int, ...]


class World:
    """Rows of random traces, with everything that a figure tells apart."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store = store
        self.draw = random.Random(seed)  # noqa: S311 - rows, no secret
        self.tasks: dict[int, str] = {}

    def trace(self, number: int) -> None:
        """One trace, perhaps over several hours or days, perhaps without times, of a shared task."""
        draw = self.draw
        at = draw.choice([None, *(draw.uniform(-8, 8) * 86_400 for _ in range(9))])
        task = draw.choice([None, None, None, "task", trace_id(0), trace_id(number + 1)])
        self.tasks[number] = task or trace_id(number)
        self.store.trace(
            number,
            start=at,
            steps=draw.choice([None, 1, 2, 3, 9]),
            finished=draw.random() < 0.8,
            task=task,
            longest_identical_run=draw.choice([0, 1, 3]),
            error_type=draw.choice([None, None, "AUTH"]),
            call_error_types=draw.choice([None, [], ["AUTH", "TIMEOUT"]]),
            fault_signs=draw.choice([[], ["timeout"], ["conflict", "timeout"]]),
        )
        spread = draw.choice([10.0, 10.0, 7_200.0, 200_000.0])
        for index, start in enumerate(self._about_in_order(at, spread, draw.randrange(8))):
            self._call(number, index, start)
            self.store.decision(
                number,
                index,
                time=self._time(at, spread),
                pseudo=draw.random() < 0.1,
                model=draw.choice([None, "small", "large"]),
            )
        for _ in range(draw.randrange(3)):
            self.store.model_call(
                number, start=self._time(at, spread), seconds=self._seconds(), lat_bucket=1
            )
        for index in range(draw.randrange(3)):
            self.store.guard(
                number,
                index,
                time=self._time(at, spread),
                decision=draw.choice(["allow", "block", "unknown"]),
                rule=draw.choice([None, "quota", "danger"]),
                synthetic=draw.random() < 0.1,
                tool=draw.choice([None, "search", "refund"]),
            )
        for _ in range(draw.randrange(4)):
            self._observation(number, self._time(at, spread))

    def _observation(self, number: int, time: float | None) -> None:
        """One observation, perhaps of two versions that tell of different cells, perhaps read again."""
        draw, span_id = self.draw, None
        for version in range(1, draw.choice([2, 2, 2, 3])):
            multi = draw.randrange(4)
            cells = multi + draw.choice([0, 0, 3, 20_000])
            span_id = self.store.observation(
                number,
                time=time,
                cells=cells,
                multi=multi,
                conflicts=draw.randrange(multi + 1),
                unknown=draw.randrange(min(cells, 2) + 1),
                confidence=draw.choice([None, round(draw.random(), 3)]),
                parse_ms=draw.choice([None, draw.lognormvariate(0, 2)]),
                noise_hits=draw.choice([None, 0, 2]),
                span_id=span_id,
                version=version,
                end=draw.choice([None, 1, 2]),
            )
        if span_id is not None and draw.random() < 0.3:
            self.store.reread(number, span_id, version="second", cells=draw.randrange(5))

    def _call(self, number: int, index: int, start: float | None) -> None:
        draw = self.draw
        tool = draw.choice(["search", "refund"])
        is_again = index > 0 and draw.random() < 0.4
        attempts = draw.choice([0, 1, 1, 3])
        self.store.call(
            number,
            index,
            start=start,
            seconds=self._seconds(),
            status=draw.choice(["ok", "ok", "error", "blocked", "unknown"]),
            attempts=attempts,
            root=draw.randrange(index) if is_again else None,
            retry_of=index - 1 if is_again else None,
            retry_kind=draw.choice(["explicit", "identical"]) if is_again else None,
            tool=tool,
            executed=draw.random() < 0.9,
            pseudo=draw.random() < 0.1,
            error_type=draw.choice([None, "TIMEOUT", "not_found"]),
            arguments_hash=draw.choice([None, 1, 2]),
            turn_index=draw.choice([None, index, index]),
            caller=draw.choice([None, "shop", "robot"]),
            degradation=draw.choice([None, None, "L1", "L3", "other"]),
            contract_version=draw.choice([None, "1.0", "1.1", f"2.{number}"]),
            **self._key(number),
        )
        for attempt in range(attempts):
            self.store.attempt(
                number,
                index,
                attempt,
                start=start,
                seconds=self._seconds(),
                status=draw.choice(["ok", "error"]),
                error_type=draw.choice([None, "AUTH"]),
                tool=tool,
            )

    def _key(self, number: int) -> dict[str, object]:
        """A step, perhaps of several calls, with its own key, with another or without."""
        step = self.draw.choice([None, 0, 1])
        own = hashlib.sha256(f"{self.tasks[number]}:{step}".encode()).hexdigest()[:32]
        return {
            "step_index": step,
            "idempotency_key": self.draw.choice([None, own, own, "made up"]),
        }

    def _about_in_order(self, at: float | None, spread: float, n: int) -> list[float | None]:
        """When calls begin: about in the order of their numbers, which derive gives them by turns.

        Calls of one turn run side by side: a later try of the same may begin before the first.
        """
        times = [self._time(at, spread) for _ in range(n)]
        known = iter(sorted(time for time in times if time is not None))
        return [
            None if time is None else next(known) + self.draw.uniform(0, 3_500.0) for time in times
        ]

    def _time(self, at: float | None, spread: float) -> float | None:
        if at is None or self.draw.random() < 0.1:
            return None
        return at + self.draw.uniform(0, spread)

    def _seconds(self) -> float | None:
        return self.draw.choice([None, -1, *(self.draw.lognormvariate(0, 2) for _ in range(6))])


_EVER: Final = dict.fromkeys(("first_ns", "known_first_ns"), 0) | dict.fromkeys(
    ("last_ns", "known_last_ns"), 2**62
)


def _derived(store: Store, numbers: range) -> None:
    """What derive does last with traces it has just derived."""
    with store.database.transaction() as cursor:
        ids = [trace_id(number) for number in numbers]
        cursor.execute(
            "create or replace temp table chosen as select unnest($ids)::uuid as trace_id",
            {"ids": ids},
        )
        cursor.execute(statement("derive/call_retry"))
        cursor.execute(statement("derive/observed"), _EVER)
        cursor.execute(statement("derive/rollup/named"))
        if cursor.execute("select 1 from rolled limit 1").fetchall():
            open_again(cursor)


def _happen(database: Database, moment: Moment) -> None:
    if moment.n_sealed >= 0:
        seal(database, quiet_before_ns=0, most_open=moment.n_sealed)
    for numbers, is_removed in ((moment.reopened, False), (moment.retired, True)):
        with database.transaction() as cursor:
            ids = [trace_id(number) for number in numbers]
            cursor.execute(
                "create or replace temp table retired as select unnest($ids)::uuid as trace_id",
                {"ids": ids},
            )
            open_retired(cursor)
            if is_removed:
                cursor.execute("create or replace temp table chosen as from retired")
                cursor.execute(statement("derive/forget_open"))
                cursor.execute("delete from observation where trace_id in (from chosen)")


def _clear(database: Database) -> None:
    with database.transaction() as cursor:
        for row in database.rows("select table_name from duckdb_tables()"):
            name = row["table_name"]
            is_part = name.startswith(("rollup_", "task_part", "label"))
            is_part |= name in ("span", "observation", "reread", "rule_pointer", "tier_file")
            if name.endswith(("_open", "_sealed")) or is_part:
                cursor.execute(f"delete from {name}")


def _rows(
    database: Asked,
    name: str,
    scope: Scope,
    slow_ns: int | None = None,
    reading: str = "recorded",
) -> dict[tuple[Any, ...], Row]:
    quantiles = {"q": 0.95, "q_low": 0.9, "q_high": 0.97, "slow_ns": slow_ns}
    extra: dict[str, Any] = quantiles | {"day_offset_ns": HOUR_NS, "reading": reading}
    width = HOUR_NS if scope.end_time_ns - scope.start_time_ns < DAY_NS else DAY_NS
    found = answer(database, name, scope, bucket_ns=width, **extra)
    cuts = (
        *("is_now", "rule", "tool_name", "error_type", "caller", "day_time_ns", "bucket_time_ns"),
    )
    by_itself = {"steps_histogram": ("n_steps",), "series/deploys": ("kind", "name", "version")}
    keys = by_itself.get(name, cuts)
    if name == "latency_p95_attempt" and scope.tool_name is None:
        found = [row for row in found if row["tool_name"] is None]
    if name == "guard_hits" and scope.tool_name is None:
        found = _over_tools(found)
    # Nothing is drawn of the time buckets of the period before.
    found = [row for row in found if not _is_whole_bucket_before(row)]
    if name == "retry_rate":
        # Rollups tell retries over time of one tool when it is asked about by itself.
        found = [row for row in found if row["tool_name"] is None or row["bucket_time_ns"] is None]
    return {tuple(row.get(key) for key in keys): row for row in found}


def _is_whole_bucket_before(row: Row) -> bool:
    is_whole = row.get("tool_name") is None and row.get("rule") is None
    return is_whole and row.get("bucket_time_ns") is not None and not row["is_now"]


def _over_tools(rows: list[Row]) -> list[Row]:
    """Each rule in a time bucket over all its tools, as rollups tell it."""
    is_of_bucket = [row["rule"] is not None and row["bucket_time_ns"] is not None for row in rows]
    found = [row for row, is_split in zip(rows, is_of_bucket, strict=True) if not is_split]
    merged: dict[tuple[Any, ...], Row] = {}
    for row in itertools.compress(rows, is_of_bucket):
        key = (row["is_now"], row["rule"], row["bucket_time_ns"])
        cut = {"is_now": key[0], "rule": key[1], "tool_name": "", "bucket_time_ns": key[2]}
        own = merged.setdefault(key, cut | {"n": 0, "numerator": 0, "denominator": 0})
        for name in ("n", "numerator", "denominator"):
            own[name] += row[name]
    return [*found, *(row for row in merged.values() if row["n"])]


def _assert_equal(rolled: Row, row: Row) -> None:
    for name, value in row.items():
        if name in NOT_KEPT or (value is None and not rolled.get(name)):
            continue
        if name in BOUNDS and name not in rolled:
            continue
        if name == "total_ns" and row.get("tool_name") is not None:
            assert rolled[name] is None
            continue
        if name in QUANTILES and row["n"]:
            assert math.isclose(rolled[name], value, rel_tol=0.01, abs_tol=1)
        elif name not in QUANTILES:
            assert rolled[name] == pytest.approx(value), name


def _assert_equal_answers(over: Asked, rows: Asked, name: str, scope: Scope) -> None:
    rolled, plain = (_rows(store, name, scope) for store in (over, rows))
    assert rolled.keys() == plain.keys(), name
    for key, row in plain.items():
        _assert_equal(rolled[key], row)
    if name.startswith(("latency", "parse")):
        _assert_equal_of_whole(over, rows, name, scope)


def _assert_equal_of_whole(over: Asked, rows: Asked, name: str, scope: Scope) -> None:
    """Whole periods, once it is known what is slow: with the interval and the slow ones."""
    rolled, plain = (_rows(store, name, scope, 10**9) for store in (over, rows))
    assert {key[1:] for key in rolled} <= {(None,) * 6}
    for is_now in (0, 1):
        key = (is_now, *[None] * 6)
        if plain.get(key, {}).get("n"):
            assert rolled[key].keys() >= set(QUANTILES)
            _assert_equal(rolled[key], plain[key])


def _assert_equal_of_tool(over: Asked, rows: Asked, scope: Scope) -> None:
    """What is asked of one tool: its retries, its durations, and how they went."""
    retries = [_rows(store, "retry_rate", scope) for store in (over, rows)]
    assert retries[0].keys() == retries[1].keys()
    for key, row in retries[1].items():
        _assert_equal(retries[0][key], row)
    for name in ("latency_p95_attempt", "latency_p95_call"):
        times = [_rows(store, name, scope) for store in (over, rows)]
        for key, row in times[1].items():
            rolled = times[0].get(key, {"n": 0})
            assert rolled["n"] == row["n"]
            assert not row["n"] or math.isclose(rolled["value_ns"], row["value_ns"], rel_tol=0.01)
            if key[-1] is None:
                assert {reason: rolled[reason] for reason in REASONS} == {
                    reason: row[reason] for reason in REASONS
                }
    for name in ("call_count", "error_classes", "futile_retries", "guard_hits", *OF_TOOLS):
        said = [_rows(store, name, scope) for store in (over, rows)]
        assert said[0].keys() == said[1].keys(), name
        for key, row in said[1].items():
            _assert_equal(said[0][key], row)


def _assert_equal_once_read_again(database: Database) -> None:
    for scope, reading in itertools.product(SCOPES, ("recorded", "current")):
        stores = (Rollups(database), Once(database))
        over, rows = (
            _rows(store, "observation_health", scope, reading=reading) for store in stores
        )
        assert over.keys() == rows.keys()
        for key, row in rows.items():
            _assert_equal(over[key], row)


def _assert_equal_counts(database: Database) -> None:
    """What a list of traces counts: told by their ids it is read from them."""
    layers = {"timeout": "execution", "conflict": "observation"}
    ids = tuple(trace_id(number) for number in range(60))
    assert database.rows(statement("sql/alike_whole")) == [{"is_whole": True}]
    for scope in (*SCOPES, None):
        wanted = (
            TraceFilter(start_time_ns=scope.start_time_ns, end_time_ns=scope.end_time_ns)
            if scope
            else TraceFilter()
        )
        of_ids = replace(wanted, trace_ids=ids)
        assert trace_counts(database, wanted, layers) == trace_counts(database, of_ids, layers)
        assert count_traces(database, wanted) == count_traces(database, of_ids)


_NUMBERS: Final = st.lists(st.integers(0, 40), max_size=3).map(tuple)
_MOMENTS: Final = st.lists(
    st.builds(Moment, st.integers(-1, 12), _NUMBERS, _NUMBERS), min_size=1, max_size=3
)


@pytest.mark.slow
@settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(seed=st.integers(0, 2**32), moments=_MOMENTS)
def test_rollups_and_rows_give_the_same_answers(
    shared_store: Store, seed: int, moments: list[Moment]
) -> None:
    database = shared_store.database
    _clear(database)
    world = World(shared_store, seed)
    for place, moment in enumerate(moments):
        numbers = range(place * 14, place * 14 + 14)
        for number in numbers:
            world.trace(number)
        _derived(shared_store, numbers)
        _happen(shared_store.database, moment)
    for scope in SCOPES:
        over, rows = Rollups(database), Once(database)
        for name in NAMES:
            _assert_equal_answers(over, rows, name, scope)
        for tool in ("search", "refund"):
            _assert_equal_of_tool(over, rows, replace(scope, tool_name=tool))
            for key in ("retry_rate", "retry_success_rate"):
                trends = [tool_trend(store, key, scope, tool) for store in (over, rows)]
                assert trends[0] == trends[1], key
        for rule, is_of_hits in itertools.product(("", "quota", "danger"), (True, False)):
            given = {"rule": rule, "is_of_hits": is_of_hits}
            said = [answer(store, "guard_silence", scope, **given) for store in (over, rows)]
            assert said[0] == said[1], given
    _assert_equal_counts(database)
    shared_store.pointer("second")
    _assert_equal_once_read_again(shared_store.database)


def test_observations_are_told_from_rows_where_rollups_lack_them(store: Store) -> None:
    given = {"bucket_ns": DAY_NS, "tool_name": None, "reading": "recorded"}
    span_id = store.observation(1, cells=2)
    answered = Rollups(store.database).answer_of
    assert answered("observation_health", DAYS, given) == []
    assert answered("parse_p95", DAYS, given) == []

    store.reread(1, span_id, version="second")
    store.pointer("second")
    answered = Rollups(store.database).answer_of
    assert answered("observation_health", DAYS, given) == []
    assert answered("observation_health", DAYS, given | {"reading": "current"}) is None
    assert answered("parse_p95", DAYS, given | {"reading": "current"}) == []

    with store.database.transaction() as cursor:
        cursor.execute(
            "insert into tier_file by name select 1 as part_id, 1 as day, 'observation' as table_name, "
            "'' as path, 1 as n_rows, 1 as n_bytes, [] as column_names, 1 as moved_time_ns"
        )
    answered = Rollups(store.database).answer_of
    assert answered("observation_health", DAYS, given) is None
    assert answered("parse_p95", DAYS, given) is None


def test_what_opens_again_leaves_nothing_behind(shared_store: Store) -> None:
    database = shared_store.database
    _clear(database)
    world = World(shared_store, 7)
    for number in range(30):
        world.trace(number)
    _derived(shared_store, range(30))
    _happen(shared_store.database, Moment(0, (), ()))
    assert database.row("select count(*) as n from trace_open") == {"n": 0}
    assert database.row("select sum(n) > 0 as is_full from rollup_call") == {"is_full": True}
    _happen(database, Moment(-1, tuple(range(30)), ()))
    for table in (
        "call",
        "count",
        "time",
        "time_day",
        "tool_time",
        "tool_count",
        "share",
        "share_day",
        "crossing",
        "task",
    ):
        assert database.rows(f"from rollup_{table}") == [], table
    assert database.rows("from task_part") == []
    assert database.rows("from labelled_decision") == []


@given(start=st.integers(0, 2_000), length=st.integers(1, 1_500))
def test_stretches_tile_a_period_and_the_one_before_it(start: int, length: int) -> None:
    first = 490_000 + start
    found = stretches(Scope(first * HOUR_NS, (first + length) * HOUR_NS))
    lengths = {int(name.removeprefix("hours_")): starts for name, starts in found.items()}
    tiled = [hour + n for size, starts in lengths.items() for hour in starts for n in range(size)]
    assert sorted(tiled) == list(range(first - length, first + length))
    assert all(hour % size == 0 for size, starts in lengths.items() for hour in starts)
    assert not any(
        hour < first < hour + size for size, starts in lengths.items() for hour in starts
    )


@pytest.mark.slow
@settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(seed=st.integers(0, 2**32), moments=_MOMENTS)
def test_what_labels_say_does_not_depend_on_when_traces_were_sealed(
    shared_store: Store, seed: int, moments: list[Moment]
) -> None:
    database = shared_store.database
    _clear(database)
    world = World(shared_store, seed)
    for place, moment in enumerate(moments):
        numbers = range(place * 14, place * 14 + 14)
        for number in numbers:
            world.trace(number)
        for number in world.draw.sample(range(place * 14 + 20), 12):
            shared_store.label(number, world.draw.randrange(4), by=f"ann {place}")
        _derived(shared_store, numbers)
        _happen(shared_store.database, moment)
    judged = "from judged_decision order by all"
    found = database.rows(judged)
    with database.transaction() as cursor:
        cursor.execute("create or replace temp table rolled as select trace_id from trace_sealed")
        open_again(cursor)
    assert database.rows("from labelled_decision") == []
    assert database.rows(judged) == found
    assert {row["reason"] for row in found} & {"counted", "decision_not_stored"}


def test_a_large_period_is_read_from_rollups_and_says_what_is_approximate(
    shared_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = shared_store.database
    _clear(database)
    for number in range(300):
        shared_store.trace(number, start=number)
        shared_store.call(number, 0, start=number, seconds=1 + number / 50, tool="search")
    seal(shared_store.database, quiet_before_ns=0, most_open=0)
    exact = latency_p95_call(database, SCOPES[1])
    monkeypatch.setattr(metrics.rollups, "LARGE", 10)
    found = report(database, SCOPES[1]).latency.call
    assert (exact.is_approximate, found.is_approximate) == (False, True)
    assert found.value == pytest.approx(exact.value, rel=0.01)
    assert found.n == exact.n == 300
    linked = behind_count(database, "latency_p95_call", Part.NUMERATOR, SCOPES[1])
    assert linked.units == found.numerator > 0
    assert isinstance(best_of(database, SCOPES[1]), Rollups)
    uneven = Scope(DAYS.start_time_ns + 1, DAYS.end_time_ns)
    assert not isinstance(best_of(database, uneven), Rollups)


def test_one_tool_of_a_large_period_is_cut_from_what_was_asked_of_all(shared_store: Store) -> None:
    database = shared_store.database
    _clear(database)
    for number in range(300):
        tool = "pay" if number % 3 else "search"
        shared_store.call(number, 0, start=number, seconds=1 + number / 50, tool=tool)
    shared_store.call(300, 0, start=1, status="blocked", tool="pay")
    for number in range(301):
        shared_store.trace(number, start=number)
    seal(shared_store.database, quiet_before_ns=0, most_open=0)
    slas = Thresholds(promises=(Promise("pay", 6_000), Promise("search", 9_000)))
    asked: list[str] = []
    exact = promised_p95(database, SCOPES[1], slas)
    rolled = promised_p95(Rollups(Counting(database, asked)), SCOPES[1], slas)

    assert [item.tool_name for item in rolled] == ["pay", "search"]
    for one, other in zip(exact, rolled, strict=True):
        assert one.metric.interval is not None
        assert other.metric.interval is not None
        assert other.metric.value == pytest.approx(one.metric.value, rel=0.01)
        assert other.metric.interval.low == pytest.approx(one.metric.interval.low, rel=0.01)
        assert other.metric.interval.high == pytest.approx(one.metric.interval.high, rel=0.01)
        assert other.metric.exclusions == one.metric.exclusions
        assert (other.metric.n, other.metric.state) == (one.metric.n, one.metric.state)
    assert sorted(asked) == ["rolled/calls", "rolled/times_by_tool"]


class Counting:
    """A store that tells which texts it was asked."""

    def __init__(self, database: Database, asked: list[str]) -> None:
        self._database = database
        self._asked = asked

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        names = ("rolled/calls", "rolled/times", "rolled/times_by_tool")
        self._asked.extend(name for name in names if asked_text(name) == sql)
        return self._database.rows(sql, parameters)


@pytest.mark.parametrize("duration_ns", [1, 999, 1_000, 1_021, 50_000, 10**6 + 1, 10**9, 10**11])
def test_a_bucket_begins_where_the_store_says(store: Store, duration_ns: int) -> None:
    def bucket(value: int) -> int:
        row = store.database.row("select latency_bucket($v::bigint) as b", {"v": value})
        assert row is not None
        return int(row["b"])

    own = bucket(duration_ns)
    row = store.database.row("select bucket_middle_ns($b) as middle_ns", {"b": own})
    assert row is not None
    start = start_ns(row["middle_ns"])
    assert bucket(start) == own
    assert start == 0 or bucket(start - 1) == own - 1 or own == 0
