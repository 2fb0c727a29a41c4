"""Arrow without pandas, for commands that show no data frame."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

__all__ = ["leave_pandas_out"]

_NAME: Final = "pandas"


def leave_pandas_out() -> None:
    """Let Arrow build its arrays without pandas; what asks for a data frame still gets one.

    At its first array Arrow imports pandas, only to tell pandas' arrays from others: a third of a
    second of processor time and 45 MB, more than all else that a command loads. Where pandas is
    loaded already nothing is done.
    """
    if _NAME in sys.modules:
        return
    import pyarrow as pa

    absent = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(absent)


class _Absent(MetaPathFinder):
    """Says that there is no pandas."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname == _NAME:
            raise ModuleNotFoundError(f"No module named {_NAME!r}", name=_NAME)
        return None
