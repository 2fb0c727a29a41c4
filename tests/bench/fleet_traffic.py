"""Deterministic OTLP traffic of a fleet of agents: some 13 spans a trace, 1.2 kB of attributes a span.

Forty tools; texts are cuts of what people wrote, or random words; children come first. Some calls fail and are tried again, a guard looks at some, an observation is made of some: whatever
pages ask about is there, in shares as services have them.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pydoc_data.topics import topics
from typing import Final, Literal

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans, Span, Status

from pipeline import attributes as names
from pipeline.observation import attributes as seen

__all__ = ["Words", "exports"]

Words = Literal["ordinary", "random"]
"""Of what texts are made: of sentences, or of letters, which hardly compress."""
TOOLS: Final = tuple(
    f"{verb}_{noun}"
    for noun in ("order", "parcel", "refund", "customer", "policy", "invoice", "stock", "note")
    for verb in ("get", "search", "update", "check", "list")
)
_AGENTS: Final = ("shop", "returns", "billing", "logistics", "support", "night_shift")
_MODELS: Final = ("model-a", "model-b", "model-a-mini", "model-c")
_ERRORS: Final = ("TIMEOUT", "NOT_FOUND", "INVALID_ARGUMENT", "RATE_LIMIT", "SERVER")
_RULES: Final = ("danger_level", "daily_quota", "rate_limit", "confirmation")
_CALLS: Final = 5
_MS: Final = 1_000_000
_TEXT_CHARS: Final = {"model": 1_900, "tool": 800, "agent": 500}


@dataclass(slots=True)
class _Run:
    """One trace that is being told."""

    trace_id: bytes
    root_id: bytes
    now_ns: int
    model: str
    spans: list[Span]


def exports(
    n_traces: int, *, seed: int, batch: int, start_ns: int, every_ns: int, words: Words = "ordinary"
) -> Iterator[tuple[bytes, int]]:
    """Serialised exports and how many spans each holds; the last may be smaller.

    Args:
        n_traces: How many traces in all.
        seed: Same seed, same bytes.
        batch: Spans an export.
        start_ns: Start of the first trace.
        every_ns: Each next one starts so much later.
        words: Of what the texts are made.
    """
    traffic = _Traffic(random.Random(seed), words)  # noqa: S311 - traffic, no secret
    waiting: list[Span] = []
    for number in range(n_traces):
        waiting += traffic.trace(start_ns + number * every_ns)
        while len(waiting) >= batch:
            yield _wrapped(waiting[:batch]), batch
            del waiting[:batch]
    if waiting:
        yield _wrapped(waiting), len(waiting)


class _Traffic:
    def __init__(self, source: random.Random, words: Words) -> None:
        self._source = source
        self._text = _ordinary(source) if words == "ordinary" else _random(source)
        self._tool_weights = [1 / (place + 1) for place in range(len(TOOLS))]

    def trace(self, start_ns: int) -> Sequence[Span]:
        """One agent run: five turns that ask for a tool, each answered, and the run itself last."""
        source = self._source
        run = _Run(source.randbytes(16), source.randbytes(8), start_ns, source.choice(_MODELS), [])
        tool, arguments = "", ""
        has_failed = False
        for turn in range(_CALLS):
            if not has_failed or source.random() < 0.4:
                tool = source.choices(TOOLS, self._tool_weights)[0]
                arguments = f'{{"order_id": {source.randrange(10**6)}, "step": {turn}}}'
            has_failed = self._turn(run, tool, arguments)
        self._model_call(run, None)
        root = _span(run, run.root_id, b"", "invoke_agent", start_ns)
        agent = source.choice(_AGENTS)
        _put(root, "gen_ai.operation.name", "invoke_agent")
        _put(root, "gen_ai.agent.name", agent)
        _put(root, "gen_ai.conversation.id", f"conv-{source.randbytes(6).hex()}")
        _put(root, "input.value", self._text(_TEXT_CHARS["agent"]))
        return run.spans

    def _turn(self, run: _Run, tool: str, arguments: str) -> bool:
        """A request and its run; whether the run failed."""
        source = self._source
        call_id = f"call_{source.randbytes(12).hex()}"
        self._model_call(run, (call_id, tool, arguments))
        is_blocked = source.random() < 0.2 and self._guard(run, tool, call_id)
        error = source.choice(_ERRORS) if source.random() < 0.04 and not is_blocked else None
        began = run.now_ns
        run.now_ns += int(source.lognormvariate(4.5, 0.8) * _MS)
        span = _span(run, source.randbytes(8), run.root_id, f"execute_tool {tool}", began)
        _put(span, "gen_ai.operation.name", "execute_tool")
        _put(span, "gen_ai.tool.name", tool)
        _put(span, "gen_ai.tool.call.id", call_id)
        _put(span, "gen_ai.tool.call.arguments", arguments)
        _put(span, names.CONTRACT_VERSION, source.choice(("1.0", "1.0", "1.1")))
        _put(span, names.IDEMPOTENCY_KEY, f"key-{source.randbytes(12).hex()}")
        _put(span, names.CALLER, f"caller-{source.randrange(12)}")
        if error or is_blocked:
            span.status.code = Status.STATUS_CODE_ERROR
            _put(span, "error.type", error or "BLOCKED")
        else:
            result = self._text(_TEXT_CHARS["tool"])
            _put(span, "gen_ai.tool.call.result", f'{{"data": {{"text": "{result}"}}}}')
            if source.random() < 0.02:
                self._observation(run)
        return error is not None

    def _model_call(self, run: _Run, asked: tuple[str, str, str] | None) -> None:
        source, began = self._source, run.now_ns
        run.now_ns += int(source.lognormvariate(6.8, 0.5) * _MS)
        span = _span(run, source.randbytes(8), run.root_id, f"chat {run.model}", began)
        _put(span, "gen_ai.operation.name", "chat")
        _put(span, "gen_ai.request.model", run.model)
        _put(span, "gen_ai.usage.input_tokens", source.randrange(200, 4000))
        _put(span, "gen_ai.usage.output_tokens", source.randrange(20, 400))
        if asked is None:
            answer = self._text(_TEXT_CHARS["model"])
            _put(span, "gen_ai.output.messages", _message("assistant", f'"content": "{answer}"'))
            return
        text = self._text(_TEXT_CHARS["model"] - 600)
        _put(span, "gen_ai.input.messages", _message("user", f'"content": "{text}"'))
        call_id, tool, arguments = asked
        call = f'"id": "{call_id}", "name": "{tool}", "arguments": {arguments}'
        _put(span, "gen_ai.output.messages", _message("assistant", call, "tool_call"))

    def _guard(self, run: _Run, tool: str, call_id: str) -> bool:
        """An evaluation before a run; whether it blocks."""
        source = self._source
        is_hit = source.random() < 0.02
        span = _span(run, source.randbytes(8), run.root_id, "guard", run.now_ns)
        _put(span, names.GUARD_RULE, source.choice(_RULES))
        _put(span, names.GUARD_DECISION, "block" if is_hit else "allow")
        _put(span, names.GUARD_PHASE, "before")
        _put(span, "gen_ai.tool.name", tool)
        _put(span, "gen_ai.tool.call.id", call_id)
        return is_hit

    def _observation(self, run: _Run) -> None:
        """The counts of an observation, some of them disturbed."""
        source = self._source
        span = _span(run, source.randbytes(8), run.root_id, seen.SPAN_OBSERVE, run.now_ns)
        n_cells = source.randrange(4, 12)
        counts = {
            seen.N_OUTPUTS: 2,
            seen.N_FRAGMENTS: n_cells + 3,
            seen.N_CELLS: n_cells,
            seen.N_MULTI_SOURCE_CELLS: 3,
            seen.N_CONFLICTS: int(source.random() < 0.05),
            seen.N_UNKNOWN: int(source.random() < 0.1),
            seen.N_NOISE_ELIGIBLE: n_cells,
            seen.N_NOISE_HIT: int(source.random() < 0.1),
        }
        for name, count in counts.items():
            _put(span, name, count)
        _put(span, seen.SNAPSHOT_HASH, source.randbytes(16).hex())
        _put(span, seen.INTENT, "track_parcel")
        span.attributes.add(key=seen.PARSE_MS).value.double_value = source.random()
        span.attributes.add(key=seen.MEAN_CONFIDENCE).value.double_value = 0.9


def _ordinary(source: random.Random) -> Callable[[int], str]:
    """Cuts of what people wrote: the topics of Python's own help."""
    written = " ".join(" ".join(topics.values()).split())
    text = written.replace("\\", "/").replace('"', "'")

    def cut(n_chars: int) -> str:
        first = source.randrange(len(text) - n_chars)
        return text[first : first + n_chars]

    return cut


def _random(source: random.Random) -> Callable[[int], str]:
    """Words of random letters, of a thousand times as many as any text has."""

    def made(n_chars: int) -> str:
        letters = "abcdefghijklmnop        "
        return "".join(source.choices(letters, k=n_chars))

    return made


def _span(run: _Run, span_id: bytes, parent: bytes, name: str, start_ns: int) -> Span:
    """A span of the run until now."""
    span = Span(
        trace_id=run.trace_id,
        span_id=span_id,
        parent_span_id=parent,
        name=name,
        kind=Span.SPAN_KIND_INTERNAL,
        start_time_unix_nano=start_ns,
        end_time_unix_nano=run.now_ns,
    )
    run.spans.append(span)
    return span


def _put(span: Span, key: str, value: str | int) -> None:
    attribute = span.attributes.add(key=key)
    if isinstance(value, int):
        attribute.value.int_value = value
    else:
        attribute.value.string_value = value


def _message(role: str, content: str, kind: str = "text") -> str:
    return f'[{{"role": "{role}", "parts": [{{"type": "{kind}", {content}}}]}}]'


def _wrapped(spans: Sequence[Span]) -> bytes:
    export = ExportTraceServiceRequest()
    group = export.resource_spans.add()
    service = group.resource.attributes.add(key="service.name")
    service.value.string_value = "fleet"
    scoped: dict[str, ScopeSpans] = {}
    for span in spans:
        scope = seen.SCOPE if span.name == seen.SPAN_OBSERVE else "fleet"
        if scope not in scoped:
            scoped[scope] = group.scope_spans.add()
            scoped[scope].scope.name = scope
        scoped[scope].spans.append(span)
    return export.SerializeToString()
