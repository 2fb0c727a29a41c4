"""The demonstration world: small recorded files of a shop's agent, and the scenario behind them.

Owns the recorded files (`data/`), the stories they tell (`stories`), and the seeded scenario that
made them (`record`). Refuses to
know the store and the readers: files and spans are the only contract. Importing this package
costs nothing; the scenario and the OpenTelemetry SDK load with `sample_traces.world`.
"""

from importlib.resources import files
from pathlib import Path

from sample_traces.stories import STORIES_FILE, Story, stories

TRACES_FILE = "shop.otlp.jsonl.gz"
NOISE_FILE = "noise_log.jsonl.gz"
LABELS_FILE = "labels.jsonl.gz"
CASES_FILE = "replay_cases.jsonl.gz"
DATA_FILES = (TRACES_FILE, NOISE_FILE, LABELS_FILE, CASES_FILE)
"""File names in load order: traces, noise log, audit labels, replay cases."""

__all__ = [
    "CASES_FILE",
    "DATA_FILES",
    "LABELS_FILE",
    "NOISE_FILE",
    "STORIES_FILE",
    "TRACES_FILE",
    "Story",
    "contract_folder",
    "paths",
    "stories",
]


def paths() -> list[Path]:
    """The recorded files in load order: traces, noise log, audit labels, replay cases."""
    folder = _folder() / "data"
    return [folder / name for name in DATA_FILES]


def contract_folder() -> Path:
    """The contract files of the shop's tools."""
    return _folder() / "tools"


def _folder() -> Path:
    return Path(str(files(__package__ or __name__)))
