"""Public logs with human labels: where their messages, calls and errors lie, as the labels count."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

__all__ = ["Log", "labelled_logs"]

_HEARD: Final = frozenset({"human", "system", "tool", "user"})


@dataclass(frozen=True, slots=True)
class Log:
    """Where what lies in a published log. Messages are numbered as its labels number them."""

    spoken: tuple[int, ...]
    """Messages of an agent."""
    speakers: tuple[str, ...]
    """Who says each of those."""
    calls: tuple[int, ...]
    """The message that asks for each call."""
    first_error: int | None
    """The message whose call, or code, was answered by an error first."""


def labelled_logs(path: Path) -> dict[str, Log]:
    """The logs below a path by their case; what is no log, or no JSON, is left out."""
    import orjson

    found: dict[str, Log] = {}
    for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
        try:
            value = orjson.loads(file.read_bytes())
        except ValueError:
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                found.update(_log(item, file.stem))
    return found


def _log(item: Mapping[str, Any], stem: str) -> Iterator[tuple[str, Log]]:
    if isinstance(item.get("traj"), list):
        yield f"agentrx/{item.get('task_id')}", _trial(item["traj"])
    elif isinstance(item.get("history"), list):
        yield f"agentrx/{item.get('question_ID') or stem}", _team(item["history"])


def _trial(messages: Sequence[Mapping[str, Any]]) -> Log:
    """A run of tau-bench; its labels count messages from one."""
    calls: list[int] = []
    asked: dict[str, int] = {}
    first_error: int | None = None
    for number, message in enumerate(messages, 1):
        for call in message.get("tool_calls") or ():
            calls.append(number)
            asked[str(call.get("id"))] = number
        is_error = str(message.get("content") or "").startswith("Error")
        if message.get("role") == "tool" and is_error and first_error is None:
            first_error = asked.get(str(message.get("tool_call_id")), number - 1)
    spoken = [n for n, item in enumerate(messages, 1) if item.get("role") == "assistant"]
    return Log(tuple(spoken), ("assistant",) * len(spoken), tuple(calls), first_error)


def _team(messages: Sequence[Mapping[str, Any]]) -> Log:
    """What a team said; its labels count messages from zero."""
    names = [str(item.get("name") or item.get("role") or "").lower() for item in messages]
    speakers = [name.split(" (")[0] for name in names]
    spoken = [n for n, name in enumerate(speakers) if name not in _HEARD]
    failed = (
        number - 1
        for number, item in enumerate(messages)
        if number and _is_failed_code(str(item.get("content") or ""))
    )
    return Log(
        spoken=tuple(spoken),
        speakers=tuple(speakers[number] for number in spoken),
        calls=(),
        first_error=next(failed, None),
    )


def _is_failed_code(text: str) -> bool:
    return text.startswith("exitcode:") and not text.startswith("exitcode: 0")
