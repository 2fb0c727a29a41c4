"""The texts that generated parsers are made of. `<<name>>` is filled in by `generate`."""

from typing import Final

MODULE: Final = '''\
"""Parser of `<<name>>`. Generated from <<file>> by `toolsight rules new`.

The rules read each field first; the functions below read on. Write between the marks only:
generating again keeps what stands there. Hooks are pure: no input or output, no clock, no chance,
and they answer for whatever a tool may send.
"""

from collections.abc import Mapping
from typing import Any, Final, TypedDict

from pipeline.observation import (
    CodeParser,
    Context,
    Hook,
    Reading,
    RuleSet,
    SemanticFragment,
    ToolOutput,
    parse,
)

# >>> keep imports
# <<< keep imports

NAME: Final = "<<name>>"
"""The rule file whose readings are read on."""

# >>> keep version
VERSION: Final = "1"
"""Raise it with every change below: it travels on every fact."""
# <<< keep version


<<types>>


<<hooks>>

HOOKS: Final[Mapping[str, Hook]] = {
<<table>>
}
"""By field of the rule file."""

PARSER: Final = CodeParser(NAME, VERSION, HOOKS)
"""Give it to `RuleSet.with_parsers`."""


def parse_output(output: ToolOutput, rules: RuleSet, context: Context) -> list[SemanticFragment]:
    """The evidence in one answer, by these rules and this parser."""
    return parse(output, rules.with_parsers(PARSER), context)


def shape(answer: Answer) -> Mapping[str, Any]:
    """An answer of the declared shape, as `ToolOutput` takes it; for tests and examples."""
    return {**answer}
'''

TEST_MODULE: Final = '''\
# isort: skip_file
"""Tests of the parser of `<<name>>`. Generated from <<file>> by `toolsight rules new`."""

from pathlib import Path
from typing import Final

<<imports>>

# >>> keep imports
# <<< keep imports

HERE: Final = Path(__file__).parent
RULES: Final = load_folder(HERE).unpinned()
EXAMPLE: Final[Answer] = <<example>>
EXPECTED: Final = {
<<expected>>
}


def _read(answer: Answer) -> list[SemanticFragment]:
    return parse_output(ToolOutput(NAME, None, None, shape(answer)), RULES, Context())


def test_an_ordinary_answer_gives_every_fact() -> None:
    """What the rule file declares comes out, read by this parser."""
    facts = _read(EXAMPLE)

    assert {fact.type for fact in facts} == EXPECTED
    assert {fact.parser_version for fact in facts} == {str(PARSER)}


def test_every_answer_is_read_and_always_in_the_same_way() -> None:
    """No answer makes a hook fail, and two readings of one answer are equal."""
    assert check_totality(RULES.with_parsers(PARSER)) == ()


def test_hooks_are_pure() -> None:
    """No input or output, no clock, no chance."""
    source = HERE / "<<module>>.py"

    assert impurities(source.name, source.read_text(encoding="utf-8")) == ()


# >>> keep tests
# <<< keep tests
'''
_TEST_IMPORTS: Final = (
    "from pipeline.observation import Context, SemanticFragment, ToolOutput, load_folder",
    "from pipeline.observation.rules.purity import impurities",
    "from pipeline.observation.rules.totality import check_totality",
)


def test_imports(module: str) -> str:
    """The imports of a test module, in the order that linters want."""
    own = f"from {module} import NAME, PARSER, Answer, parse_output, shape"
    return "\n".join(sorted((own, *_TEST_IMPORTS), key=lambda line: line.split(" import ")[0]))


def hook_text(name: str, said: str) -> str:
    """The hook of one field, as it stands before the owner writes into it."""
    return (
        f"def read_{name}(raw: object, reading: Reading, context: Context) -> Reading:\n"
        f'    """{said}"""\n'
        f"    # >>> keep {name}\n"
        "    return reading\n"
        f"    # <<< keep {name}\n"
    )
