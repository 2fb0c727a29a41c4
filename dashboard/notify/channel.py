"""One address and what can be sent to it."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Protocol

from dashboard.errors import SettingsError

__all__ = ["Channel", "Message", "Outcome", "channels"]

MAX_TRIES: Final = 3
_FIRST_PAUSE_SECONDS: Final = 1.0
_FACTOR: Final = 4
_TALKATIVE: Final = frozenset({"apprise", "urllib3", "requests", "httpx", "httpcore", "smtplib"})
_WHERE: Final = "TOOLSIGHT_NOTIFY"


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent: plain text, no markup."""

    title: str
    body: str
    is_good_news: bool = False
    """Something is over."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a message."""

    is_sent: bool
    n_tries: int
    detail: str | None
    """Why not, without anything of the address."""


class Target(Protocol):
    """What an address stands for: Apprise's plugins are such."""

    def notify(self, body: str, **given: Any) -> bool:
        """Whether the message went out."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One way to reach people."""

    name: str
    """Its kind and a fingerprint of its address, such as `slack:3f2a91`."""
    target: Target

    def send(
        self, message: Message, sleep: Callable[[float], object], max_tries: int = MAX_TRIES
    ) -> Outcome:
        """Send, and try again after a pause that grows; says in the end what became of it."""
        pause = _FIRST_PAUSE_SECONDS
        for n_tries in range(1, max_tries + 1):
            if self._try(message):
                return Outcome(is_sent=True, n_tries=n_tries, detail=None)
            if n_tries < max_tries:
                sleep(pause)
                pause *= _FACTOR
        return Outcome(
            is_sent=False, n_tries=max_tries, detail="not accepted: check the address and its key"
        )

    def _try(self, message: Message) -> bool:
        kind = "success" if message.is_good_news else "warning"
        with _silenced():
            try:
                return bool(
                    self.target.notify(body=message.body, title=message.title, notify_type=kind)
                )
            except (OSError, TypeError, ValueError):
                return False


def channels(addresses: Iterable[str]) -> list[Channel]:
    """A channel for each address (`slack://…`, `mailto://…`, `dingtalk://…`).

    Raises:
        SettingsError: Apprise is not installed, or cannot read an address; names its place in the
            list, never the address itself.
    """
    held = list(addresses)
    if not held:
        return []
    try:
        import apprise
    except ImportError as error:
        raise SettingsError(
            f"{_WHERE}: Apprise is not installed; run `pip install 'toolsight[notify]'`"
        ) from error
    found = []
    for place, address in enumerate(held, 1):
        with _silenced():
            target = apprise.Apprise.instantiate(address, suppress_exceptions=True)
        if target is None:
            raise SettingsError(
                f"{_WHERE}: address {place} of {len(held)}: Apprise cannot read it; see "
                "https://github.com/caronc/apprise for how addresses are written"
            )
        found.append(Channel(_name(address), target))
    return found


def _name(address: str) -> str:
    kind = address.split(":", maxsplit=1)[0].strip().lower()
    return f"{kind}:{blake2b(address.encode(), digest_size=3).hexdigest()}"


@contextmanager
def _silenced() -> Iterator[None]:
    """Apprise and the HTTP library under it log addresses, keys included: not while we send."""
    known = list(logging.Logger.manager.loggerDict)
    loggers = [logging.getLogger(name) for name in known if name.split(".")[0] in _TALKATIVE]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, was_disabled in zip(loggers, before, strict=True):
            logger.disabled = was_disabled
