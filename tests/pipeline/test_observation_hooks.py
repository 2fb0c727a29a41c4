"""Code that reads on after the rules, and three versions on every fact."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.observation import (
    CodeParser,
    ConfidenceOrigin,
    Context,
    FragmentKind,
    Reading,
    RuleFileError,
    RuleLibrary,
    RuleSet,
    SemanticFragment,
    ToolOutput,
    UnknownVersionError,
    Versions,
    align,
    decode_snapshot,
    encode_snapshot,
    load_rules,
    package_rule_texts,
    package_rules,
    parse,
    resolve,
)
from pipeline.observation.reading import unparsed

ORDER = "order_status_api"


def _read(rules: RuleSet, body: object, **more: Any) -> dict[str, SemanticFragment]:
    output = ToolOutput("order_api", "1.0", None, body, **more)
    return {fact.type: fact for fact in parse(output, rules, Context())}


def _shout(raw: object, reading: Reading, context: Context) -> Reading:
    return replace(reading, value=str(raw).upper(), origin=ConfidenceOrigin.CONVERSION)


def test_a_hook_reads_on_and_its_version_travels(order_body: dict[str, Any]) -> None:
    parser = CodeParser(ORDER, "7", {"user_id": _shout, "status": lambda r, read, c: read})
    rules = package_rules().with_parsers(parser)

    facts = _read(rules, order_body | {"user_id": "u1"})
    plain = _read(package_rules(), order_body | {"user_id": "U1"})

    assert facts["USER_ID"].value == plain["USER_ID"].value
    assert "u1" not in repr(facts)
    assert facts["STATUS"].fact_id == plain["STATUS"].fact_id
    assert {Versions.of(fact) for fact in facts.values()} == {
        Versions("1.0", "order_status_api@7", "0")
    }
    assert Versions.of(plain["STATUS"]) == Versions("1.0", "rules@1", "0")


def test_other_tools_are_read_by_the_rules_alone(points_body: dict[str, Any]) -> None:
    rules = package_rules().with_parsers(CodeParser(ORDER, "7", {"status": _shout}))

    facts = parse(ToolOutput("points_api", None, None, points_body), rules, Context())

    assert {fact.parser_version for fact in facts} == {"rules@1"}


def _raises(error: Exception) -> Callable[..., Reading]:
    def hook(raw: object, reading: Reading, context: Context) -> Reading:
        raise error

    return hook


@pytest.mark.parametrize(
    "error", [KeyError("x"), TypeError(), ZeroDivisionError(), RecursionError(), AssertionError()]
)
def test_a_hook_that_fails_costs_its_own_field_only(
    order_body: dict[str, Any], error: Exception
) -> None:
    rules = package_rules().with_parsers(CodeParser(ORDER, "1", {"status": _raises(error)}))

    facts = _read(rules, order_body)

    assert (facts["STATUS"].kind, facts["STATUS"].reason) == ("UNPARSED", "hook_failed")
    assert facts["EST_DELIVERY"].value == date(2024, 6, 15)


FACT, GET = FragmentKind.FACT, ConfidenceOrigin.GET
MOMENT = datetime(2024, 6, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("field", "result"),
    [
        ("status", None),
        ("status", "shipped"),
        ("status", Reading(FACT, None, GET)),
        ("status", Reading(FACT, 7, GET)),
        ("status", Reading(FragmentKind.FAILED, "x", GET)),
        ("status", Reading(FragmentKind.UNKNOWN, "x", GET)),
        ("status", Reading(FACT, "x", ConfidenceOrigin.NOISE)),
        ("estimated_delivery", Reading(FACT, "2024-06-15", GET)),
        ("estimated_delivery", Reading(FACT, MOMENT, GET)),
    ],
)
def test_a_hook_gives_what_its_field_can_hold_or_nothing(
    order_body: dict[str, Any], field: str, result: Any
) -> None:
    parser = CodeParser(ORDER, "1", {field: lambda raw, reading, context: result})
    facts = _read(package_rules().with_parsers(parser), order_body)

    fact = facts["STATUS" if field == "status" else "EST_DELIVERY"]
    assert (fact.kind, fact.reason) == ("UNPARSED", "hook_failed")


def test_a_hook_may_say_that_it_does_not_know(order_body: dict[str, Any]) -> None:
    unknown = Reading(FragmentKind.UNKNOWN, None, ConfidenceOrigin.UNMAPPED, reason="ambiguous")
    hooks = {"status": lambda r, read, c: unknown, "estimated_delivery": lambda *a: unparsed("x")}
    facts = _read(package_rules().with_parsers(CodeParser(ORDER, "1", hooks)), order_body)

    assert (facts["STATUS"].kind, facts["STATUS"].confidence) == ("UNKNOWN", 0.3)
    assert (facts["EST_DELIVERY"].kind, facts["EST_DELIVERY"].reason) == ("UNPARSED", "x")


def test_versions_of_one_parser_live_side_by_side_and_the_last_one_reads() -> None:
    old, new = (CodeParser(ORDER, version, {}) for version in ("1", "2"))
    rules = package_rules().with_parsers(old).with_parsers(new)

    assert rules.parser_of(ORDER) is new
    assert rules.pinned_to("order_status_api@1").parser_of(ORDER) is old
    assert rules.pinned_to("rules@1").parser_of(ORDER) is None
    assert rules.with_parsers(old).parser_of(ORDER) is old
    assert len(rules.with_parsers(old).parsers) == 2


def _library(texts: dict[str, str]) -> RuleLibrary:
    renamed = texts["order_status.yaml"].replace("已发货", "运输中")
    newer = load_rules(texts | {"order_status.yaml": renamed}, "newer")
    hook = CodeParser(ORDER, "2", {"status": lambda raw, reading, context: unparsed("new_code")})
    return RuleLibrary(newer.with_parsers(hook), (package_rules(),))


def test_a_recorded_output_is_read_by_what_it_was_recorded_with(
    order_body: dict[str, Any],
) -> None:
    library = _library(package_rule_texts())
    output = ToolOutput("order_api", "1.0", None, order_body)

    def status(*arguments: Any, **more: Any) -> SemanticFragment:
        facts = library.read(output, Context(), *arguments, **more)
        return next(fact for fact in facts if fact.type == "STATUS")

    first = status(Versions("1.0", "rules@1", "0"))
    assert (first.text, Versions.of(first)) == ("Shipped", Versions("1.0", "rules@1", "0"))
    assert dict(first.words)["zh"] == "已发货"
    assert dict(status(Versions("1.0", "rules@1", "newer")).words)["zh"] == "运输中"
    assert status().reason == "new_code"
    assert status(Versions("1.0", "rules@1", "newer"), version="0") == first
    assert status(Versions(None, None, None)).reason == "new_code"
    assert library.versions == ("newer", "0")


def test_a_version_that_is_not_loaded_is_refused_by_name() -> None:
    with pytest.raises(UnknownVersionError, match=r"dictionary gone.*newer, 0"):
        _library(package_rule_texts()).rules("gone")


CONTRACTS = """
name: t
version: "{version}"
{contracts}
output_schema:
  - {{name: {field}, type: string}}
"""


def _files(*contracts: str) -> dict[str, str]:
    return {
        f"t{number}.yaml": CONTRACTS.format(version=number, contracts=line, field=f"f{number}")
        for number, line in enumerate(contracts, start=1)
    }


@pytest.mark.parametrize(
    ("contract", "fact_type"),
    [("1.0", "F1"), ("2.0", "F2"), ("2.1", "F2"), ("9", "F3"), (None, "F3")],
)
def test_an_output_is_read_by_the_file_of_its_contract(
    contract: str | None, fact_type: str
) -> None:
    rules = load_rules(_files("contracts: ['1.0']", "contracts: ['2.0', '2.1']", ""))

    facts = parse(
        ToolOutput("t", contract, None, {"f1": "x", "f2": "x", "f3": "x"}), rules, Context()
    )

    assert [fact.type for fact in facts] == [fact_type]
    assert facts[0].rule_version == f"{rules.version}/t@{fact_type[1]}"


def test_without_a_file_for_a_contract_the_last_one_reads() -> None:
    rules = load_rules(_files("contracts: ['1']", "contracts: ['2']"))

    facts = parse(ToolOutput("t", "3", None, {"f1": "x", "f2": "x"}), rules, Context())

    assert [fact.type for fact in facts] == ["F2"]


def test_two_files_of_one_contract_are_refused() -> None:
    with pytest.raises(RuleFileError, match=r"t is taken by t1\.yaml"):
        load_rules(_files("contracts: ['1']", "contracts: ['2', '1']"))


def test_versions_survive_the_wire_and_are_no_part_of_what_is_said(
    order_body: dict[str, Any],
) -> None:
    parser = CodeParser(ORDER, "7", {})
    snapshot = align(_read(package_rules().with_parsers(parser), order_body).values())
    plain = align(_read(package_rules(), order_body).values())

    assert decode_snapshot(encode_snapshot(snapshot)) == snapshot
    assert snapshot.content_hash == plain.content_hash
    assert resolve(snapshot | plain, None).health.n_conflicts == 0


def _code_inside(raw: Any, reading: Reading, context: Context) -> Reading:
    return replace(reading, value=raw["x"])


@given(st.recursive(st.none() | st.text() | st.integers(), lambda inner: st.lists(inner)))
def test_a_hook_sees_whatever_a_tool_sends_and_parsing_stays_total(raw: Any) -> None:
    parser = CodeParser(ORDER, "1", {"status": _code_inside})
    facts = _read(package_rules().with_parsers(parser), {"order_id": "1", "status": raw})

    assert facts["STATUS"].kind in ("UNPARSED", "UNKNOWN")
