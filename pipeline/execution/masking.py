"""Sensitive parameters: their values appear in no span, log or prompt (S4 §3.2).

A contract says which parameters are sensitive; names are not guessed. What a system echoes of such
a value is masked too.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from pipeline.contracts import Contract

MASK: Final = "***"
MIN_ECHO: Final = 4
"""Shorter values are masked by their parameter alone: taken out everywhere they would tear holes."""


class Masker:
    """Masks what one call was given in confidence.

    Args:
        contract: Says which parameters are sensitive.
        arguments: Of the call.
    """

    def __init__(self, contract: Contract, arguments: Mapping[str, Any]) -> None:
        self._names = contract.sensitive
        self._secrets = _longest_first(
            form
            for name in self._names
            for text in _scalars(arguments.get(name))
            if len(text) >= MIN_ECHO
            for form in _forms(text)
        )

    @classmethod
    def joined(cls, maskers: Iterable["Masker"]) -> "Masker":
        """Masks what any of them was given, by value alone: parameters of that name are others'."""
        found = cls.__new__(cls)
        found._names = frozenset()
        found._secrets = _longest_first(secret for one in maskers for secret in one._secrets)
        return found

    def arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments, sensitive ones as `***`, wherever they repeat them too."""
        return {
            name: MASK if name in self._names else self.value(value)
            for name, value in arguments.items()
        }

    def value(self, value: Any) -> Any:
        """A JSON value without any of the secrets, in keys as well."""
        if isinstance(value, Mapping):
            return {self.text(str(key)): self._of_key(key, inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner) for inner in value]
        if isinstance(value, str):
            return self.text(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return MASK if is_number and str(value) in self._secrets else value

    def text(self, text: str) -> str:
        """A text without any of the secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return text

    def _of_key(self, key: object, value: Any) -> Any:
        return MASK if key in self._names and value is not None else self.value(value)


def _longest_first(secrets: Iterable[str]) -> list[str]:
    return sorted(set(secrets), key=lambda secret: (-len(secret), secret))


def _forms(text: str) -> Iterator[str]:
    """The text, and as JSON within a text has it."""
    yield text
    for is_ascii in (True, False):
        yield json.dumps(text, ensure_ascii=is_ascii)[1:-1]


def _scalars(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _scalars(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _scalars(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
