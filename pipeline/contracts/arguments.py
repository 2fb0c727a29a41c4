"""What is wrong with the arguments of a call, told so that a model can mend it (S3 §3.3, §5.2).

Every offending field is named, unknown and missing ones too, with the right format and an example.
Nothing is converted: `"100"` is no number. Values of sensitive parameters are never repeated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pipeline.contracts.examples import example_of, format_of
from pipeline.contracts.model import NOTHING, Contract
from pipeline.contracts.validation import schema_errors

_MAX_NAMES: Final = 12


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """One field that is wrong."""

    field: str
    """Its place: `order_no`, `items.0.price`; empty for the arguments as a whole."""
    kind: str
    """`missing`, `unknown`, or the word of JSON Schema that it breaks: `type`, `enum`, `pattern`."""
    text: str
    """One sentence for the model."""


def check_arguments(
    contract: Contract, arguments: object, language: str = "zh"
) -> tuple[ArgumentProblem, ...]:
    """Everything that the contract's schema says against the arguments; empty when they are right.

    A parameter that the schema does not name is a problem even where JSON Schema lets it through.

    Args:
        contract: Of the tool.
        arguments: What the model gave; anything but an object is one problem.
        language: Of the sentences, `zh` or `en`.
    """
    words = _Words(language)
    if not isinstance(arguments, Mapping):
        return (ArgumentProblem("", "type", words.no_object()),)
    problems = [*_unknown(contract, arguments, words)]
    for error in schema_errors(dict(arguments), contract.input_schema):
        problems += _read(error, words)
    unique = {(problem.field, problem.kind): problem for problem in problems}
    return tuple(unique.values())


def problems_text(problems: Sequence[ArgumentProblem]) -> str:
    """All sentences as the model reads them."""
    return " ".join(problem.text for problem in problems)


def _unknown(
    contract: Contract, arguments: Mapping[str, Any], words: "_Words"
) -> Iterator[ArgumentProblem]:
    known = contract.properties
    for name in arguments:
        if name not in known:
            yield ArgumentProblem(str(name), "unknown", words.unknown(str(name), list(known)))


def _read(error: Any, words: "_Words") -> Iterator[ArgumentProblem]:
    """The problems in one error of jsonschema, which names missing fields only in its message."""
    place = [str(part) for part in error.absolute_path]
    if error.validator == "required" and isinstance(error.instance, Mapping):
        properties = error.schema.get("properties", NOTHING)
        for name in error.validator_value:
            if name not in error.instance:
                schema = properties.get(name, NOTHING)
                field = ".".join([*place, name])
                yield ArgumentProblem(field, "missing", words.missing(field, schema))
    elif error.validator == "additionalProperties":
        properties = error.schema.get("properties", NOTHING)
        for name in error.instance:
            if name not in properties:
                field = ".".join([*place, str(name)])
                yield ArgumentProblem(field, "unknown", words.unknown(field, list(properties)))
    else:
        field, kind = ".".join(place), str(error.validator)
        yield ArgumentProblem(field, kind, words.wrong(field, error.schema))


@dataclass(frozen=True, slots=True)
class _Words:
    language: str

    def no_object(self) -> str:
        return self._pick("参数须是一个 JSON 对象。", "Arguments must be a JSON object.")

    def unknown(self, field: str, known: list[str]) -> str:
        names = ", ".join(known[:_MAX_NAMES]) or self._pick("无", "none")
        return self._pick(
            f"参数 {field} 不存在；可用参数：{names}。",
            f"There is no parameter {field}; parameters: {names}.",
        )

    def missing(self, field: str, schema: Mapping[str, Any]) -> str:
        hint = self._hint(schema)
        return self._pick(f"缺少参数 {field}{hint}。", f"Parameter {field} is missing{hint}.")

    def wrong(self, field: str, schema: object) -> str:
        hint = self._hint(schema if isinstance(schema, Mapping) else NOTHING)
        named = f" {field} " if field else ""
        return self._pick(
            f"参数{named}不合法{hint}。", f"Parameter {field or '(all)'} is not valid{hint}."
        )

    def _hint(self, schema: Mapping[str, Any]) -> str:
        wanted, example = format_of(schema, self.language), example_of(schema)
        parts = []
        if wanted:
            parts.append(self._pick(f"：应为{wanted}", f": expected {wanted}"))
        if example is not None:
            parts.append(self._pick(f"；示例：{example}", f"; example: {example}"))
        return "".join(parts)

    def _pick(self, chinese: str, english: str) -> str:
        return chinese if self.language == "zh" else english
