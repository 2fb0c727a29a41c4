"""CNI: a pure function of content, nested in intensity, with the whitelist as law."""

import json
from dataclasses import fields, replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.observation import (
    PROFILES,
    ConfidenceOrigin,
    Context,
    CriticalityChecker,
    EntityRef,
    FragmentKind,
    NoiseRecord,
    RuleSet,
    SemanticFragment,
    SemanticSnapshot,
    ValueType,
    align,
    encode_snapshot,
    inject,
    replay,
)
from pipeline.observation.noise import uniform
from pipeline.observation.noise_log import NoiseOrigin
from replay_store.records import NoiseLog

SEED_V1 = PROFILES["seed-v1"]
NOBODY: frozenset[str] = frozenset()
LONG = "Departed the sorting centre in Guangzhou, on its way to the destination city"


def _fact(
    value: Any, value_type: ValueType, type_: str = "A", confidence: float = 0.9, **more: object
) -> SemanticFragment:
    values: dict[str, object] = {"kind": FragmentKind.FACT, "entity": EntityRef("order", "1")}
    return SemanticFragment(
        type=type_,
        value=value,
        confidence=confidence,
        confidence_origin=ConfidenceOrigin.GET,
        source=f"t.{type_.lower()}",
        tool="t",
        value_type=value_type,
        **(values | more),  # type: ignore[arg-type]
    )


VALUES = st.one_of(
    st.tuples(st.text(max_size=120), st.just(ValueType.STRING)),
    st.tuples(st.integers(-(10**9), 10**9), st.just(ValueType.NUMBER)),
    st.tuples(st.floats(-1e9, 1e9), st.just(ValueType.NUMBER)),
    st.tuples(st.dates(), st.just(ValueType.DATE)),
    st.tuples(st.datetimes(timezones=st.just(UTC)), st.just(ValueType.DATETIME)),
    st.tuples(st.sampled_from(["shipped", "pending"]), st.just(ValueType.ENUM)),
    st.tuples(st.booleans(), st.just(ValueType.BOOLEAN)),
)
FRAGMENTS = st.builds(
    lambda pair, type_, confidence, optional: _fact(
        pair[0], pair[1], type_, confidence, is_optional=optional
    ),
    VALUES,
    st.sampled_from(["A", "B", "STATUS", "KEY"]),
    st.sampled_from([0.3, 0.69, 0.7, 0.95]),
    st.booleans(),
)
SNAPSHOTS = st.lists(FRAGMENTS, max_size=12).map(align)
SEEDS = st.integers(0, 2**31)
INTENSITIES = st.floats(0, 1)
WHITELIST = frozenset({"STATUS", "KEY"})


@given(SNAPSHOTS, SEEDS, INTENSITIES)
def test_the_same_arguments_give_the_same_bytes(
    snapshot: SemanticSnapshot, seed: int, intensity: float
) -> None:
    first = inject(snapshot, SEED_V1, seed, intensity, WHITELIST)

    assert first == inject(snapshot, SEED_V1, seed, intensity, WHITELIST)


@given(SNAPSHOTS, SEEDS, INTENSITIES)
def test_a_replay_from_the_header_gives_identical_bytes(
    snapshot: SemanticSnapshot, seed: int, intensity: float
) -> None:
    made = inject(snapshot, SEED_V1, seed, intensity, WHITELIST)

    again = replay(snapshot, made.header)

    assert encode_snapshot(again.snapshot) == encode_snapshot(made.snapshot)
    assert (again.records, again.header) == (made.records, made.header)


@given(SNAPSHOTS, SEEDS)
def test_intensity_0_changes_nothing_and_logs_nothing(
    snapshot: SemanticSnapshot, seed: int
) -> None:
    made = inject(snapshot, SEED_V1, seed, 0.0, NOBODY)

    assert (made.snapshot, made.records) == (snapshot, [])


@given(SNAPSHOTS, SEEDS, INTENSITIES, INTENSITIES)
def test_noise_is_nested_in_intensity(
    snapshot: SemanticSnapshot, seed: int, one: float, other: float
) -> None:
    low, high = sorted((one, other))

    def hits(intensity: float) -> set[tuple[str, str, str | None]]:
        records = inject(snapshot, SEED_V1, seed, intensity, WHITELIST).records
        return {(record.fact_id, record.kind, record.injected_value) for record in records}

    assert hits(low) <= hits(high)


@given(SNAPSHOTS, SEEDS)
def test_the_whitelist_is_law(snapshot: SemanticSnapshot, seed: int) -> None:
    made = inject(snapshot, SEED_V1, seed, 1.0, WHITELIST)

    def critical(evidence: SemanticSnapshot) -> list[SemanticFragment]:
        return [fragment for fragment in evidence if fragment.type in WHITELIST]

    assert critical(made.snapshot) == critical(snapshot)
    assert {record.fact_type for record in made.records} & WHITELIST == set()


@given(SNAPSHOTS, SEEDS, INTENSITIES)
def test_no_noise_without_log_and_no_log_without_noise(
    snapshot: SemanticSnapshot, seed: int, intensity: float
) -> None:
    made = inject(snapshot, SEED_V1, seed, intensity, NOBODY)

    gone = {fragment.fact_id for fragment in snapshot} - {f.fact_id for f in made.snapshot}
    logged = {record.fact_id for record in made.records}
    assert gone <= logged
    assert made.header.n_hit == len(made.records) <= made.header.n_eligible
    assert (made.snapshot == snapshot) or made.records


@given(SNAPSHOTS, SEEDS)
def test_full_intensity_stays_within_the_seeds_table(snapshot: SemanticSnapshot, seed: int) -> None:
    before = {fragment.fact_id: fragment for fragment in snapshot}

    for record in inject(snapshot, SEED_V1, seed, 1.0, NOBODY).records:
        fact = before[record.fact_id]
        value: Any = fact.value
        after: Any = json.loads(record.injected_value or "null")
        match record.kind:
            case "DROP":
                assert after is None
                assert fact.is_optional
                assert fact.confidence < 0.7
            case "TRUNCATE":
                text = str(value)
                assert text.startswith(after)
                assert 0.5 * len(text) - 1 <= len(after) <= 0.7 * len(text) + 1
            case "JITTER_NUM":
                assert abs(after - value) <= abs(value) * 0.03 + 0.5
            case "JITTER_DATE":
                moved = type(value).fromisoformat(after[1])
                assert abs((moved - value).days) <= 1
            case _:
                assert (record.kind, after, fact.value_type) == ("LABEL_UNKNOWN", None, "enum")
                assert (record.confidence_after or 1) <= 0.3


@pytest.mark.parametrize(
    ("fact", "kind"),
    [
        (_fact("shipped", ValueType.ENUM, confidence=0.3, is_optional=True), "DROP"),
        (_fact(LONG, ValueType.STRING), "TRUNCATE"),
        (_fact(12500, ValueType.NUMBER), "JITTER_NUM"),
        (_fact(date(2024, 6, 15), ValueType.DATE), "JITTER_DATE"),
        (_fact("shipped", ValueType.ENUM), "LABEL_UNKNOWN"),
    ],
)
def test_each_kind_of_the_table_happens(fact: SemanticFragment, kind: str) -> None:
    (record,) = inject(align([fact]), SEED_V1, 1, 1.0, NOBODY).records

    assert record.kind == kind
    assert record.gate_u < 1.0
    assert not record.is_whitelisted


@pytest.mark.parametrize(
    "fact",
    [
        _fact("short", ValueType.STRING),
        _fact(LONG, ValueType.STRING, kind=FragmentKind.DERIVED),
        _fact(None, ValueType.ENUM, kind=FragmentKind.UNKNOWN, confidence=0.3),
        _fact("TIMEOUT", ValueType.ENUM, kind=FragmentKind.FAILED),
        _fact(True, ValueType.BOOLEAN),
        _fact(0, ValueType.NUMBER),
        _fact("***", ValueType.NUMBER),
    ],
)
def test_everything_else_stays_as_it_is(fact: SemanticFragment) -> None:
    assert inject(align([fact]), SEED_V1, 1, 1.0, NOBODY).records == []


def test_the_live_profile_leaves_labels_alone() -> None:
    snapshot = align([_fact("shipped", ValueType.ENUM)])

    assert inject(snapshot, PROFILES["seed-v1-live"], 1, 1.0, NOBODY).records == []


def test_a_moved_date_takes_its_business_time_along() -> None:
    day = datetime(2024, 6, 15, tzinfo=UTC)
    fact = _fact(date(2024, 6, 15), ValueType.DATE, valid_at=day)

    (moved,) = inject(align([fact]), SEED_V1, 1, 1.0, NOBODY).snapshot

    assert moved.valid_at is not None
    assert moved.valid_at.date() == moved.value != fact.value


def test_the_share_of_hits_is_the_intensity() -> None:
    facts = [_fact(1_000_000 + index, ValueType.NUMBER, f"T{index}") for index in range(2_000)]

    header = inject(align(facts), SEED_V1, 7, 0.3, NOBODY).header

    assert header.n_eligible == 2_000
    assert 520 <= header.n_hit <= 680


def test_a_record_fills_the_columns_of_the_noise_log() -> None:
    ledger = {"record_hash", "file_id", "record_index", "received_time_ns"}

    assert {f.name for f in fields(NoiseRecord)} == {f.name for f in fields(NoiseLog)} - ledger


def test_records_carry_where_they_were_made_but_noise_does_not_depend_on_it() -> None:
    snapshot = align([_fact(12500, ValueType.NUMBER)])
    origin = NoiseOrigin("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", 1)

    made = inject(snapshot, SEED_V1, 1, 1.0, NOBODY, origin)

    (record,) = made.records
    assert (record.trace_id, record.span_id, record.time_ns) == origin
    assert made.snapshot == inject(snapshot, SEED_V1, 1, 1.0, NOBODY).snapshot
    assert (record.snapshot_hash_before, record.snapshot_hash_after) == (
        snapshot.content_hash,
        made.snapshot.content_hash,
    )


@pytest.mark.parametrize("intensity", [-0.1, 1.1, float("nan")])
def test_an_intensity_outside_its_range_is_refused(intensity: float) -> None:
    with pytest.raises(ValueError, match="intensity"):
        inject(align([]), SEED_V1, 1, intensity, NOBODY)


def test_a_replay_on_another_snapshot_is_refused() -> None:
    header = inject(align([_fact(1, ValueType.NUMBER)]), SEED_V1, 1, 1.0, NOBODY).header

    with pytest.raises(ValueError, match="was made on"):
        replay(align([]), header)


def test_the_uniform_number_is_a_documented_function_of_its_key() -> None:
    assert uniform("gate", "a", 1) == 0.2642770183231371
    assert 0 <= uniform("mag") < 1


@pytest.mark.parametrize(
    ("intent", "critical"),
    [
        (None, {"ORDER_ID", "USER_ID", "STATUS"}),
        ("track_delivery", {"ORDER_ID", "USER_ID", "STATUS", "EST_DELIVERY"}),
        ("cancel_order", {"ORDER_ID", "USER_ID", "STATUS", "CANCELLATION_DEADLINE"}),
    ],
)
def test_the_intent_decides_what_is_critical(
    rules: RuleSet, intent: str | None, critical: set[str]
) -> None:
    context = Context(intent=intent)

    assert CriticalityChecker(rules).check(context) == critical
    assert CriticalityChecker(rules).check(replace(context, values={"a": "b"})) == critical
