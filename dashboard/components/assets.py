"""The files beside a component: its style sheet and its scripts."""

from importlib.resources import files

__all__ = ["asset"]


def asset(component: str, name: str) -> str:
    """The text of a file.

    Args:
        component: The package of the component.
        name: Of the file in it.
    """
    return files(component).joinpath(name).read_text(encoding="utf-8")
