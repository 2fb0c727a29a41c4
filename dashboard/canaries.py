"""Canaries from here to a receiver: calls that guard rules must stop, tried and sent as OTLP."""

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from dashboard.errors import DashboardError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
    from opentelemetry.trace import Tracer

    from pipeline.contracts import Contract, Registry
    from pipeline.guard import Canary, Guard

__all__ = ["Outcome", "Tried", "package_canaries", "send_canaries"]

_SECONDS: Final = 10.0
_RULE: Final = "danger_level"


class Tried(NamedTuple):
    """What a guard is tried with."""

    guard: "Guard"
    """Built with the tracer that was handed in."""
    registry: "Registry"
    canaries: "Iterable[Canary]"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one canary."""

    rule: str
    tool: str
    is_stopped: bool
    """By its rule."""
    stopped_by: str | None
    """Another rule that stopped it first; None when nothing did, or its own rule."""


def package_canaries(contracts: "Mapping[str, Contract]", tracer: "Tracer") -> Tried:
    """The danger rule of this package, and a canary for each tool that needs confirmation.

    Raises:
        DashboardError: No contract declares such a danger: nothing must be stopped.
    """
    from pipeline.contracts import CONFIRMED, Registry
    from pipeline.execution import Call
    from pipeline.guard import Canary, DangerRule, Guard

    names = sorted(name for name, found in contracts.items() if found.danger in CONFIRMED)
    if not names:
        raise DashboardError(
            "contracts: none declares delete, bulk or money: expected a tool that must be stopped; "
            "name your guard with --guard my_guard.py:canaries"
        )
    canaries = [Canary(Call("canary", place, name, {}), _RULE) for place, name in enumerate(names)]
    return Tried(Guard([DangerRule({})], tracer), Registry(contracts.values()), canaries)


def send_canaries(
    make: "Callable[[Tracer], Tried | tuple[Any, ...]]", address: str, token: str | None = None
) -> list[Outcome]:
    """Try every canary, each in a trace of its own, and send what the guard told.

    Args:
        make: Builds guard, registry and canaries with a tracer.
        address: Of the receiver, such as `http://127.0.0.1:4318`.
        token: Shown to it as bearer.

    Raises:
        DashboardError: There is no canary, or the receiver did not take all that was sent.
    """
    from pipeline.guard import try_canaries

    found = []
    with _tracer() as (tracer, exporter):
        guard, registry, canaries = make(tracer)
        for canary in canaries:
            failures = try_canaries(guard, registry, [canary])
            stopped_by = failures[0].stopped_by if failures else None
            found.append(Outcome(canary.rule, canary.call.tool, not failures, stopped_by))
        if not found:
            raise DashboardError("no canary: expected a call for each rule; name at least one")
        _send(exporter, address, token)
    return found


@contextmanager
def _tracer() -> "Iterator[tuple[Tracer, InMemorySpanExporter]]":
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter = InMemorySpanExporter()
    resource = Resource({"service.name": "toolsight-canary"})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider.get_tracer("toolsight.canary"), exporter


def _send(exporter: "InMemorySpanExporter", address: str, token: str | None) -> None:
    import orjson

    from sample_traces.otlp_json import export_request

    spans = exporter.get_finished_spans()
    if not spans:
        raise DashboardError(
            "the guard told nothing: expected one built with the tracer that is handed in; "
            "pass it as Guard(rules, tracer)"
        )
    url = f"{address.rstrip('/')}/v1/traces"
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(url, orjson.dumps(export_request(spans)), headers)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
            told = orjson.loads(answer.read() or b"{}")
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DashboardError(
            f"{url}: not taken ({_why(error)}): expected a receiver; start `toolsight serve`, or "
            "name it with --to"
        ) from error
    if (n := int(told.get("partialSuccess", {}).get("rejectedSpans", 0))) > 0:
        raise DashboardError(f"{url}: {n} of {len(spans)} events refused; see `toolsight intake`")


def _why(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        error.close()
        return f"status {error.code}"
    return str(getattr(error, "reason", error)) or type(error).__name__
