"""What a command writes, sent where it belongs while several run in one process."""

import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

__all__ = ["captured", "routed"]

_Sink = Callable[[str], None]
_out: ContextVar[_Sink | None] = ContextVar("out", default=None)
_err: ContextVar[_Sink | None] = ContextVar("err", default=None)


@contextmanager
def routed() -> Iterator[None]:
    """Let `captured` take what commands write; what nobody captures goes where it went before."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Routed(before[0], _out), _Routed(before[1], _err)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def captured(out: _Sink, err: _Sink) -> Iterator[None]:
    """Hand what this thread writes to standard output and error to these."""
    tokens = _out.set(out), _err.set(err)
    try:
        yield
    finally:
        _out.reset(tokens[0])
        _err.reset(tokens[1])


class _Routed(io.TextIOBase):
    def __init__(self, stream: TextIO, sink: ContextVar[_Sink | None]) -> None:
        self._stream = stream
        self._sink = sink

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    @property
    def errors(self) -> str:  # type: ignore[override]
        return "replace"

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._sink.get() is None and self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, text: str, /) -> int:
        if not isinstance(text, str):
            raise TypeError("text, not bytes")
        sink = self._sink.get()
        if sink is None:
            return self._stream.write(text)
        if text:
            sink(text)
        return len(text)

    def flush(self) -> None:
        if self._sink.get() is None:
            self._stream.flush()
