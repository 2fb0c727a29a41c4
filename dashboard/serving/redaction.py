"""The redactor that the settings ask for."""

from typing import TYPE_CHECKING

from dashboard.settings import Settings

if TYPE_CHECKING:
    from ingest import Redactor

__all__ = ["redactor"]


def redactor(settings: Settings) -> "Redactor | None":
    """What takes out what must not be kept; None when everything is."""
    from ingest.redaction import DEFAULT_KEYS, Kind, Redactor

    kinds = [Kind(name) for name in settings.redact]
    keys = DEFAULT_KEYS if settings.redact_keys is None else settings.redact_keys
    return Redactor(kinds, keys) if kinds else None
