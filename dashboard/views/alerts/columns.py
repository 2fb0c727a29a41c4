"""What the tables of alerts have in common."""

from typing import Final

from dashboard.formats import NO_VALUE
from metrics.alerts import AlertKey

TIME_WIDTH: Final = 120
"""Pixels that a date with its minute takes."""


def subject_text(key: AlertKey) -> str:
    """Whose figure it is: the tool and what is named beside it; a dash for the figure of all."""
    names = (key.tool_name, None if key.subject is None else key.subject.name)
    return " ".join(dict.fromkeys(name for name in names if name)) or NO_VALUE
