"""The bytes of one file: hashed and counted as they are read, gunzipped when they are gzip.

Memory stays bounded whatever the file claims: reading goes in blocks, and unpacking stops at a
limit (a gzip bomb turns 2 MB into 2 GB).
"""

import io
import zlib
from hashlib import sha256
from typing import TYPE_CHECKING, BinaryIO, Final

from ingest.paths import os_problem

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BLOCK_BYTES: Final = 1024 * 1024
MAX_UNPACKED_BYTES: Final = 2 * 1024**3
"""How much one gzip file may unpack to."""
MAX_RECORD_BYTES: Final = 64 * 1024**2
"""How long one JSON line or one protobuf message may be."""
MAX_DOCUMENT_BYTES: Final = 4 * MAX_RECORD_BYTES
"""How long a JSON document may be that is not written in lines; it has to be held whole."""

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_GUNZIP_WBITS = 31


class Source:
    """A stream of unpacked bytes with a look ahead.

    Args:
        stream: The file as stored.
        max_unpacked_bytes: Where unpacking stops.
    """

    def __init__(self, stream: BinaryIO, *, max_unpacked_bytes: int = MAX_UNPACKED_BYTES) -> None:
        self._raw = _HashingReader(stream)
        stored = io.BufferedReader(self._raw, BLOCK_BYTES)
        self.is_gzip = stored.peek(2)[:2] == _GZIP
        self._unpacker = _Unpacker(stored, max_unpacked_bytes) if self.is_gzip else None
        self._reader = io.BufferedReader(self._unpacker, BLOCK_BYTES) if self._unpacker else stored
        if self._reader.peek(3)[:3] == _BOM:
            self._reader.read(3)

    @property
    def n_stored_bytes(self) -> int:
        """How many bytes of the file have been read."""
        return self._raw.n_bytes

    @property
    def sha256(self) -> str | None:
        """Hash of what has been read: of the whole file after `drain`; None when it broke off."""
        return None if self._raw.fault else self._raw.hash.hexdigest()

    @property
    def fault(self) -> str | None:
        """Why reading or unpacking ended before the file did; None while all is well."""
        return self._raw.fault or (self._unpacker.fault if self._unpacker else None)

    def peek(self) -> bytes:
        """What comes next, up to 1 MiB of it, without taking it."""
        return self._reader.peek(BLOCK_BYTES)

    def read(self, n_bytes: int) -> bytes:
        """The next bytes; fewer only at the end."""
        data = bytearray()
        # In blocks: asked for 256 MiB, the buffered reader would allocate them for a small file.
        while part := self._reader.read(min(n_bytes - len(data), BLOCK_BYTES)):
            data += part
        return bytes(data)

    def read_line(self, limit: int = MAX_RECORD_BYTES) -> bytes:
        """The next line with its newline, or its first `limit` bytes; empty at the end."""
        return self._reader.readline(limit)

    def skip_line(self) -> int:
        """Pass over the rest of a line; returns how many bytes that was."""
        n_bytes = 0
        while part := self._reader.readline(BLOCK_BYTES):
            n_bytes += len(part)
            if part.endswith(b"\n"):
                break
        return n_bytes

    def skip(self, n_bytes: int) -> int:
        """Pass over bytes; returns how many there were."""
        left = n_bytes
        while left > 0 and (part := self._reader.read(min(left, BLOCK_BYTES))):
            left -= len(part)
        return n_bytes - left

    def drain(self) -> None:
        """Read the rest of the stored file, so that its hash and size are whole."""
        while self._raw.read(BLOCK_BYTES):
            pass


class _HashingReader(io.RawIOBase):
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.n_bytes = 0
        self.hash = sha256()
        self.fault: str | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        try:
            data = self._stream.read(len(view))
        except OSError as error:
            self.fault = os_problem(error)
            return 0
        view[: len(data)] = data
        self.n_bytes += len(data)
        self.hash.update(data)
        return len(data)


class _Unpacker(io.RawIOBase):
    def __init__(self, stored: BinaryIO, max_bytes: int) -> None:
        self._stored = stored
        self._max_bytes = max_bytes
        self.n_bytes = 0
        self._inflater = zlib.decompressobj(_GUNZIP_WBITS)
        self._pending = b""
        self.fault: str | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        n_filled = 0
        while n_filled < len(view) and self.fault is None:
            data = self._unpack(min(len(view) - n_filled, BLOCK_BYTES))
            if data is None:
                break
            view[n_filled : n_filled + len(data)] = data
            n_filled += len(data)
        return n_filled

    def _unpack(self, limit: int) -> bytes | None:
        """Some unpacked bytes (perhaps none yet); None at the end, with `fault` if it is early."""
        if self._inflater.eof and not self._next_member():
            return None
        packed = self._inflater.unconsumed_tail or self._pending or self._stored.read(BLOCK_BYTES)
        self._pending = b""
        before = self._inflater.copy()
        try:
            data = self._inflater.decompress(packed, limit)
        except zlib.error:
            self.fault = "the gzip data is damaged: expected what gzip wrote; copy it again"
            return _before_damage(before, packed, limit)
        if not (packed or data or self._inflater.eof):
            self.fault = "the gzip data ends early: expected its closing checksum; copy it again"
            return None
        self.n_bytes += len(data)
        if self.n_bytes > self._max_bytes:
            self.fault = (
                f"the gzip data unpacks to more than {self._max_bytes} bytes: "
                "expected less; split the file"
            )
        return data

    def _next_member(self) -> bool:
        rest = self._inflater.unused_data or self._stored.read(BLOCK_BYTES)
        if not rest.strip(b"\x00"):
            return False
        self._inflater = zlib.decompressobj(_GUNZIP_WBITS)
        self._pending = rest
        return True


def _before_damage(inflater: "zlib._Decompress", packed: bytes, limit: int) -> bytes:
    """What unpacks before the damaged place: a wrong checksum at the end costs no record."""
    unpacked = bytearray()
    try:
        for at in range(len(packed)):
            unpacked += inflater.decompress(packed[at : at + 1])
    except zlib.error:
        pass
    return bytes(unpacked[:limit])
