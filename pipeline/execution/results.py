"""What becomes of the tries of a call: an answer, pruned and masked, or what the model is to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.contracts import Contract
from pipeline.execution import telemetry
from pipeline.execution.advice import advice_text
from pipeline.execution.calls import Call, CallResult
from pipeline.execution.errors import ToolError
from pipeline.execution.masking import Masker
from pipeline.execution.pruning import MAX_ITEMS, bounded, prune
from pipeline.execution.trying import RETRYABLE, Tried
from pipeline.vocabulary import CallStatus, ErrorClass

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer


@dataclass(frozen=True, slots=True)
class Results:
    """Of one call."""

    call: Call
    contract: Contract
    masker: Masker
    language: str
    span_id: str | None

    def answered(
        self, tried: Tried, degradation: str | None = None, failure: ToolError | None = None
    ) -> CallResult:
        """An answer, or what a fallback answered after a failure."""
        value, is_cut = bounded(self.masker.value(prune(tried.value, self.contract.returns)))
        text = value if isinstance(value, str) else telemetry.compact_json(value)
        return CallResult(
            self.call,
            CallStatus.OK,
            f"{text}\n{_cut_text(self.language)}" if is_cut else text,
            value,
            error_class=None if failure is None else failure.error_class,
            n_attempts=tried.n_attempts,
            degradation=degradation,
            contract_version=self.contract.version,
            span_id=self.span_id,
            http_status=tried.http_status,
        )

    def failed(
        self, tried: Tried, failure: ToolError, degradation: str | None = None
    ) -> CallResult:
        """A failure: its class, and what the model is to do next."""
        error_class = self._class_of(failure)
        own = failure.advice if error_class is failure.error_class else None
        return CallResult(
            self.call,
            CallStatus.ERROR,
            self.masker.text(advice_text(error_class, self.language, own)),
            error_class=error_class,
            n_attempts=tried.n_attempts,
            degradation=degradation,
            contract_version=self.contract.version,
            span_id=self.span_id,
            http_status=tried.http_status,
        )

    def _class_of(self, failure: ToolError) -> ErrorClass:
        """Of a write that may have happened and must not be repeated: unknown (S3 §4.1)."""
        is_unknown = failure.may_have_happened and failure.error_class in RETRYABLE
        if is_unknown and not self.contract.may_repeat:
            return ErrorClass.UNKNOWN_OUTCOME
        return failure.error_class


def refused(tracer: "Tracer", call: Call, contract: Contract | None, text: str) -> CallResult:
    """A call with wrong arguments, told as a failed execution without a try.

    Arguments of a tool without a contract are not told: nothing says which are sensitive.
    """
    arguments: Mapping[str, object] = {}
    if contract is not None and isinstance(call.arguments, dict):
        masker = Masker(contract, call.arguments)
        arguments, text = masker.arguments(call.arguments), masker.text(text)
    version = None if contract is None else contract.version
    with telemetry.execution_span(tracer, call, arguments, version) as span:
        telemetry.set_result(span, text, None)
        telemetry.set_failure(span, "invalid_argument", ErrorClass.INVALID_ARGUMENT)
        span_id = telemetry.span_id_of(span)
    return CallResult(
        call,
        CallStatus.ERROR,
        text,
        error_class=ErrorClass.INVALID_ARGUMENT,
        contract_version=version,
        span_id=span_id,
    )


def _cut_text(language: str) -> str:
    if language == "zh":
        return f"已返回前 {MAX_ITEMS} 条，需要更精确的筛选条件。"
    return f"These are the first {MAX_ITEMS}; narrow the conditions for the rest."
