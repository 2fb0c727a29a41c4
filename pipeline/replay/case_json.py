"""Cases as JSON, for review in git and for the store: read with place, reason and next step."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pipeline.replay.case import Case
from pipeline.replay.case_check import case_problems
from pipeline.replay.errors import CaseError

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

MAX_SHOWN: Final = 60
"""Characters of a wrong value that a message repeats."""
CASE_FIELDS: Final = frozenset(field.name for field in fields(Case))
"""What a case may hold."""


def case_from_json(value: object, where: str = "") -> Case:
    """The checked case.

    Args:
        value: The JSON value.
        where: File, or file and line, for the message.

    Raises:
        CaseError: A field is missing, unknown or impossible, or the kind lacks what it needs;
            names every one.
    """
    from pydantic import ValidationError

    if not isinstance(value, dict):
        raise CaseError(
            [f"a {type(value).__name__}: expected an object with case_id and kind"], where
        )
    try:
        case = _adapter().validate_python(value, strict=False)
    except ValidationError as error:
        raise CaseError(list(_sentences(error)), where) from error
    if problems := list(case_problems(case)):
        raise CaseError(problems, where)
    return case


def case_to_json(case: Case) -> dict[str, Any]:
    """The case as a JSON value in the order of its fields; what has its default is left out."""
    dumped = _adapter().dump_python(case, mode="json", exclude_defaults=True)
    return {"format": case.format, **dumped}


def read_case(path: Path) -> Case:
    """The case in one file.

    Raises:
        CaseError: The file is no JSON, or no case; names it.
    """
    import orjson

    try:
        value = orjson.loads(path.read_bytes())
    except OSError as error:
        raise CaseError(
            [f"cannot be read ({error.strerror}); check the path"], str(path)
        ) from error
    except orjson.JSONDecodeError as error:
        raise CaseError([f"is no JSON ({error}); correct it"], str(path)) from error
    return case_from_json(value, str(path))


def read_case_dir(folder: Path) -> list[Case]:
    """Every case in the `*.json` files of a folder and below, by case id.

    Raises:
        CaseError: There is no such folder, a file is no case, or two have one id; names the files.
    """
    if not folder.is_dir():
        raise CaseError(["no such folder: expected *.json files in it; name another"], str(folder))
    found: dict[str, tuple[Case, Path]] = {}
    for path in sorted(folder.rglob("*.json")):
        case = read_case(path)
        if case.case_id in found:
            other = found[case.case_id][1]
            raise CaseError(
                [f"case_id: {case.case_id}: {other} has it too; give one another"], str(path)
            )
        found[case.case_id] = (case, path)
    return [found[case_id][0] for case_id in sorted(found)]


def write_case(case: Case, folder: Path) -> Path:
    """Write a case into its file, one key a line, so that a review shows what changed."""
    import orjson

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.case_id}.json"
    path.write_bytes(orjson.dumps(case_to_json(case), option=orjson.OPT_INDENT_2) + b"\n")
    return path


@cache
def _adapter() -> "TypeAdapter[Case]":
    from pydantic import TypeAdapter

    return TypeAdapter(Case)


def _sentences(error: "ValidationError") -> Iterator[str]:
    for item in error.errors():
        place = _place(item["loc"])
        if item["type"] == "unexpected_keyword_argument":
            yield f"{place}: no such field: {_hint(item['loc'])}"
        elif item["type"] == "missing":
            yield f"{place}: missing: add it"
        else:
            problem = str(item["msg"]).replace("tuple", "list").replace("dictionary", "object")
            shown = repr(item["input"])[:MAX_SHOWN]
            yield f"{place}: {shown}: {problem[:1].lower()}{problem[1:]}; correct it"


def _place(loc: Sequence[str | int]) -> str:
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "case"


def _hint(loc: Sequence[str | int]) -> str:
    known = sorted(_field_names())
    closest = get_close_matches(str(loc[-1]), known, n=1)
    return f"rename it to {closest[0]!r}" if closest else "remove it"


def _field_names() -> set[str]:
    from pipeline.replay import case as module

    classes = [value for value in vars(module).values() if hasattr(value, "__dataclass_fields__")]
    return {field.name for found in classes for field in fields(found)}
