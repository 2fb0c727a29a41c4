"""Parsers with code of their own: the rules read a field, and a hook of the domain owner reads on.

The rules do what is the same for every tool; a hook does what only one tool needs. Hooks are pure:
they get the raw value and what the rules made of it, and give a reading. A hook that fails, or gives
what its field cannot hold, costs that one field: it becomes UNPARSED with the reason `hook_failed`.

Source: S0 §3.1 (generated skeleton, owner's code for the rest; pure, under 50 ms), S4 §4.4 (versions).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, TypeAlias

from pipeline.observation.fragment import CONFIDENCE, FragmentKind, ValueType
from pipeline.observation.inputs import Context
from pipeline.observation.reading import Reading, unparsed
from pipeline.observation.rules.model import FieldRule

Hook: TypeAlias = Callable[[object, Reading, Context], Reading]
"""Raw value, reading by the rules, context; gives the reading that counts."""
HOOK_FAILED: Final = "hook_failed"
RULES_PARSER: Final = "rules@1"
"""Version of the code that reads by rules alone; raised when equal rules may read differently."""
_PURE_ERRORS: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NameError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What code without input and output can raise."""
_READ_KINDS: Final = frozenset({FragmentKind.FACT, FragmentKind.UNKNOWN, FragmentKind.UNPARSED})
_TYPES: Final[Mapping[ValueType, tuple[type, ...]]] = {
    ValueType.ENUM: (str,),
    ValueType.STRING: (str,),
    ValueType.NUMBER: (int, float),
    ValueType.BOOLEAN: (bool,),
    ValueType.DATE: (date,),
    ValueType.DATETIME: (datetime,),
}


@dataclass(frozen=True, slots=True)
class CodeParser:
    """The hooks of one tool's rules, under a version of their own."""

    name: str
    """`name` of the rule file whose fields they read on."""
    version: str
    hooks: Mapping[str, Hook]
    """By field name; fields without one are read by the rules alone."""
    sha256: str | None = None
    """Over the UTF-8 text of its module, set by who loads it (`rules.check.load_parser`): what a rule
    file pins. Code is never published with rules: who runs an agent deploys it."""

    def __str__(self) -> str:
        return f"{self.name}@{self.version}"

    def read(self, rule: FieldRule, raw: object, reading: Reading, context: Context) -> Reading:
        """What the field's hook makes of a value; the reading itself where there is no hook."""
        hook = self.hooks.get(rule.name)
        if hook is None:
            return reading
        try:
            found = hook(raw, reading, context)
        except _PURE_ERRORS:
            return unparsed(HOOK_FAILED)
        return found if found is reading or _fits(rule, found) else unparsed(HOOK_FAILED)


def _fits(rule: FieldRule, reading: object) -> bool:
    """Whether a reading is one that the field's fact may carry."""
    if not isinstance(reading, Reading) or reading.kind not in _READ_KINDS:
        return False
    has_value = reading.kind is FragmentKind.FACT
    if has_value is (reading.value is None) or reading.origin not in CONFIDENCE:
        return False
    return not has_value or _is_of_type(rule.value_type, reading.value)


def _is_of_type(value_type: ValueType, value: object) -> bool:
    if isinstance(value, bool) and value_type is not ValueType.BOOLEAN:
        return False
    if isinstance(value, datetime) and value_type is ValueType.DATE:
        return False
    return isinstance(value, _TYPES[value_type])
