"""The zip form of an Inspect log (`.eval`): its header and each of its samples as one value."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any, Final

from ingest.containers.drafts import Piece, Refused
from ingest.containers.fields import obj
from ingest.containers.json_text import loads_plain
from ingest.containers.json_values import Values
from ingest.errors import Reason, RecordError
from ingest.source import MAX_DOCUMENT_BYTES, MAX_RECORD_BYTES, Source

ZIP_MAGIC: Final = b"PK\x03\x04"
_HEADERS: Final = ("header.json", "_journal/start.json")
_SAMPLES: Final = "samples/"


def open_archive(source: Source) -> Values | None:
    """The log in a zip archive, a value a sample; None when it is another archive.

    A log that was cut off while it ran has its header in the journal.
    """
    data = source.read(MAX_DOCUMENT_BYTES)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, OSError, ValueError):
        return None
    names = archive.namelist()
    header_name = next((name for name in _HEADERS if name in names), None)
    if header_name is None:
        return None
    values = Values(iter(()), is_lines=False)
    header = obj(_read(archive, header_name, values.refused))
    samples = [name for name in names if name.startswith(_SAMPLES) and name.endswith(".json")]
    values.pieces = _pieces(archive, header, samples, values.refused)
    return values


def _pieces(
    archive: zipfile.ZipFile, header: Any, samples: list[str], refused: list[Refused]
) -> Iterator[Piece]:
    for name in samples:
        sample = _read(archive, name, refused)
        if sample is not None:
            yield Piece({"status": "started", **header, "samples": [sample]}, name)


def _read(archive: zipfile.ZipFile, name: str, refused: list[Refused]) -> Any:
    try:
        with archive.open(name) as member:
            data = member.read(MAX_RECORD_BYTES + 1)
        return loads_plain(_bounded(data))
    except RecordError as error:
        refused.append(Refused(name, error))
    # What zipfile raises for damage, an unknown compression (NotImplementedError) or a password.
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError, EOFError) as error:
        broken = RecordError(
            Reason.PACKING,
            f"the archive is damaged here ({error}): expected what zip wrote; copy it again",
        )
        refused.append(Refused(name, broken))
    return None


def _bounded(data: bytes) -> bytes:
    if len(data) <= MAX_RECORD_BYTES:
        return data
    raise RecordError(
        Reason.TOO_LARGE,
        f"more than {MAX_RECORD_BYTES} bytes: expected a smaller sample; split the log",
    )
