"""Rule files: the seed's as it stands, bad ones by name, thresholds and formulas by law."""

from copy import deepcopy
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.observation import (
    Context,
    RuleFileError,
    RuleSet,
    ToolOutput,
    lint_rules,
    load_folder,
    load_rules,
    map_value,
    package_rule_texts,
    package_rules,
    parse,
)
from pipeline.observation.bands import Band, band_of, cover_problem
from pipeline.observation.expression import ExpressionError, compile_expression
from pipeline.observation.fragment import CONFIDENCE, ConfidenceOrigin
from pipeline.observation.rules.yaml_text import read_yaml

SEED_YAML = """\
name: order_status_api
input_schema:
  - name: order_id
    type: string
    required: true
output_schema:
  - name: status
    type: enum
    values: [pending, shipped, delivered, cancelled]
    mapping: # 业务映射表
      pending: 待支付
      shipped: 已发货
      delivered: 已签收
      cancelled: 已取消
    confidence: 0.98
  - name: estimated_delivery
    type: date
    confidence: 0.95
  - name: logistics_info
    type: list
    item_schema:
      - name: time
        type: datetime
      - name: event
        type: string
    extract_strategy: latest_by_time # 特殊策略，取 time 最大的项
    confidence: 0.90
"""


def test_the_seeds_yaml_loads_as_it_stands(order_body: dict[str, object]) -> None:
    rules = load_rules({"order_status.yaml": SEED_YAML})

    facts = parse(ToolOutput("order_status_api", None, None, order_body), rules, Context())

    assert [(f.type, f.text or f.value, f.confidence) for f in facts] == [
        ("STATUS", "已发货", 0.98),
        ("ESTIMATED_DELIVERY", facts[1].value, 0.95),
        ("LOGISTICS_INFO", "In transit to destination", 0.90),
    ]
    assert {str(fact.entity) for fact in facts} == {"order:12345"}


def test_beside_the_packages_fact_types_it_says_what_the_seed_says(
    order_body: dict[str, object],
) -> None:
    texts = package_rule_texts() | {"order_status.yaml": SEED_YAML}

    facts = parse(
        ToolOutput("order_status_api", None, None, order_body), load_rules(texts), Context()
    )

    assert [fact.type for fact in facts] == ["STATUS", "EST_DELIVERY", "LATEST_EVENT"]


def test_the_packages_rules_are_version_0_and_their_hash_depends_on_every_text() -> None:
    rules = package_rules()
    changed = {**package_rule_texts(), "order_status.yaml": SEED_YAML}

    assert rules.version == "0"
    assert load_rules(package_rule_texts()).sha256 == rules.sha256
    assert load_rules(changed).sha256 != rules.sha256
    assert load_rules(changed).version == load_rules(changed).sha256[:12]


def test_what_was_read_is_the_readers_own_however_often_a_text_is_read() -> None:
    first = read_yaml("one.yaml", SEED_YAML)
    held = deepcopy(first)
    first["output_schema"][0]["mapping"].clear()

    assert read_yaml("another.yaml", SEED_YAML) == held


def test_every_fact_type_of_the_package_has_a_name_in_both_languages(rules: RuleSet) -> None:
    assert [
        known.name
        for known in rules.fact_types.values()
        if {language for language, _ in known.label} != {"zh", "en"}
    ] == []


def _tool(field: str, more: str = "") -> str:
    return f"name: t\n{more}\noutput_schema:\n  - {{name: a, {field}}}\n"


BANDS = "type: number, bands: "
BAD_FILES = {
    "no YAML": ("a: [", "line 1, column 5", "expected the node content", ""),
    "no mapping": ("- a", "whole file", "holds no mapping", "domain: ..."),
    "an alias": ("a: &x 1\nb: *x", "line 2, column 4", "aliases", ""),
    "a key twice": ("name: a\nname: b", "line 2, column 1", "'name' stands twice", ""),
    "no output": ("name: t", "output_schema", "is missing", ""),
    "an unknown key": (
        _tool("type: string, fromat: x"), "output_schema[0]", "unknown key 'fromat'", "formats",
    ),
    "an unknown type": (
        _tool("type: strnig"), "output_schema[0].type", "'strnig'", "boolean",
    ),
    "an unknown strategy": (
        _tool("type: list, extract_strategy: newest"), "output_schema[0].extract_strategy",
        "'newest'", "latest_by_time",
    ),
    "no strategy": (_tool("type: list"), "output_schema[0].extract_strategy", "needs one", "max"),
    "no values": (_tool("type: enum"), "output_schema[0]", "without values", "values: [...]"),
    "a mapping beside the values": (
        _tool("type: enum, values: [x], mapping: {y: Y}"), "output_schema[0].mapping.y",
        "y is not among the values", "x",
    ),
    "a synonym of nothing": (
        _tool("type: enum, values: [x], synonyms: {z: y}"), "output_schema[0].synonyms.z",
        "y is not among the values", "x",
    ),
    "certainty": (_tool("type: string, confidence: 1.0"), "output_schema[0].confidence",
                  "1.0: input should be less than 1", ""),
    "an unknown fact type": (
        _tool("type: string, fact_type: NOPE", "fact_types: {YES: {}}"),
        "output_schema[0].fact_type", "NOPE is no fact type", "YES",
    ),
    "a reserved fact type": (
        _tool("type: string", "fact_types: {CONFLICT: {}}"), "fact_types.CONFLICT", "reserved", "",
    ),
    "an unknown zone": (
        _tool("type: datetime, zone: Mars/Base"), "output_schema[0].zone", "'Mars/Base'", "UTC",
    ),
    "an unknown directive": (
        _tool("type: date, formats: ['%Y-%q']"), "output_schema[0].formats[0]", "'%q'", "%Y",
    ),
    "half a date": (
        _tool("type: date, formats: ['%Y-%m']"), "output_schema[0].formats[0]", "whole day", "%d",
    ),
    "an unknown field of an intent": (
        _tool("type: string", "intents: {buy: [b]}"), "intents.buy[0]", "b is no field", "a",
    ),
    "an unknown item": (
        _tool("type: list, extract_strategy: max, by: z, item_schema: [{name: v, type: number}]"),
        "output_schema[0].by", "z is not in item_schema", "v",
    ),
    "no time to order by": (
        _tool("type: list, extract_strategy: latest_by_time, "
              "item_schema: [{name: v, type: number}]"),
        "output_schema[0].item_schema", "needs an item of type", "datetime",
    ),
    "a sum of words": (
        _tool("type: list, extract_strategy: sum"), "output_schema[0].take", "a sum takes numbers",
        "number",
    ),
    "bands on words": (
        _tool("type: string, bands: [{code: x}]"), "output_schema[0].bands", "only numbers",
        "number",
    ),
    "a gap": (
        _tool(BANDS + "[{below: 1, code: x}, {from: 2, code: y}]"), "output_schema[0].bands",
        "gap between 1 and 2", "from/below",
    ),
    "an overlap": (
        _tool(BANDS + "[{below: 2, code: x}, {from: 1, code: y}]"), "output_schema[0].bands",
        "overlap between 2 and 1", "from/below",
    ),
    "a gap at one point": (
        _tool(BANDS + "[{below: 1, code: x}, {above: 1, code: y}]"), "output_schema[0].bands",
        "gap at 1", "from/below",
    ),
    "an overlap at one point": (
        _tool(BANDS + "[{up_to: 1, code: x}, {from: 1, code: y}]"), "output_schema[0].bands",
        "overlap at 1", "from/below",
    ),
    "a start": (_tool(BANDS + "[{from: 0, code: x}]"), "output_schema[0].bands", "gap below 0",
                "from/below"),
    "an end": (_tool(BANDS + "[{below: 0, code: x}]"), "output_schema[0].bands", "gap above 0",
               "from/below"),
    "two lower bounds": (
        _tool(BANDS + "[{from: 0, above: 0, code: x}]"), "output_schema[0].bands[0]", "both from",
        "above",
    ),
    "an unknown error class": (
        _tool("type: string", "envelope: {error_classes: {'9': GONE}}"),
        "envelope.error_classes.9", "'GONE'", "TIMEOUT",
    ),
    "a call in a formula": (
        "domain: d\nfact_types: {A: {}, B: {}}\nderived: [{fact_type: B, formula: 'open(A)'}]",
        "derived[0].formula", "'open' is no function", "min max round abs",
    ),
    "an unknown name in a formula": (
        "domain: d\nfact_types: {A: {}, B: {}}\nderived: [{fact_type: B, formula: 'C + 1'}]",
        "derived[0].formula", "C is no fact type", "A, B",
    ),
    "a formula of itself": (
        "domain: d\nfact_types: {A: {}}\nderived: [{fact_type: A, formula: 'A + 1'}]",
        "derived[0].formula", "declare it first", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_names_file_path_problem_and_what_is_allowed(case: str) -> None:
    text, path, problem, allowed = BAD_FILES[case]

    with pytest.raises(RuleFileError) as caught:
        load_rules({"bad.yaml": text})

    error = caught.value
    assert (error.file, error.path) == ("bad.yaml", path)
    assert problem in error.problem
    assert allowed in ", ".join(error.allowed)
    assert str(error).startswith(f"bad.yaml: {path}: ")


def test_two_files_of_one_name_are_refused_and_so_is_a_folder_without_files(
    tmp_path: Path,
) -> None:
    with pytest.raises(RuleFileError, match=r"t is taken by a\.yaml"):
        load_rules({"a.yaml": _tool("type: string"), "b.yaml": _tool("type: string")})
    with pytest.raises(RuleFileError, match="holds no rule file"):
        load_folder(tmp_path)
    (tmp_path / "x.yaml").write_bytes(b"\xff")
    with pytest.raises(RuleFileError, match=r"x\.yaml"):
        load_folder(tmp_path)


def test_a_folder_is_read_by_name(tmp_path: Path) -> None:
    for name, text in package_rule_texts().items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    assert load_folder(tmp_path).sha256 == package_rules().sha256


BOUNDS = st.lists(
    st.fractions(-100, 100, max_denominator=50), min_size=1, max_size=6, unique=True
).map(sorted)


def _bands(bounds: list[Fraction], closes_left: bool) -> list[Band]:
    lows, highs = [None, *bounds], [*bounds, None]
    return [
        Band(low, closes_left, high, not closes_left, str(index), ())
        for index, (low, high) in enumerate(zip(lows, highs, strict=True))
    ]


@given(BOUNDS, st.booleans(), st.fractions(-200, 200) | st.integers(-200, 200))
def test_bands_that_cover_hold_every_number_exactly_once(
    bounds: list[Fraction], closes_left: bool, number: Fraction
) -> None:
    bands = _bands(bounds, closes_left)

    assert cover_problem(bands) is None
    for value in (Fraction(number), *bounds):
        assert sum(1 for band in bands if band.holds(value)) == 1


@given(BOUNDS, st.booleans(), st.data())
def test_bands_with_one_bound_moved_do_not_cover(
    bounds: list[Fraction], closes_left: bool, data: st.DataObject
) -> None:
    bands = _bands(bounds, closes_left)
    index = data.draw(st.integers(1, len(bands) - 1))
    moved = bands[index]
    low = (moved.low or Fraction(0)) + data.draw(st.sampled_from([Fraction(1, 99), Fraction(-3)]))
    bands[index] = Band(low, moved.includes_low, moved.high, moved.includes_high, "m", ())

    assert cover_problem(bands) is not None


@pytest.mark.parametrize(
    ("ratio", "code"),
    [
        (0.79, "critical"),
        (0.8, "warning"),
        (1.19, "warning"),
        (1.2, "adequate"),
        (1.25, "adequate"),
    ],
)
def test_stock_words_change_exactly_at_the_seeds_factors(
    rules: RuleSet, ratio: float, code: str
) -> None:
    bands = next(d.bands for d in rules.derived if d.fact_type == "STOCK_STATUS")

    assert band_of(bands, ratio).code == code


@pytest.mark.parametrize(
    ("text", "values", "result"),
    [
        ("A / B", {"A": 12500, "B": 5000}, 2.5),
        ("A / B", {"A": 1, "B": 0}, None),
        ("A + 1", {}, None),
        ("0.1 + 0.2", {}, 0.3),
        ("round(A / 3, 2)", {"A": 1}, 0.33),
        ("round(A / 3)", {"A": 5}, 2),
        ("min(A, 2) * max(A, 2) - abs(-A)", {"A": 3}, 3),
        ("A >= 1.2", {"A": 1.2}, True),
        ("A < 1.2", {"A": 1.2}, False),
        ("A * A", {"A": 10**15}, None),
    ],
)
def test_a_formula_is_exact_and_has_no_result_where_there_is_none(
    text: str, values: dict[str, float], result: object
) -> None:
    assert compile_expression(text).evaluate(values) == result


@pytest.mark.parametrize(
    "text",
    [
        "", "1 +", "A.b", "A[0]", "A ** 9", "A % 2", "f(A)", "(lambda: 1)()", "'a'", "True", "1j",
        "[A]", "A and B", "A < B < 3", "round(A, B)", "min()", "max(A, key=B)", "A if B else 1",
        "__import__('os')", "1e30", "A" * 501, "+".join("A" * 99), "(" * 400 + ")" * 400,
    ],
)  # fmt: skip
def test_a_formula_outside_the_language_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        compile_expression(text)


def test_no_operation_is_ever_certain_and_the_seeds_order_holds() -> None:
    assert all(0 < value < 1 for value in CONFIDENCE.values())
    assert [
        CONFIDENCE[origin]
        for origin in (
            ConfidenceOrigin.CONTEXT,
            ConfidenceOrigin.GET,
            ConfidenceOrigin.CONVERSION,
            ConfidenceOrigin.AGGREGATE,
        )
    ] == [0.99, 0.95, 0.90, 0.85]


def test_one_edit_maps_one_value_and_leaves_the_rest_as_it_is() -> None:
    texts = package_rule_texts()
    file = "order_status.yaml"

    fallback = map_value(file, texts[file], "status", "refunding", {"zh": "退款中"})
    renamed = map_value(file, texts[file], "status", "shipped", {"zh": "运输中"})
    untouched = load_rules(texts)

    for text, raw, words in ((fallback, "refunding", "退款中"), (renamed, "shipped", "运输中")):
        edited = load_rules({**texts, file: text})
        body = {"order_id": "1", "status": raw}
        fact = parse(ToolOutput("order_api", None, None, body), edited, Context())[0]
        assert dict(fact.words) == {"zh": words}
        assert edited.fact_types == untouched.fact_types
        assert [t for t in edited.tools if t.file != file] == [
            t for t in untouched.tools if t.file != file
        ]


def test_an_edit_of_no_enum_names_the_enums() -> None:
    with pytest.raises(RuleFileError, match="allowed: status"):
        map_value("o.yaml", package_rule_texts()["order_status.yaml"], "user_id", "x", {})


def test_lint_points_at_confidence_above_its_operation_and_at_bare_codes() -> None:
    yaml = """
name: t
output_schema:
  - {name: a, type: enum, values: [x, y], mapping: {x: X}, confidence: 0.98}
  - {name: b, type: number, confidence: 0.95}
  - {name: c, type: list, extract_strategy: last, confidence: 0.86}
  - {name: d, type: number, scale: 0.01, confidence: 0.90}
"""

    warnings = lint_rules(load_rules({"t.yaml": yaml}))

    assert [(w.file, w.field, w.problem) for w in warnings] == [
        ("t.yaml", "a", "confidence 0.98 is above the 0.9 of its operation"),
        ("t.yaml", "a", "y has no words"),
        ("t.yaml", "c", "confidence 0.86 is above the 0.85 of its operation"),
    ]


def test_the_packages_rules_exceed_their_operations_only_where_the_seed_writes_it() -> None:
    assert {(w.file, w.field) for w in lint_rules(package_rules())} == {
        ("order_status.yaml", "status"),
        ("order_status.yaml", "estimated_delivery"),
        ("order_status.yaml", "logistics_info"),
        ("user_points.yaml", "points_balance"),
    }


def test_rules_of_equal_texts_are_equal() -> None:
    texts = package_rule_texts()
    one, other = load_rules(texts), load_rules(dict(reversed(texts.items())))

    assert one == other
    assert compile_expression("A / B") == compile_expression("A / B")
    assert compile_expression("A / B") != compile_expression("A * B")
    assert len({compile_expression("A / B"), compile_expression("A / B")}) == 1
