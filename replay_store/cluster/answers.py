"""What a cluster answers to a reader: whole where every shard answers, else said to be partial."""

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final

import orjson
import urllib3

from replay_store.cluster.client import Client, ClusterUrl
from replay_store.errors import ClusterError, ClusterUnreachableError, EngineTooMuchError

__all__ = ["Answers"]

_SHARD_IS_AWAY: Final = frozenset({32, 198, 209, 210, 279})
"""ClickHouse's numbers for a shard that does not answer: cut off, not found, too slow, refused, all tries
failed."""
_MOST_BYTES: Final = 1 << 30
"""Of one answer; what is more is no question for one machine."""
_PIECE_BYTES: Final = 1 << 20
_STRICT: Final[Mapping[str, str]] = {"skip_unavailable_shards": "0"}
_LENIENT: Final[Mapping[str, str]] = {"skip_unavailable_shards": "1"}


class Answers:
    """Asks for rows. Once a shard did not answer, the others are asked alone until `look_again`.

    Args:
        url: Where the cluster is.
    """

    def __init__(self, url: ClusterUrl) -> None:
        self.url = url
        self.is_partial = False
        """Whether a shard was missing when it was last asked."""
        self._client = _Streaming(url)

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """The answer, one dictionary a row.

        Raises:
            ClusterUnreachableError: Nobody answered.
            ClusterError: The question was refused.
        """
        text = self._asked(sql, None) or b""
        return [orjson.loads(line) for line in text.splitlines()]

    def save(self, sql: str, file: Path) -> None:
        """The answer as lines of JSON in a file.

        Raises:
            ClusterUnreachableError: Nobody answered.
            ClusterError: The question was refused.
            EngineTooMuchError: The answer is longer than what is brought to one machine.
        """
        with file.open("wb") as stream:
            self._asked(sql, stream)

    def look_again(self) -> None:
        """Ask every shard again from now on, those too that did not answer."""
        self.is_partial = False

    def close(self) -> None:
        """Let the connections go."""
        self._client.close()

    def _asked(self, sql: str, stream: IO[bytes] | None) -> bytes | None:
        text = f"{sql} format JSONEachRow"
        if not self.is_partial:
            try:
                return self._client.stream(text, _STRICT, stream)
            except ClusterError as error:
                if error.code not in _SHARD_IS_AWAY:
                    raise
            self.is_partial = True
        return self._client.stream(text, _LENIENT, stream)


class _Streaming(Client):
    """A client whose answers may be longer than memory."""

    def stream(
        self, sql: str, settings: Mapping[str, str], stream: IO[bytes] | None
    ) -> bytes | None:
        """Ask; the answer goes to `stream`, or is returned without one."""
        given = {
            "database": self.url.database,
            "output_format_json_quote_64bit_integers": "0",
            "enable_optimize_predicate_expression": "1",
            # Errors come as such: nothing is sent before all of it is known.
            "wait_end_of_query": "1",
            **settings,
        }
        if stream is None:
            return self._post(given, sql.encode(), None, is_told=True)
        answer = self._answer(given, sql.encode(), None, is_told=True, is_read=False)
        try:
            self._copy(answer, stream)
        except urllib3.exceptions.HTTPError as error:
            raise ClusterUnreachableError(
                f"cluster: {self.url.place}: the answer broke off ({type(error).__name__}): expected "
                "ClickHouse to go on; ask again"
            ) from error
        finally:
            answer.release_conn()
        return None

    def _copy(self, answer: urllib3.BaseHTTPResponse, stream: IO[bytes]) -> None:
        stream.seek(0)
        stream.truncate()
        n_bytes = 0
        for piece in answer.stream(_PIECE_BYTES):
            n_bytes += stream.write(piece)
            if n_bytes > _MOST_BYTES:
                answer.close()
                raise EngineTooMuchError(
                    f"{self.url.place}: the question reads more than {_MOST_BYTES >> 20} MiB of rows: "
                    "expected what fits one machine; narrow its time range"
                )
