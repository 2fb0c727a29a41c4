"""Public benchmarks of tool choice as replay cases, from the files as they are published."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ingest.containers.fields import arr, obj, txt
from ingest.containers.json_text import loads
from ingest.errors import RecordError, SourceError
from ingest.paths import os_problem
from pipeline.replay import ArgumentRule, Case, CaseKind, Gold, Offered, Passage

__all__ = ["BFCL_CATEGORIES", "bfcl_cases", "bfcl_categories"]

BFCL_CATEGORIES: Final = ("multiple", "live_multiple")
"""One tool is right among several: what a choice can be judged by."""
_FILE: Final = re.compile(r"BFCL_v\d+_(?P<category>\w+)\.json")
_ANSWERS: Final = "possible_answer"


def bfcl_categories(folder: Path) -> list[str]:
    """The categories of one right tool among several whose questions and answers are both there."""
    return [name for name in BFCL_CATEGORIES if all(_files(folder, name))]


def bfcl_cases(folder: Path, category: str) -> Iterator[Case]:
    """The questions of one category with what is right in them.

    Args:
        folder: Holds `BFCL_v4_<category>.json` and the file of the same name in `possible_answer`,
            in any folder below.
        category: Such as `multiple`.

    Raises:
        SourceError: One of the files is missing, cannot be read, or holds something else; names it.
    """
    questions, answers = _files(folder, category)
    if questions is None or answers is None:
        missing = "questions" if questions is None else "possible answers"
        raise SourceError(
            f"{folder}: no {missing} of {category}: expected BFCL_v4_{category}.json and the same "
            f"in {_ANSWERS}; name the data folder of bfcl-eval"
        )
    right = {txt(row.get("id")): arr(row.get("ground_truth")) for row in _rows(answers)}
    for row in _rows(questions):
        yield _case(row, right.get(txt(row.get("id"))), questions)


def _files(folder: Path, category: str) -> tuple[Path | None, Path | None]:
    questions = answers = None
    for path in sorted(folder.rglob("BFCL_v*.json")):
        match = _FILE.fullmatch(path.name)
        if match is None or match["category"] != category:
            continue
        if path.parent.name == _ANSWERS:
            answers = path
        elif "answer" not in path.parent.name and "result" not in path.parent.name:
            questions = path
    return questions, answers


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise SourceError(f"{path}: {os_problem(error)}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield obj(loads(line))
            except RecordError as error:
                raise SourceError(f"{path}: line {number}: {error}") from error


def _case(row: Mapping[str, Any], truth: Sequence[Any] | None, path: Path) -> Case:
    name = txt(row.get("id"))
    calls = [call for item in truth or () for call in obj(item).items()]
    if name is None or not calls:
        raise SourceError(f"{path}: {name}: no id, or no right call; use the published files")
    asked = [message for turn in arr(row.get("question")) for message in arr(turn)]
    return Case(
        case_id=f"bfcl-{name}",
        kind=CaseKind.DECISION,
        input=tuple(
            Passage(str(obj(item).get("role")), str(obj(item).get("content"))) for item in asked
        ),
        offered=tuple(_offered(obj(tool)) for tool in arr(row.get("function"))),
        gold=Gold(
            "CALL",
            best=tuple(dict.fromkeys(tool for tool, _ in calls)),
            arguments={tool: _rules(obj(arguments)) for tool, arguments in calls},
        ),
    )


def _offered(tool: Mapping[str, Any]) -> Offered:
    return Offered(str(tool.get("name")), txt(tool.get("description")), obj(tool.get("parameters")))


def _rules(arguments: Mapping[str, Any]) -> dict[str, ArgumentRule]:
    """Any of the listed values; an empty text in the list means that it may be left out."""
    return {
        name: ArgumentRule(
            values=tuple(value for value in arr(values) if value != ""),
            is_optional="" in arr(values),
        )
        for name, values in arguments.items()
    }
