"""The small language of derived facts: numbers, names of facts, and arithmetic. No calls out.

Grammar (Python's syntax, checked node by node, never run by Python): numbers, fact types,
`+ - * /`, unary minus, comparisons, and `min`, `max`, `round`, `abs`. Arithmetic is exact (fractions
of the decimal text), so a threshold of 1.2 is met by exactly 1.2.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeAlias

Number: TypeAlias = int | float
Exact: TypeAlias = Fraction | bool

MAX_LENGTH: Final = 500
MAX_NODES: Final = 100
FUNCTIONS: Final = ("abs", "max", "min", "round")
_MAX_DIGITS: Final = 10**6

_BINARY: Final[dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARE: Final[dict[type[ast.cmpop], Callable[[Fraction, Fraction], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
ALLOWED: Final = ("numbers", "fact types", "+ - * /", "< <= > >= == !=", "min max round abs")


class ExpressionError(ValueError):
    """A formula uses something outside the language; the message says what."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked formula."""

    text: str
    names: tuple[str, ...]
    """Fact types it reads, in order of first use."""
    tree: ast.expr = field(compare=False, repr=False)
    """Made from the text alone: formulas are equal where their texts are."""

    def evaluate(self, values: Mapping[str, Number]) -> Number | bool | None:
        """The result; None where it has none (division by zero, a name without a number)."""
        try:
            result = _evaluate(self.tree, {name: exact(values[name]) for name in self.names})
            return result if isinstance(result, bool) else plain(result)
        except (ZeroDivisionError, KeyError, OverflowError):
            return None


def compile_expression(text: str) -> Expression:
    """Check a formula once, so that it can be evaluated many times.

    Raises:
        ExpressionError: It is too long, no expression, or uses something outside the language.
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"formula of {len(text)} characters; at most {MAX_LENGTH}")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"{text!r} is no formula") from error
    if sum(1 for _ in ast.walk(tree)) > MAX_NODES:
        raise ExpressionError(f"formula with more than {MAX_NODES} parts")
    names: dict[str, None] = {}
    _check(tree, names)
    return Expression(text, tuple(names), tree)


def exact(number: Number) -> Fraction:
    """The number as its decimal text says it: 0.1 is one tenth."""
    return Fraction(Decimal(repr(number)))


def plain(number: Fraction) -> Number:
    """The number as an int where it is whole, else as a float.

    Raises:
        OverflowError: It is too large for either.
    """
    if abs(number) > _MAX_DIGITS**4:
        raise OverflowError("number too large")
    return int(number) if number.denominator == 1 else float(number)


def _check(node: ast.expr, names: dict[str, None]) -> None:
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        children = [node.left, node.right]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        children = [node.operand]
    elif isinstance(node, ast.Compare) and _is_simple(node):
        children = [node.left, node.comparators[0]]
    elif isinstance(node, ast.Call):
        children = _arguments(node)
    else:
        children = []
        _check_leaf(node, names)
    for child in children:
        _check(child, names)


def _is_simple(node: ast.Compare) -> bool:
    return len(node.ops) == 1 and type(node.ops[0]) in _COMPARE


def _arguments(node: ast.Call) -> list[ast.expr]:
    name = node.func.id if isinstance(node.func, ast.Name) else "a call"
    if name not in FUNCTIONS:
        raise ExpressionError(f"{name!r} is no function of the formula language")
    wanted = {"round": (1, 2), "abs": (1, 1)}.get(name, (1, 20))
    if node.keywords or not wanted[0] <= len(node.args) <= wanted[1]:
        raise ExpressionError(f"{name} takes {wanted[0]} to {wanted[1]} plain arguments")
    if name == "round" and len(node.args) == 2 and not _is_digits(node.args[1]):
        raise ExpressionError("round takes its digits as a whole number from 0 to 9")
    return list(node.args)


def _is_digits(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value <= 9


def _check_leaf(node: ast.expr, names: dict[str, None]) -> None:
    if isinstance(node, ast.Name):
        names.setdefault(node.id)
    elif not (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and abs(node.value) < _MAX_DIGITS**2
    ):
        raise ExpressionError(f"{ast.unparse(node)!r} is outside the formula language")


def _evaluate(node: ast.expr, values: Mapping[str, Fraction]) -> Exact:
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.Constant):
        return exact(node.value)  # type: ignore[arg-type]  # _check_leaf let only numbers through
    if isinstance(node, ast.UnaryOp):
        return -Fraction(_evaluate(node.operand, values))
    if isinstance(node, ast.BinOp):
        return _BINARY[type(node.op)](
            Fraction(_evaluate(node.left, values)), Fraction(_evaluate(node.right, values))
        )
    if isinstance(node, ast.Compare):
        left, right = (_evaluate(part, values) for part in (node.left, node.comparators[0]))
        return _COMPARE[type(node.ops[0])](Fraction(left), Fraction(right))
    return _call(node, values)


def _call(node: ast.expr, values: Mapping[str, Fraction]) -> Fraction:
    assert isinstance(node, ast.Call)  # noqa: S101  # _check let nothing else through
    assert isinstance(node.func, ast.Name)  # noqa: S101
    arguments = [Fraction(_evaluate(argument, values)) for argument in node.args]
    match node.func.id:
        case "min":
            return min(arguments)
        case "max":
            return max(arguments)
        case "abs":
            return abs(arguments[0])
        case _:
            return Fraction(round(arguments[0], int(arguments[1]) if arguments[1:] else 0))
