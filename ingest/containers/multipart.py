"""Requests of LangSmith's multipart upload: the parts of each run put together to a batch.

A part is named `<post|patch>.<run id>` for the run itself and `<post|patch>.<run id>.<field>` for a
field that was sent apart (`inputs`, `outputs`, `events`, `error`, `extra`, `serialized`). Feedback
and attachments are refused by their place.
"""

import re
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, Final

from ingest.containers.drafts import Piece, Refused
from ingest.containers.json_text import loads_plain
from ingest.containers.json_values import DOCUMENT, Values
from ingest.errors import Reason, RecordError
from ingest.source import MAX_DOCUMENT_BYTES, Source
from ingest.text import storable

_START: Final = re.compile(
    rb"--(?P<boundary>[^\r\n]{1,70})\r?\n(?:[^\r\n]+\r?\n)*?"
    rb'Content-Disposition:[^\r\n]*name="(?:post|patch|feedback|attachment)\.',
    re.IGNORECASE,
)
_PART: Final = re.compile(r"(?P<verb>post|patch)\.(?P<id>[^.]+)(?:\.(?P<field>[a-z_]+))?")


def open_multipart(source: Source) -> Values | None:
    """The batch of a request body; None, and nothing taken, for anything else."""
    found = _START.match(source.peek())
    if found is None:
        return None
    data = source.read(MAX_DOCUMENT_BYTES + 1)
    values = Values(iter(()), is_lines=False)
    if len(data) > MAX_DOCUMENT_BYTES:
        error = RecordError(
            Reason.TOO_LARGE,
            f"{len(data)} bytes or more in one request: expected at most {MAX_DOCUMENT_BYTES}; "
            "export the runs as JSON Lines",
        )
        values.refused.append(Refused(DOCUMENT, error, data))
        return values
    batch = _batch(data, found["boundary"], values.refused)
    values.pieces = iter([Piece(batch, DOCUMENT)])
    return values


def _batch(data: bytes, boundary: bytes, refused: list[Refused]) -> dict[str, list[dict[str, Any]]]:
    runs: dict[str, dict[str, dict[str, Any]]] = {"post": {}, "patch": {}}
    for name, content in _parts(data, boundary):
        part = _PART.fullmatch(name)
        if part is None:
            refused.append(Refused(f"part {name}", _no_run(name), content))
            continue
        try:
            value = loads_plain(content)
        except RecordError as error:
            refused.append(Refused(f"part {name}", error, content))
            continue
        run = runs[part["verb"]].setdefault(part["id"], {"id": part["id"]})
        if part["field"] is not None:
            run[part["field"]] = value
        elif isinstance(value, dict):
            runs[part["verb"]][part["id"]] = value | run
    return {verb: list(found.values()) for verb, found in runs.items()}


def _no_run(name: str) -> RecordError:
    return RecordError(
        Reason.OTHER_KIND,
        f"a part named {storable(name[:60])!r}: expected post.<id> or patch.<id>; feedback is read "
        "from exported runs",
    )


def _parts(data: bytes, boundary: bytes) -> Iterator[tuple[str, bytes]]:
    head = b'Content-Type: multipart/form-data; boundary="' + boundary + b'"\r\n\r\n'
    whole: Message = BytesParser(policy=HTTP).parsebytes(head + data)
    for part in whole.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            yield name, content
