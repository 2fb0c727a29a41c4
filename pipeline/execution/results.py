"""What becomes of the tries of a call: an answer, pruned and masked, or what the model is to do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.contracts import Contract
from pipeline.execution import telemetry
from pipeline.execution.advice import advice_text
from pipeline.execution.calls import Call, CallResult, Partial
from pipeline.execution.degrading import StandIn
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

    def of(self, tried: Tried, stand_in: StandIn | None) -> CallResult:
        """Of the tries, or of what stood in for them."""
        if tried.failure is None:
            return self.answered(tried)
        if stand_in is None:
            return self.failed(tried, tried.failure)
        if stand_in.answer is None:
            return self.failed(tried, tried.failure, stand_in.level)
        return self.answered(stand_in.answer, stand_in.level, tried.failure)

    def answered(
        self, tried: Tried, degradation: str | None = None, failure: ToolError | None = None
    ) -> CallResult:
        """An answer, or what a fallback answered after a failure."""
        is_partial = isinstance(tried.value, Partial)
        whole = tried.value.value if is_partial else tried.value
        value, is_cut = bounded(self.masker.value(prune(whole, self.contract.returns)))
        text = value if isinstance(value, str) else telemetry.compact_json(value)
        note = _more(value, is_cut=is_cut, language=self.language) if is_partial or is_cut else None
        return CallResult(
            self.call,
            CallStatus.OK,
            text if note is None else f"{text}\n{note}",
            value,
            note,
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


def _more(value: object, *, is_cut: bool, language: str) -> str:
    """That there is more than the model is shown, and of how many it is shown where rows are known."""
    n = MAX_ITEMS if is_cut else len(value) if isinstance(value, list) else None
    if language == "zh":
        return f"{'还有更多' if n is None else f'已返回前 {n} 条'}，需要更精确的筛选条件。"
    shown = "There is more" if n is None else f"These are the first {n}"
    return f"{shown}; narrow the conditions for the rest."
