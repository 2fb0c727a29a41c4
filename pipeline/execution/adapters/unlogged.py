"""Keeps the client's own log lines quiet: httpx writes whole addresses, with what is secret in them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Final

_is_quiet: Final[ContextVar[bool]] = ContextVar("is_quiet", default=False)


@contextmanager
def unlogged() -> Iterator[None]:
    """While inside, and only in this task, httpx and httpcore log nothing below warnings."""
    _install()
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


class _Filter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or not _is_quiet.get()


@cache
def _install() -> None:
    """Filters do not pass down to child loggers, so each that writes gets one."""
    for name in ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2"):
        logging.getLogger(name).addFilter(_Filter())
