"""SQL texts of this package, read once from the files beside it."""

from functools import cache
from importlib.resources import files


@cache
def statement(name: str) -> str:
    """The text of `replay_store/<name>.sql`; `name` may hold a folder, such as `derive/trace`."""
    return (files(__package__) / f"{name}.sql").read_text(encoding="utf-8")
