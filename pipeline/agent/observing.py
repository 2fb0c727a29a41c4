"""What the model is shown of a turn's results: through the observation pipeline, or as they came.

Results of tools that the rules know go through `pipeline.observation.observe`, all of one turn
together; the first of them is shown the prompt, the others a note. Everything else (other tools,
calls that the guard stopped) is shown as it came.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from pipeline.execution import CallResult, advice_text
from pipeline.execution.telemetry import compact_json
from pipeline.observation import (
    Context,
    Observation,
    ObservationSettings,
    PromptKey,
    RuleSet,
    ToolOutput,
    observe,
    package_rules,
)
from pipeline.vocabulary import CallStatus

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

MERGED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "zh": "（结果已并入本轮第一条观察）",
        "en": "(This result is part of the first observation of this turn.)",
    }
)
"""What stands at the later results of a turn: they are one observation."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What one turn's results looked like to the model."""

    responses: tuple[object, ...]
    """One a result, in their order: JSON values as they came, texts otherwise."""
    observation: Observation | None = None
    """None when no result went through the pipeline."""
    observed: frozenset[int] = frozenset()
    """Positions of the results that did."""


class Observer(Protocol):
    """Whatever turns results into what the model reads."""

    def show(self, results: Sequence[CallResult], context: Context) -> Shown:
        """What the model reads of a turn's results."""
        ...


@dataclass(frozen=True, slots=True)
class Observing:
    """How results are observed, as the pipeline does it."""

    rules: Callable[[], RuleSet] = package_rules
    """The dictionary in force; `lambda: watcher.rules` follows a published one."""
    settings: ObservationSettings = field(default_factory=ObservationSettings)
    """Noise is off unless somebody switches it on."""
    seed: int = 0
    template: str = "concise"
    templates: Sequence[str] = ("concise",)
    """What is rendered; the model reads `template`."""
    language: str = "zh"
    tracer: "Tracer | None" = None
    timer: Callable[[], float] = time.perf_counter
    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))

    def show(self, results: Sequence[CallResult], context: Context) -> Shown:
        """What the model reads of a turn's results.

        Args:
            results: In the order in which they were asked for.
            context: Whom and what the task is about; its time is set to now.
        """
        rules = self.rules()
        outputs = {
            at: self._output(result)
            for at, result in enumerate(results)
            if result.status is not CallStatus.BLOCKED and rules.for_tool(result.call.tool)
        }
        responses = [_as_it_came(result) for result in results]
        if not outputs:
            return Shown(tuple(responses))
        observation = observe(
            list(outputs.values()),
            replace(context, query_time=self.now()),
            rules=rules,
            cni_enabled=self.settings.enable_cni,
            cni_intensity=self.settings.cni_intensity,
            seed=self.seed,
            templates=self.templates,
            languages=(self.language,),
            tracer=self.tracer,
            timer=self.timer,
        )
        key = PromptKey(self.template, self.language, observation.shown.name)
        shown = observation.prompts[key].text
        for at in outputs:
            told = (shown, self._particular(results[at]))
            responses[at] = "\n".join(part for part in told if part)
            shown = MERGED[self.language]
        return Shown(tuple(responses), observation, frozenset(outputs))

    def _particular(self, result: CallResult) -> str | None:
        """What a result says beyond the observation: which argument is wrong, that there is more."""
        if result.error_class is None or result.is_ok:
            return result.note
        usual = advice_text(result.error_class, self.language)
        return None if result.text == usual else result.text

    def _output(self, result: CallResult) -> ToolOutput:
        is_failed = not result.is_ok
        refusal = None if result.http_status is None else {"code": result.http_status}
        return ToolOutput(
            tool=result.call.tool,
            version=result.contract_version,
            received_at=result.end_time,
            body=refusal if is_failed else result.value,
            error=result.error_class if is_failed else None,
            degradation=result.degradation,
        )


def _as_it_came(result: CallResult) -> object:
    """The value of an answer that was not cut; the text of everything else."""
    is_whole = result.is_ok and result.text == compact_json(result.value)
    return result.value if is_whole else result.text
