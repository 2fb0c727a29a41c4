"""The owners' templates of this server: a folder of `<name>.<language>.j2`, read anew when it is asked.

Agents load the same folder (`OwnerTemplates.from_folder`), so a saved template can be switched to by
one parameter and without a restart.
"""

import os
from pathlib import Path
from typing import NamedTuple

from dashboard.errors import DashboardError
from dashboard.settings import Settings
from pipeline.observation import OwnerTemplates, TemplateError


class SavedTemplates(NamedTuple):
    """What a folder holds."""

    templates: OwnerTemplates
    problem: str | None
    """Why none of them can be used; None when they can."""


def folder_of(settings: Settings) -> Path:
    """Where templates are kept: as set, else `templates` beside the store."""
    return settings.template_folder or settings.db.parent / "templates"


def saved_templates(folder: Path) -> SavedTemplates:
    """The templates of a folder; none when there is no such folder."""
    try:
        return SavedTemplates(OwnerTemplates.from_folder(folder), None)
    except TemplateError as error:
        return SavedTemplates(OwnerTemplates(), str(error))


def save_template(folder: Path, name: str, language: str, source: str) -> str:
    """Check a template and write it; whoever reads meanwhile sees the old one or the new one.

    Returns:
        The name of its file.

    Raises:
        TemplateError: The name cannot be used, or the source.
        DashboardError: The folder cannot be written.
    """
    file = f"{name}.{language}.j2"
    OwnerTemplates.from_texts({file: source})
    beside = folder / f".{file}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        beside.write_text(source, encoding="utf-8")
        beside.replace(folder / file)
    except OSError as error:
        raise DashboardError(
            f"{folder}: {error.strerror}: expected a folder that can be written; "
            "name another with TOOLSIGHT_TEMPLATE_FOLDER"
        ) from error
    return file
