"""What an owner wrote into a generated file, between marks, and how it survives generating again.

A region begins with a line `# >>> keep NAME` and ends with `# <<< keep NAME`, at any indentation.
"""

import re
from collections.abc import Mapping
from typing import Final

from pipeline.observation.errors import RuleFileError

_MARK: Final = re.compile(r"[ \t]*# (>>>|<<<) keep (\w+)[ \t]*")
GENERATED: Final = "Generated from "
"""Stands in the first line of every generated file."""


def kept_regions(file: str, text: str) -> dict[str, str]:
    """The text of each region by name, as it stands.

    Raises:
        RuleFileError: The file was not generated, a mark has no partner, or a name stands twice;
            names file and line.
    """
    if GENERATED not in text.split("\n\n", 1)[0]:
        problem = "exists and was not generated: it would be overwritten"
        raise RuleFileError(file, "line 1", problem, ["another --out folder"])
    regions: dict[str, str] = {}
    name, lines = "", [""]
    for number, line in enumerate(text.splitlines(), start=1):
        mark = _MARK.fullmatch(line)
        if mark is None:
            lines.append(line)
            continue
        _require_order(file, number, mark, name, regions)
        if mark[1] == ">>>":
            name, lines = mark[2], []
        else:
            regions[name] = "".join(f"{kept}\n" for kept in lines)
            name = ""
    if name:
        raise RuleFileError(
            file, "last line", f"# >>> keep {name} has no end", [f"# <<< keep {name}"]
        )
    return regions


def with_regions(text: str, regions: Mapping[str, str]) -> str:
    """The generated text with the owner's regions in the place of its own."""
    lines: list[str] = []
    name = ""
    for line in text.splitlines():
        mark = _MARK.fullmatch(line)
        if mark is not None and mark[1] == ">>>" and mark[2] in regions:
            name = mark[2]
            lines += [line, *regions[name].splitlines()]
        elif mark is not None or not name:
            name = ""
            lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def _require_order(
    file: str, number: int, mark: "re.Match[str]", name: str, regions: Mapping[str, str]
) -> None:
    place = f"line {number}"
    if mark[1] == ">>>" and name:
        raise RuleFileError(
            file, place, f"# >>> keep {name} has no end before", [f"# <<< keep {name}"]
        )
    if mark[1] == ">>>" and mark[2] in regions:
        raise RuleFileError(file, place, f"# >>> keep {mark[2]} stands twice")
    if mark[1] == "<<<" and mark[2] != name:
        raise RuleFileError(
            file, place, f"# <<< keep {mark[2]} ends nothing", [f"# >>> keep {mark[2]}"]
        )
