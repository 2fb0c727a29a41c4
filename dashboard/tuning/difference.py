"""What two sets of rule files say differently, line by line."""

import difflib
from collections.abc import Mapping

__all__ = ["difference"]


def difference(old: Mapping[str, str], new: Mapping[str, str], names: tuple[str, str]) -> str:
    """The unified difference of two sets of files; empty when they are equal.

    Args:
        old: YAML text by file name.
        new: Likewise.
        names: What the two sides are called, such as their versions.
    """
    lines: list[str] = []
    for file in sorted(old.keys() | new.keys()):
        lines += difflib.unified_diff(
            old.get(file, "").splitlines(),
            new.get(file, "").splitlines(),
            f"{names[0]}/{file}",
            f"{names[1]}/{file}",
            lineterm="",
        )
    return "\n".join(lines)
