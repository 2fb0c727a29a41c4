"""From a request to its answer: read off the event loop, committed, and only then acknowledged."""

import asyncio
import logging
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from ingest.receiver.admission import Admission, Share
from ingest.receiver.answers import Answer, accepted, refused
from ingest.receiver.counters import Counters
from ingest.receiver.media import Encoding, answer_encoding
from ingest.receiver.reading import Reading, read_request, refused_delivery
from ingest.receiver.refusal import Refusal, busy, closing, full
from ingest.receiver.request import Door, Limits, Request
from ingest.redaction import Redactor
from replay_store.commit import Committer, Delivery
from replay_store.errors import StoreFullError, StoreWriteError
from replay_store.writer import Written

_LOG: Final = logging.getLogger(__name__)


@dataclass(slots=True)
class Handler:
    """Answers requests of any transport; one for each process.

    One thread reads requests, and another the large ones, which so do not hold up the others. Several
    that read at a time would hand Python's lock to each other at every hash and every look for what
    must not be kept: with two, reading a span cost a fifth more and up.
    """

    committer: Committer
    redactor: Redactor | None = None
    limits: Limits = field(default_factory=Limits)
    counters: Counters = field(default_factory=Counters)
    admission: Admission = field(init=False)
    _reader: ThreadPoolExecutor = field(init=False)
    _large_reader: ThreadPoolExecutor = field(init=False)

    def __post_init__(self) -> None:
        self.admission = Admission(self.limits.waiting_bytes, self.limits.waiting_requests)
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="reader")
        self._large_reader = ThreadPoolExecutor(1, thread_name_prefix="large-reader")

    async def handle(self, request: Request, share: Share) -> Answer:
        """Read, commit, answer.

        Args:
            request: The request, whole.
            share: What it holds of the budget; the caller gives it back after the answer.
        """
        try:
            answer = await self._handled(request, share)
        except Refusal as refusal:
            answer = self.refuse(refusal, _encoding(request))
        else:
            self.counters.answered(answer.status)
        return answer

    async def handle_whole(self, request: Request) -> Answer:
        """Like `handle`, for a transport that has read the body before asking."""
        with self.admission.enter() as share:
            if share is None or not share.grow(len(request.body)):
                return self.refuse(busy(), _encoding(request))
            return await self.handle(request, share)

    def refuse(self, refusal: Refusal, encoding: Encoding) -> Answer:
        """The answer to a request that was not read."""
        answer = refused(refusal, encoding)
        self.counters.answered(answer.status)
        return answer

    def close(self) -> None:
        """Let the reading threads end."""
        self._reader.shutdown()
        self._large_reader.shutdown()

    async def _handled(self, request: Request, share: Share) -> Answer:
        loop = asyncio.get_running_loop()
        reader = self._large_reader if request.is_large else self._reader
        try:
            with self.committer.coming():
                reading = await loop.run_in_executor(
                    reader, read_request, request, self.limits, share, self.redactor
                )
                committed = self._submitted(reading.delivery)
        except Refusal as refusal:
            await self._note(refused_delivery(request, refusal, self.redactor))
            raise
        await self._commit(committed)
        self.counters.add(reading.delivery)
        return _answer(request, reading)

    async def _note(self, delivery: Delivery | None) -> None:
        if delivery is not None:
            await self._commit(self._submitted(delivery))
            self.counters.add(delivery)

    def _submitted(self, delivery: Delivery) -> Future[Written]:
        try:
            return self.committer.submit(delivery)
        except StoreWriteError as error:
            raise closing() from error

    async def _commit(self, committed: Future[Written]) -> None:
        try:
            await asyncio.wrap_future(committed)
        except StoreFullError as error:
            raise full() from error
        except StoreWriteError as error:
            if not self.committer.is_alive:
                raise closing() from error
            raise Refusal(500, "the records could not be stored: a defect; see the log") from error


def _encoding(request: Request) -> Encoding:
    return Encoding.PROTOBUF if request.door is Door.GRPC else answer_encoding(request.content_type)


def _answer(request: Request, reading: Reading) -> Answer:
    if reading.refusal is not None:
        return refused(reading.refusal, reading.encoding)
    return accepted(request.signal, reading.encoding, reading.n_rejected, reading.sentence)
