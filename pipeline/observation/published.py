"""Published rules: immutable versions named by their content, and a pointer to the one in force.

A place of publication, a folder or the same folder served over HTTP, holds

    pointer.json            {"version": "<64 hex digits>", "shadow": "<64 hex digits>"}
    versions/<hex>.json     {"<file name>": "<YAML text>", ...}

`shadow` names the version that reads beside the one in force and is shown to nobody; it is left out
where there is none. A version's name is the SHA-256 of its file's bytes, so whoever fetched it can tell that it is whole.

Code is never published and never fetched: whoever could write into the place of publication could
otherwise run code in every agent. Parsers are deployed with the agent; a rule file that needs one
names it by version and hash (`parser: {version, sha256}`). A watcher refuses a version whose code is
not here, and an answer that such a file would read is UNPARSED (`parser_missing`), never half read.
"""

import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, Protocol
from urllib.parse import quote, urlsplit

from pipeline.observation.errors import RuleSourceError
from pipeline.observation.rules import RuleSet, load_rules, package_rules

POINTER: Final = "pointer.json"
V0: Final = "v0"
"""The version that is the package's own files."""
MAX_BYTES: Final = 8_000_000
"""Size of a version's file; a larger one is refused."""
SHORT: Final = 12
"""Digits of a version by which facts name it."""
_VERSION: Final = re.compile(r"[0-9a-f]{64}")


WORKER_HEADER: Final = "X-Toolsight-Worker"
"""Who asks; percent-encoded, like the values of the other two."""
RULES_HEADER: Final = "X-Toolsight-Rules"
"""Whole name of the version they read with."""
REFUSED_HEADER: Final = "X-Toolsight-Refused"
"""Whole name of a version they were given and did not take."""
PROBLEM_HEADER: Final = "X-Toolsight-Problem"
MAX_TOLD: Final = 300
"""Characters of what an agent tells of itself in one header, before it is encoded."""


class Told(NamedTuple):
    """What an agent tells the place of publication at a look."""

    version: str
    """Whole name of the version it reads with."""
    refused: str | None = None
    problem: str | None = None


class Pointers(NamedTuple):
    """What a place of publication points to."""

    version: str
    """In force: 64 hex digits, or `v0` for the package's own files."""
    shadow: str | None = None
    """The one that reads in its shadow; None without any."""


class RuleSource(Protocol):
    """Where published rules come from."""

    @property
    def name(self) -> str:
        """What it is, for messages."""
        ...

    def pointer(self) -> str:
        """The version in force: 64 hex digits, or `v0` for the package's own files.

        Raises:
            RuleSourceError: It cannot be read.
        """
        ...

    def rules(self, version: str) -> RuleSet:
        """One version, checked against its name.

        Raises:
            RuleSourceError: It cannot be read, or is not what its name says.
            RuleFileError: This release cannot use it.
        """
        ...


@dataclass(frozen=True, slots=True)
class PackageSource:
    """The package's own rules; they never change."""

    name: str = "package"

    def pointer(self) -> str:
        """Always `v0`."""
        return V0

    def rules(self, version: str) -> RuleSet:
        """The package's rules.

        Raises:
            RuleSourceError: Another version than `v0` was asked for.
        """
        if version != V0:
            raise RuleSourceError(f"package: version {version}: expected {V0}; ask another source")
        return package_rules()


@dataclass(frozen=True, slots=True)
class FolderSource:
    """A folder of published versions."""

    folder: Path

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    def pointer(self) -> str:
        """The version in force."""
        return self.pointers().version

    def pointers(self) -> Pointers:
        """The version in force, and the one in its shadow."""
        return _pointed_to(self.name, self._read(POINTER))

    def rules(self, version: str) -> RuleSet:
        """One version, checked against its name."""
        if version == V0:
            return package_rules()
        return _verified(
            self.name, version, self._read(f"versions/{_checked(self.name, version)}.json")
        )

    def _read(self, name: str) -> bytes:
        try:
            with (self.folder / name).open("rb") as file:
                return _bounded(self.name, name, file.read(MAX_BYTES + 1))
        except OSError as error:
            raise RuleSourceError(
                f"{self.name}/{name}: {type(error).__name__}: expected a published version; "
                "publish into this folder, or name another"
            ) from error


@dataclass(frozen=True, slots=True)
class HttpSource:
    """A folder of published versions behind a web server."""

    url: str
    """`http://` or `https://` address of the folder; of a Toolsight server `.../rules/default`."""
    timeout_seconds: float = 5.0
    token: str | None = field(default=None, repr=False)
    """Shown as a bearer token; never followed to another address, and in no message."""
    worker: str | None = None
    """How the agent is called on the server's page; None takes host and process. Empty tells
    nothing."""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RuleSourceError(f"{self.url!r}: expected an http:// or https:// address")

    @property
    def name(self) -> str:
        """Host and path, without any password."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}{parts.path}"

    def pointer(self, told: Told | None = None) -> str:
        """The version in force; with `told` the server learns who reads by which version."""
        return self.pointers(told).version

    def pointers(self, told: Told | None = None) -> Pointers:
        """The version in force, and the one in its shadow; `told` as for `pointer`."""
        return _pointed_to(self.name, self._read(POINTER, told))

    def rules(self, version: str) -> RuleSet:
        """One version, checked against its name."""
        if version == V0:
            return package_rules()
        return _verified(
            self.name, version, self._read(f"versions/{_checked(self.name, version)}.json")
        )

    def _headers(self, told: Told) -> dict[str, str]:
        import socket

        worker = f"{socket.gethostname()}:{os.getpid()}" if self.worker is None else self.worker
        if not worker:
            return {}
        values = {
            WORKER_HEADER: worker,
            RULES_HEADER: told.version,
            REFUSED_HEADER: told.refused,
            PROBLEM_HEADER: told.problem,
        }
        return {name: quote(text[:MAX_TOLD]) for name, text in values.items() if text}

    def _read(self, name: str, told: Told | None = None) -> bytes:
        from pipeline.observation.fetching import fetched

        address = f"{self.url.rstrip('/')}/{name}"
        place = f"{self.name}/{name}"
        return _bounded(
            self.name,
            name,
            fetched(
                address,
                place,
                self.token,
                self.timeout_seconds,
                MAX_BYTES + 1,
                None if told is None else self._headers(told),
            ),
        )


def _bounded(source: str, name: str, body: bytes) -> bytes:
    if len(body) > MAX_BYTES:
        raise RuleSourceError(f"{source}/{name}: larger than {MAX_BYTES} bytes; split the rules")
    return body


def _checked(source: str, version: str) -> str:
    if not _VERSION.fullmatch(version):
        raise RuleSourceError(f"{source}: version {version!r}: expected 64 hex digits or {V0}")
    return version


def _pointed_to(source: str, body: bytes) -> Pointers:
    try:
        said = json.loads(body)
        version, shadow = said["version"], said.get("shadow")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise RuleSourceError(
            f'{source}/{POINTER}: expected {{"version": "..."}}; publish again'
        ) from error
    return Pointers(_named(source, version), None if shadow is None else _named(source, shadow))


def _named(source: str, version: object) -> str:
    return V0 if version == V0 else _checked(source, str(version))


def _verified(source: str, version: str, body: bytes) -> RuleSet:
    found = hashlib.sha256(body).hexdigest()
    if found != version:
        raise RuleSourceError(
            f"{source}: version {version[:SHORT]}: its content is {found[:SHORT]}: expected the "
            "published bytes; publish it again"
        )
    try:
        texts = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise RuleSourceError(
            f"{source}: version {version[:SHORT]}: is no JSON; publish it again"
        ) from error
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise RuleSourceError(
            f"{source}: version {version[:SHORT]}: expected texts by file name; publish it again"
        )
    return load_rules(texts, version[:SHORT])
