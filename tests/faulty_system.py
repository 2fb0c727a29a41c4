"""A system behind a tool that misbehaves to order, and keeps count of what it really did."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Tracer

from pipeline.execution import Request, ToolError
from pipeline.vocabulary import ErrorClass

ANSWER = {"status": "shipped"}


@dataclass
class FaultySystem:
    """Behaves as `script` says, try by try; the last word holds from then on.

    `ok`, `slow` (works, answers after 60 s), `late` (does not work, answers after 60 s), `503`,
    `500` (works, and says that it did not), `refused` (no connection), `404`, `crash`.
    """

    script: Sequence[str] = ("ok",)
    answer: Any = field(default_factory=lambda: ANSWER)
    delay_seconds: float = 0.05
    effects: list[str] = field(default_factory=list)
    """The idempotency key of each effect; the system drops repeats where `is_deduplicating`."""
    requests: list[Request] = field(default_factory=list)
    is_deduplicating: bool = True
    n_running: int = 0
    n_most_running: int = 0
    about = {"server.address": "orders.shop.example"}  # noqa: RUF012  read by the executor

    async def __call__(self, request: Request) -> Any:
        self.requests.append(request)
        word = self.script[min(len(self.requests), len(self.script)) - 1]
        self.n_running += 1
        self.n_most_running = max(self.n_most_running, self.n_running)
        try:
            return await self._behave(word, request)
        finally:
            self.n_running -= 1

    async def _behave(self, word: str, request: Request) -> Any:
        if word == "refused":
            raise ToolError(ErrorClass.UPSTREAM, "connection refused at 10.0.0.7:8443")
        if word in ("ok", "slow", "500"):
            self._do(request.idempotency_key)
        await asyncio.sleep(60 if word in ("slow", "late") else self.delay_seconds)
        if word in ("503", "500"):
            happened = word == "500"
            raise ToolError(
                ErrorClass.UPSTREAM,
                "Traceback (most recent call last): /srv/app.py",
                error_type=word,
                may_have_happened=happened,
                http_status=int(word),
            )
        if word == "404":
            raise ToolError(ErrorClass.NOT_FOUND, "no row", error_type="404", http_status=404)
        return self.answer

    def _do(self, key: str) -> None:
        if not self.is_deduplicating or key not in self.effects:
            self.effects.append(key)


@dataclass
class Recorded:
    """A tracer, and the spans that went to it."""

    exporter: InMemorySpanExporter = field(default_factory=InMemorySpanExporter)

    def __post_init__(self) -> None:
        self._provider = TracerProvider(shutdown_on_exit=False)
        self._provider.add_span_processor(SimpleSpanProcessor(self.exporter))

    @property
    def tracer(self) -> Tracer:
        return self._provider.get_tracer("test")

    def spans(self, name: str = "") -> list[ReadableSpan]:
        return [span for span in self.exporter.get_finished_spans() if span.name.startswith(name)]

    def text(self) -> str:
        return "\n".join(str(span.to_json()) for span in self.spans())
