"""Talking to ClickHouse over HTTP: where it is, one question at a time, one insert at a time.

Speaks what 18.16 and a current server both understand. A node that does not answer is passed over for
the next one named.
"""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import urllib3

from replay_store.errors import ClusterError, ClusterUnreachableError

__all__ = ["Client", "ClusterUrl", "Node"]

_SCHEME: Final = "clickhouse"
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PORT: Final = 8123
_SECURE_PORT: Final = 8443
_CODE: Final = re.compile(r"Code: (\d+)")
_SECONDS: Final = urllib3.Timeout(connect=5, read=120)
_SHOWN: Final = 300
_INSERT: Final[Mapping[str, str]] = {"insert_distributed_sync": "1"}
"""An answer comes only after every shard has its rows."""
_HELP: Final = "write clickhouse://USER@HOST:8123/DATABASE?cluster=NAME"


@dataclass(frozen=True, slots=True)
class Node:
    """One server of the cluster."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ClusterUrl:
    """Where a cluster is: `clickhouse://USER:PASSWORD@HOST:PORT[,HOST:PORT…]/DATABASE?cluster=NAME`."""

    nodes: tuple[Node, ...]
    database: str
    cluster: str | None
    """As `remote_servers` names it; None for a single node."""
    user: str = "default"
    password: str = field(default="", repr=False)
    is_secure: bool = False
    """Whether it is asked over TLS (`secure=1`)."""

    @classmethod
    def parse(cls, text: str, password: str | None = None) -> "ClusterUrl":
        """What a URL says.

        Args:
            text: The URL; without a port 8123 (8443 over TLS), without a database `default`.
            password: Taken where the URL names none.

        Raises:
            ClusterError: It cannot be read; says why, without showing it.
        """
        url = urlsplit(text)
        if url.scheme != _SCHEME or not url.netloc:
            raise ClusterError(f"cluster: not an address of ClickHouse: {_HELP}")
        options = dict(parse_qsl(url.query))
        if unknown := sorted(options.keys() - {"cluster", "secure"}):
            raise ClusterError(f"cluster: {unknown[0]}: no such option: expected cluster or secure")
        is_secure = options.get("secure", "0") in {"1", "true"}
        login, _, hosts = url.netloc.rpartition("@")
        user, _, told = login.partition(":")
        cluster = options.get("cluster")
        return cls(
            tuple(_nodes(hosts, _SECURE_PORT if is_secure else _PORT)),
            _named(url.path.strip("/") or "default", "database"),
            None if cluster is None else _named(cluster, "cluster"),
            unquote(user) or "default",
            unquote(told) or password or "",
            is_secure,
        )

    @property
    def place(self) -> str:
        """Where it is, without who asks: may be shown and kept."""
        nodes = ",".join(sorted(map(str, self.nodes)))
        at = f"?cluster={self.cluster}" if self.cluster else ""
        return f"{_SCHEME}://{nodes}/{self.database}{at}"


class Client:
    """Asks one cluster; may be shared between threads."""

    def __init__(self, url: ClusterUrl) -> None:
        self.url = url
        self._nodes = list(url.nodes)
        login = f"{url.user}:{url.password}"
        self._pool = urllib3.PoolManager(
            retries=False,
            timeout=_SECONDS,
            headers={"Authorization": f"Basic {b64encode(login.encode()).decode()}"},
        )

    def ask(self, sql: str, *, node: Node | None = None) -> bytes:
        """What the cluster answers to a text; 64-bit numbers in JSON are numbers.

        Args:
            sql: Any statement, with its FORMAT.
            node: Asked alone; None asks the first that answers.

        Raises:
            ClusterUnreachableError: Nobody answered.
            ClusterError: It was refused; says why.
        """
        settings = {"output_format_json_quote_64bit_integers": "0"}
        return self._post(settings, sql.encode(), node, is_told=True)

    def insert(self, relation: str, lines: bytes) -> None:
        """Insert rows as lines of JSON; done on every shard when it returns.

        Raises:
            ClusterUnreachableError: Nobody answered; the rows may be there or not.
            ClusterError: It was refused; parts of it may be there.
        """
        query = f"insert into {self.url.database}.{relation} format JSONEachRow"
        self._post({**_INSERT, "query": query}, lines, None, is_told=False)

    def close(self) -> None:
        """Let the connections go."""
        self._pool.clear()

    def _post(
        self, settings: Mapping[str, str], body: bytes, node: Node | None, *, is_told: bool
    ) -> bytes:
        data: bytes = self._answer(settings, body, node, is_told=is_told, is_read=True).data
        return data

    def _answer(
        self,
        settings: Mapping[str, str],
        body: bytes,
        node: Node | None,
        *,
        is_told: bool,
        is_read: bool,
    ) -> urllib3.BaseHTTPResponse:
        """The answer of the first node that gives one; read to its end, or left to be read."""
        last: urllib3.exceptions.HTTPError | None = None
        for asked in [node] if node else tuple(self._nodes):
            try:
                answer = self._pool.request(
                    "POST", self._address(asked, settings), body=body, preload_content=is_read
                )
            except urllib3.exceptions.HTTPError as error:
                last = error
                self._put_last(asked)
                continue
            if answer.status != 200:
                raise _refused(asked, answer, is_told=is_told)
            return answer
        named = ", ".join(map(str, [node] if node else self.url.nodes))
        raise ClusterUnreachableError(
            f"cluster: {named}: no answer ({type(last).__name__}): expected ClickHouse over HTTP; "
            "start it, or correct the address"
        ) from last

    def _address(self, node: Node, settings: Mapping[str, str]) -> str:
        scheme = "https" if self.url.is_secure else "http"
        return f"{scheme}://{node}/?{urlencode(settings)}"

    def _put_last(self, node: Node) -> None:
        """Ask one that did not answer after the others from now on."""
        self._nodes = [other for other in self._nodes if other != node] + [node]


def _refused(node: Node, answer: urllib3.BaseHTTPResponse, *, is_told: bool) -> ClusterError:
    text = answer.data.decode(errors="replace")
    found = _CODE.search(text)
    code = int(found[1]) if found else None
    # What ClickHouse says of an insert may quote its rows.
    said = " ".join(text.split())[:_SHOWN] if is_told else f"code {code}"
    return ClusterError(f"cluster: {node}: refused: HTTP {answer.status}: {said}", code)


def _nodes(hosts: str, port: int) -> Iterator[Node]:
    for part in hosts.split(","):
        try:
            url = urlsplit(f"//{part}")
            host, given = url.hostname, url.port
        except ValueError as error:
            raise ClusterError(f"cluster: a node cannot be read: {_HELP}") from error
        if not host:
            raise ClusterError(f"cluster: a node has no name: {_HELP}")
        yield Node(host, given or port)


def _named(text: str, what: str) -> str:
    if not _NAME.fullmatch(text):
        raise ClusterError(
            f"cluster: the {what} cannot be used: expected letters, digits and _; {_HELP}"
        )
    return text
