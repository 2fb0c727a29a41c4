"""Where templates run: no access to anything but the facts, and an end to everything.

Bounded are: length of the source, kinds of nodes, filters, attributes (only those of our own
views), arithmetic (numbers up to 10^15 only, so no text can be grown), steps (each turn of a loop is
counted with the size of its body), and characters written. None of it depends on a clock: a
template fails in the same way everywhere.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, Undefined, UndefinedError, nodes
from jinja2 import TemplateError as JinjaError
from jinja2.exceptions import SecurityError
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from pipeline.observation.errors import TemplateError
from pipeline.observation.views import View

MAX_SOURCE: Final = 20_000
MAX_STEPS: Final = 1_000_000
MAX_OUTPUT: Final = 2_000_000
_MAX_NUMBER: Final = 10**15
_TICK: Final = "_count_step"
_NODES: Final = frozenset(
    {
        "Template", "Output", "TemplateData", "For", "If", "Name", "Const", "Getattr", "Getitem",
        "Compare", "Operand", "And", "Or", "Not", "CondExpr", "Filter", "Test", "Tuple", "List",
        "Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Neg", "Assign", "Keyword",
    }
)  # fmt: skip
ALLOWED_TAGS: Final = ("for", "if", "set", "{{ ... }}")
FILTERS: Final = frozenset(
    {
        "abs", "default", "first", "float", "int", "last", "length", "lower", "round", "trim",
        "upper",
    }
)  # fmt: skip


class _Environment(ImmutableSandboxedEnvironment):
    """An immutable sandbox whose templates see views, loops and numbers only."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%"})

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return isinstance(obj, View | LoopContext) and super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        for operand in (left, right):
            if not isinstance(operand, int | float) or abs(operand) > _MAX_NUMBER:
                raise SecurityError(f"{operator} takes numbers up to 10^15 only")
        return super().call_binop(context, operator, left, right)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        template = super()._parse(source, name, filename)
        _check(template)
        for loop in list(template.find_all(nodes.For)):
            _count_turns(loop)
        template.set_lineno(1, override=False)
        return template


def run_template(name: str, source: str, variables: Mapping[str, object]) -> str:
    """What a template writes.

    Raises:
        TemplateError: It is no template, uses what templates may not, names something unknown,
            fails, or passes a bound; names template, line and problem.
    """
    template = _compiled(name, source)
    try:
        return _written(name, template, variables)
    except UndefinedError as error:
        raise TemplateError(name, None, str(error), sorted(variables)) from error
    except JinjaError as error:
        raise TemplateError(name, None, str(error)) from error
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise TemplateError(name, None, f"{type(error).__name__}: {error}") from error


def check_template(name: str, source: str) -> None:
    """Check a template without running it.

    Raises:
        TemplateError: It is no template, or uses what templates may not.
    """
    _compiled(name, source)


def _written(name: str, template: Template, variables: Mapping[str, object]) -> str:
    parts: list[str] = []
    length = 0
    for part in template.generate({**variables, _TICK: _step_counter(name)}):
        parts.append(part)
        length += len(part)
        if length > MAX_OUTPUT:
            raise TemplateError(name, None, f"writes more than {MAX_OUTPUT} characters")
    return "".join(parts)


def _step_counter(name: str) -> Callable[[int], str]:
    left = MAX_STEPS

    def count(size: int) -> str:
        nonlocal left
        left -= size
        if left < 0:
            raise TemplateError(name, None, f"takes more than {MAX_STEPS} steps")
        return ""

    return count


@lru_cache(maxsize=64)
def _compiled(name: str, source: str) -> Template:
    if len(source) > MAX_SOURCE:
        raise TemplateError(name, None, f"longer than {MAX_SOURCE} characters")
    try:
        return _environment().from_string(source)
    except TemplateSyntaxError as error:
        allowed: tuple[str, ...] = ALLOWED_TAGS if "unknown tag" in (error.message or "") else ()
        raise TemplateError(
            name, error.lineno, error.message or "is no template", allowed
        ) from error
    except (_NotAllowedError, JinjaError) as error:
        line = error.line if isinstance(error, _NotAllowedError) else None
        allowed = error.allowed if isinstance(error, _NotAllowedError) else ()
        raise TemplateError(name, line, str(error), allowed) from error
    except (RecursionError, SyntaxError, MemoryError, ValueError) as error:
        raise TemplateError(name, None, "is nested too deeply") from error


@lru_cache(maxsize=1)
def _environment() -> _Environment:
    environment = _Environment(
        undefined=StrictUndefined,
        autoescape=False,  # prompts are no markup; pages escape what they show
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=0,
        optimized=False,
        finalize=_written_value,
    )
    environment.filters = {name: environment.filters[name] for name in FILTERS}
    environment.globals.clear()
    return environment


class _NotAllowedError(ValueError):
    def __init__(self, line: int, problem: str, allowed: tuple[str, ...]) -> None:
        super().__init__(problem)
        self.line = line
        self.allowed = allowed


def _count_turns(loop: nodes.For) -> None:
    """Make every turn of a loop, and every test of a candidate, count as steps."""
    size = sum(_size(part) for part in loop.body)
    loop.body.insert(0, nodes.Output([_step(size)], lineno=loop.lineno))
    if loop.test is not None:
        loop.test = nodes.And(nodes.Not(_step(_size(loop.test))), loop.test)


def _size(node: nodes.Node) -> int:
    """How many steps a node is: one for each part, ten for each filter (they walk over texts)."""
    parts = (node, *node.find_all(nodes.Node))
    return sum(10 if isinstance(part, nodes.Filter) else 1 for part in parts)


def _step(size: int) -> nodes.Call:
    return nodes.Call(nodes.Name(_TICK, "load"), [nodes.Const(size)], [], None, None)


def _written_value(value: object) -> object:
    if isinstance(value, str | int | float | Undefined):
        return value
    raise SecurityError(f"a {type(value).__name__} cannot be written, only words and numbers")


def _is_literal(node: nodes.List | nodes.Tuple) -> bool:
    return all(isinstance(item, nodes.Const) for item in node.items)


def _check(template: nodes.Template) -> None:
    for node in (template, *template.find_all(nodes.Node)):
        problem = _problem(node)
        if problem is not None:
            allowed = tuple(sorted(FILTERS)) if isinstance(node, nodes.Filter) else ALLOWED_TAGS
            raise _NotAllowedError(node.lineno, problem, allowed)


def _problem(node: nodes.Node) -> str | None:
    """Why a node may not stand in a template; None when it may."""
    kind = type(node).__name__
    if kind not in _NODES:
        return f"{kind} is not allowed"
    match node:
        case nodes.List() | nodes.Tuple() if not _is_literal(node):
            return "lists hold plain words and numbers only"
        case nodes.For() if node.recursive:
            return "recursive loops are not allowed"
        case nodes.Name() if node.name.startswith("_"):
            return f"{node.name} is not allowed"
        case nodes.Filter() if node.name not in FILTERS:
            return f"no filter named {node.name!r}"
        case _:
            return None
