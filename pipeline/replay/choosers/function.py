"""A Python callable as chooser: `module:function`, or `path/to/file.py:function`.

It is given `{"input": [...], "offered": [...], "case_id": ..., "step": ...}` in the words of a case's
file, and returns `{"tool": ..., "arguments": {...}}`, the name of a tool, or None for no call.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from pipeline.replay.case import Chosen
from pipeline.replay.choosers.situation import Situation
from pipeline.replay.errors import ChooserError
from pipeline.vocabulary import NO_CALL


@dataclass(frozen=True, slots=True)
class FunctionChooser:
    """Chooses what a function returns."""

    name: str
    function: Callable[[Mapping[str, Any]], Any]

    def choose(self, situation: Situation) -> Chosen:
        """What the function returns for the situation.

        Raises:
            ChooserError: It returned something that is no choice.
        """
        given = asdict(situation)
        del given["recorded"]
        answer = self.function(given)
        if answer is None:
            return Chosen(NO_CALL)
        if isinstance(answer, str):
            return Chosen(answer)
        if isinstance(answer, Mapping) and isinstance(answer.get("tool"), str):
            arguments = answer.get("arguments")
            if arguments is None or isinstance(arguments, Mapping):
                return Chosen(answer["tool"], arguments)
        raise ChooserError(
            f"{self.name}: {type(answer).__name__} {str(answer)[:60]!r}: expected a tool's name, "
            '{"tool": ..., "arguments": {...}} or None; return one of them'
        )


def load_function(reference: str) -> Callable[..., Any]:
    """The function behind `module:function` or `path/to/file.py:function`.

    Raises:
        ChooserError: There is no such module or function; says which.
    """
    place, _, name = reference.rpartition(":")
    if not place or not name:
        raise ChooserError(
            f"{reference}: expected module:function or file.py:function; write it so"
        )
    module = _from_file(Path(place), reference) if place.endswith(".py") else _by_name(place)
    found = getattr(module, name, None)
    if not callable(found):
        raise ChooserError(f"{reference}: {place} has no function {name}; correct the name")
    function: Callable[..., Any] = found
    return function


def _by_name(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise ChooserError(
            f"{name}: cannot be imported ({error}): install it, or name a file.py:function"
        ) from error


def _from_file(path: Path, reference: str) -> ModuleType:
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ChooserError(f"{reference}: no such file; correct the path")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
