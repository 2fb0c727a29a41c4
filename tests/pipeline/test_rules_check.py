"""Checking rules before anybody publishes them: shape, purity, totality."""

import pytest

from pipeline.observation import CodeParser, package_rule_texts, package_rules
from pipeline.observation.reading import Reading
from pipeline.observation.rules.check import check_rules, load_parser
from pipeline.observation.rules.load import rule_problems
from pipeline.observation.rules.purity import impurities
from pipeline.observation.rules.samples import ordinary_answer, strange_answer
from pipeline.observation.rules.totality import check_totality

TEXTS = package_rule_texts()
TWO_FAULTS = (
    "name: t\noutput_schema:\n  - {name: a, type: strnig}\n  - {name: b, fromat: x, type: date}\n"
)


def test_every_fault_of_every_file_is_told_at_once() -> None:
    problems = rule_problems({"a.yaml": TWO_FAULTS, "b.yaml": "- x", **TEXTS})

    assert [(problem.file, problem.path) for problem in problems] == [
        ("a.yaml", "output_schema[0].type"),
        ("a.yaml", "output_schema[1]"),
        ("b.yaml", "whole file"),
    ]
    assert "string" in problems[0].allowed


def test_the_packages_rules_have_no_fault_and_are_tried() -> None:
    checked = check_rules(TEXTS, n_inputs=60)

    assert checked.errors == ()
    assert checked.rules is not None
    assert len(checked.warnings) == 4
    assert (checked.n_files, checked.n_inputs) == (6, 60)


PURE = """
import re
from collections.abc import Mapping
from datetime import datetime
from pipeline.observation import Reading

def hook(raw, reading, context):
    return reading if re.match("x", str(raw)) else reading

def parsed(text):
    return datetime.fromisoformat(text)
"""


def test_pure_code_passes() -> None:
    assert impurities("p.py", PURE) == ()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("import os", "import of os"),
        ("import datetime, socket", "import of socket"),
        ("from random import random", "import of random"),
        ("from . import other", "import of ."),
        ("from pipeline.observation import load_folder", "load_folder: reads files"),
        (
            "from pipeline.observation.published import HttpSource",
            "import of pipeline.observation.p",
        ),
        ("open('x')", "open: does input or output"),
        ("p = print", "print: does input or output"),
        ("eval('1')", "eval: runs other code"),
        ("__import__('os')", "__import__: runs other code"),
        ("getattr(x, 'no' + 'w')()", "getattr: hides names"),
        ("hash('a')", "hash: differs between processes"),
        ("datetime.now()", "now: reads the clock"),
        ("f = date.today", "today: reads the clock"),
        ("datetime.fromtimestamp(1)", "fromtimestamp: depends on the machine's zone"),
        ("().__class__", "__class__: reaches behind the language"),
        ("def f():\n    global x\n    x = 1", "global: changes state"),
        ("async def f():\n    await g()", "async: waits"),
        ("while True:\n    pass", "while True: need not end"),
        ("def f(:", "is no Python"),
        ("(" * 5_000, "is no Python"),
        ("\x00", "is no Python"),
    ],
)
def test_what_is_not_pure_is_found_without_running_it(line: str, problem: str) -> None:
    found = impurities("p.py", f"\n{line}\n")

    assert any(problem in one.problem for one in found), found
    assert found[0].file == "p.py"
    assert found[0].field.startswith("line ")


PARSER = """
from pipeline.observation import CodeParser

def read(raw, reading, context):
    {body}

PARSER = CodeParser("{name}", "1", {{"{field}": read}})
"""


def _source(body: str, name: str = "order_status_api", field: str = "status") -> str:
    return PARSER.format(body=body, name=name, field=field)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (_source("return raw['code'] if raw else reading"), "its hook failed; first with"),
        (_source("return reading", name="nobody"), "nobody is no rule file"),
        (_source("return reading", field="colour"), "colour is no field"),
        (_source("return open(raw)"), "open: does input or output"),
        ("PARSER = 1", "is no CodeParser"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError"),
        ("from pipeline.observation import nothing_of_the_kind", "cannot be loaded: ImportError"),
    ],
)
def test_a_bad_parser_is_an_error_that_says_why(source: str, problem: str) -> None:
    checked = check_rules(TEXTS, {"order_parser.py": source}, n_inputs=40)

    assert any(problem in str(error) for error in checked.errors), checked.errors


def test_a_parser_whose_answer_depends_on_how_often_it_is_asked_is_found() -> None:
    calls: list[object] = []

    def hook(raw: object, reading: Reading, context: object) -> Reading:
        calls.append(raw)
        return (
            reading
            if len(calls) % 2
            else Reading(reading.kind, reading.value, reading.origin, (), "odd")
        )

    rules = package_rules().with_parsers(CodeParser("order_status_api", "1", {"status": hook}))
    problems = {found.problem.split(";")[0] for found in check_totality(rules, n_inputs=20)}

    assert problems == {"two readings of one answer differ"}


def test_a_good_parser_is_loaded_and_counted() -> None:
    checked = check_rules(TEXTS, {"order_parser.py": _source("return reading")}, n_inputs=40)

    assert (checked.errors, checked.n_hooks) == ((), 1)
    assert str(load_parser("x_parser.py", _source("return reading"))) == "order_status_api@1"


def test_generated_answers_depend_on_seed_and_number_alone() -> None:
    (tool,) = (tool for tool in package_rules().tools if tool.name == "order_status_api")

    def answers(seed: int) -> list[str]:
        return [repr(strange_answer(tool, seed, number)) for number in range(50)]

    assert answers(1) == answers(1)
    assert answers(1) != answers(2)
    assert len(set(answers(1))) > 35
    assert set(ordinary_answer(tool)) >= {"order_id", "status", "logistics_info"}
