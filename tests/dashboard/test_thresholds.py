"""Thresholds on recorded numbers: what moving one flips is what the parser would say."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.errors import DictionaryEditError
from dashboard.tuning.thresholds import (
    Banded,
    Measured,
    banded,
    flips,
    measured,
    nice_step,
    wanted_types,
)
from dashboard.views.dictionaries.bands_text import Threshold
from dashboard.views.dictionaries.edit import Place, edited, moved_bands
from dashboard.views.dictionaries.keys_text import Block
from pipeline.observation import RuleFileError, load_rules, package_rule_texts, package_rules
from pipeline.observation.bands import Band
from replay_store import Database
from replay_store.backtest import backtest
from replay_store.rule_values import RecordedValues, recorded_values
from tests.observed import answer, emit

RULES = package_rules()
TEXTS = package_rule_texts()
DOMAIN = "domain.yaml"
STOCK, SALES = (
    next(b for b in banded(RULES) if b.name == n) for n in ("STOCK_STATUS", "SALES_STATUS")
)
STOCK_PLACE = Place(DOMAIN, "STOCK_STATUS", Block.DERIVED)
SCALE = {
    **TEXTS,
    "scale.yaml": """
name: scale
fact_types: {WEIGHT: {label: Weight}}
output_schema:
  - name: kg
    fact_type: WEIGHT
    type: number
    bands:
      - {up_to: 5, code: light}
      - {above: 5, code: heavy}  # a comment
""",
}


@pytest.fixture
def stock(tmp_path: Path) -> Iterator[Database]:
    """Stock at 0.5, 0.9, 0.9 and 1.5 times the safety level, and one without a level."""
    with Database.open() as database:
        bodies = [
            {"province": "A", "current_stock": n, "min_safe_level": 100} for n in (50, 90, 90, 150)
        ]
        bodies.append({"province": "B", "current_stock": 10})
        emit(database, tmp_path, [[answer("query_inventory", body)] for body in bodies])
        yield database


def recorded(database: Database, found: Banded) -> tuple[Measured, ...]:
    types = wanted_types(RULES, found)
    return measured(RULES, found, recorded_values(database, types, 0, 2**62))


def test_a_formula_is_worked_out_over_what_was_recorded(stock: Database) -> None:
    numbers = recorded(stock, STOCK)

    assert [(float(item.value), item.n) for item in numbers] == [(0.5, 1), (0.9, 2), (1.5, 1)]
    assert len(numbers[1].trace_ids) == 2
    assert recorded(stock, SALES) == ()


def test_flips_are_what_a_back_test_counts(stock: Database) -> None:
    edit = Threshold(0, "0.95")
    [flip] = flips(STOCK.bands, moved_bands(STOCK.bands, edit), recorded(stock, STOCK))
    assert (flip.before.code, flip.after.code, flip.n, flip.n_traces) == (
        "warning",
        "critical",
        2,
        2,
    )

    impact = backtest(stock, RULES, load_rules(edited(TEXTS, STOCK_PLACE, edit)))

    assert (impact.n_facts_changed, impact.n_traces_changed) == (2, 2)


@settings(deadline=None, max_examples=60)
@given(
    values=st.lists(st.decimals(0, 3, places=2), min_size=1, max_size=20),
    at=st.decimals(0, 1, places=2),
)
def test_a_flip_is_a_number_that_two_sets_of_thresholds_name_differently(
    values: list[object], at: object
) -> None:
    numbers = [Measured(Fraction(str(v)), 1, frozenset({str(v)}), ("t", "s")) for v in values]
    after = moved_bands(STOCK.bands, Threshold(0, str(at)))

    found = flips(STOCK.bands, after, numbers)

    differing = [n for n in numbers if code_of(STOCK.bands, n) != code_of(after, n)]
    assert sum(flip.n for flip in found) == len(differing)


def code_of(bands: Iterable[Band], number: Measured) -> str:
    return next(band.code for band in bands if band.holds(number.value))


@pytest.mark.parametrize(
    ("texts", "place", "edit", "old", "new"),
    [
        (TEXTS, STOCK_PLACE, Threshold(0, "0.9"), "0.8", "0.9"),
        (TEXTS, STOCK_PLACE, Threshold(1, "1.5"), "1.2", "1.5"),
        (
            TEXTS,
            Place(DOMAIN, "SALES_STATUS", Block.DERIVED),
            Threshold(0, "60000"),
            "50000",
            "60000",
        ),
        (SCALE, Place("scale.yaml", "kg"), Threshold(0, "7.5"), "5", "7.5"),
    ],
)
def test_a_threshold_is_moved_on_both_sides_and_nothing_else_is(
    texts: dict[str, str], place: Place, edit: Threshold, old: str, new: str
) -> None:
    made = edited(texts, place, edit)

    assert {name for name in made if made[name] != texts[name]} == {place.file}
    changed = [
        (a, b)
        for a, b in zip(texts[place.file].splitlines(), made[place.file].splitlines(), strict=True)
        if a != b
    ]
    assert len(changed) == 2
    assert all(b == a.replace(old, new, 1) for a, b in changed)


@pytest.mark.parametrize(
    ("place", "edit", "problem"),
    [
        (STOCK_PLACE, Threshold(2, "3"), "there are 2"),
        (STOCK_PLACE, Threshold(0, "x"), "expected a number"),
        (Place(DOMAIN, "STOCK_MARGIN", Block.DERIVED), Threshold(0, "3"), "there are 0"),
        (Place(DOMAIN, "NOTHING", Block.DERIVED), Threshold(0, "3"), "no such entry"),
        (Place("order_status.yaml", "status"), Threshold(0, "3"), "no such entry"),
    ],
)
def test_a_threshold_that_is_not_there_is_refused(
    place: Place, edit: Threshold, problem: str
) -> None:
    with pytest.raises(DictionaryEditError, match=problem):
        edited(TEXTS, place, edit)


@pytest.mark.parametrize("value", ["1.2", "1.3"])
def test_thresholds_that_would_overlap_are_refused_by_place(value: str) -> None:
    with pytest.raises(RuleFileError, match=r"derived\[0\]\.bands"):
        edited(TEXTS, STOCK_PLACE, Threshold(0, value))


def test_what_two_sources_say_differently_is_no_number(
    tmp_path: Path, empty_store: Database
) -> None:
    body = {"province": "A", "current_stock": 50, "min_safe_level": 100}
    both = [
        answer("query_inventory", body),
        answer("check_inventory", body | {"current_stock": 60}),
    ]
    emit(empty_store, tmp_path, [both])

    assert recorded(empty_store, STOCK) == ()


def test_numbers_of_a_field_with_thresholds_are_what_the_tool_gave() -> None:
    rules = load_rules(SCALE)
    [scale] = [found for found in banded(rules) if found.name == "kg"]
    values = [
        RecordedValues({"WEIGHT": text}, 1, frozenset({"t"}), ("t", "s"))
        for text in ("6.5", '"x"', "true", "null", "", "NaN")
    ]

    assert [float(item.value) for item in measured(rules, scale, values)] == [6.5]
    assert wanted_types(rules, scale) == ("WEIGHT",)


@pytest.mark.parametrize(
    ("low", "high", "step"),
    [(0, 2, 0.01), (0, 100_000, 500), (0, 3, 0.02), (1, 1, 0.01), (-5, 5, 0.05)],
)
def test_a_slider_moves_in_round_steps(low: float, high: float, step: float) -> None:
    assert nice_step(low, high) == pytest.approx(step)
