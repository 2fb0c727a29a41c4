"""Choosers: who picks a tool in a case. Nothing here calls a tool.

Owns the recorded, the lexical and the random chooser, any OpenAI-compatible endpoint, and a Python
callable. Refuses settings and the environment: keys and addresses are arguments.
"""

from pathlib import Path

from pipeline.replay.choosers.chance import RandomChooser
from pipeline.replay.choosers.endpoint import EndpointChooser
from pipeline.replay.choosers.function import FunctionChooser, load_function
from pipeline.replay.choosers.lexical import LexicalChooser
from pipeline.replay.choosers.recorded import RecordedChooser
from pipeline.replay.choosers.situation import Chooser, Situation
from pipeline.replay.errors import ChooserError

__all__ = [
    "Chooser",
    "EndpointChooser",
    "FunctionChooser",
    "LexicalChooser",
    "RandomChooser",
    "RecordedChooser",
    "Situation",
    "chooser",
    "load_function",
]


def chooser(reference: str, *, api_key: str | None = None, seed: int = 0) -> Chooser:
    """The chooser that a reference names.

    Args:
        reference: `recorded`, `lexical`, `random`, `openai:MODEL@URL`, `module:function` or
            `path/to/file.py:function`.
        api_key: For an endpoint.
        seed: For `random`.

    Raises:
        ChooserError: It names none; says what may be named.
    """
    match reference:
        case "recorded":
            return RecordedChooser()
        case "lexical":
            return LexicalChooser()
        case "random":
            return RandomChooser(seed)
    if reference.startswith("openai:"):
        model, separator, url = reference.removeprefix("openai:").rpartition("@")
        if not separator or not model:
            raise ChooserError(f"{reference}: expected openai:MODEL@URL; write it so")
        return EndpointChooser(model, url, api_key)
    if ":" in reference:
        return FunctionChooser(Path(reference).name, load_function(reference))
    raise ChooserError(
        f"{reference}: expected recorded, lexical, random, openai:MODEL@URL, module:function or "
        "file.py:function; name one of them"
    )
