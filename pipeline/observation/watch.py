"""Rules that follow their source while an agent runs: fetched, verified, tried, then swapped whole.

An observation takes `watcher.rules` once and keeps it to its end; the swap is one assignment, so no
reader sees half of two versions. What fails on the way leaves the rules in force as they are.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.observation.errors import ObservationError, RuleSourceError
from pipeline.observation.hooks import CodeParser
from pipeline.observation.inputs import Context, ToolOutput
from pipeline.observation.parser import parse
from pipeline.observation.published import FolderSource, HttpSource, Pointers, RuleSource, Told
from pipeline.observation.rules import RuleSet
from pipeline.observation.rules.check import pin_problems
from pipeline.observation.rules.totality import check_totality

N_TRIALS: Final = 20
"""Generated answers that every rule file of a new version has to read."""


@dataclass(frozen=True, slots=True)
class Golden:
    """One answer and the facts that every version must find in it."""

    output: ToolOutput
    facts: frozenset[tuple[str, str]]
    """Fact type and kind, such as `("STATUS", "FACT")`; more may be found."""
    context: Context = field(default_factory=Context)


@dataclass(frozen=True, slots=True)
class WatchState:
    """What is in force, and how the last look went."""

    rules: RuleSet
    pointer: str
    """Whole name of the version in force."""
    n_swaps: int = 0
    n_looks: int = 0
    refused: str | None = None
    """The version that the source points to and that was refused; None when it is in force."""
    problem: str | None = None
    """Why the last look failed; None when it did not."""
    shadow: RuleSet | None = None
    """The version that reads in the shadow; None without one, and for one that did not pass."""
    shadow_problem: str | None = None
    """Why there is none although the source names one."""

    @property
    def version(self) -> str:
        """The version in force, as facts name it."""
        return self.rules.version


class RuleWatcher:
    """Keeps the rules of a source at hand.

    Args:
        source: Where they are published.
        golden: What every version must read; a version that does not is never put in force.
        parsers: Code that reads on, whatever the version. A version that pins other code is refused.
        on_look: Told the state after each look, such as a logger.

    Raises:
        RuleSourceError: The source cannot be read now, or its version does not pass.
        RuleFileError: The version cannot be used.
    """

    def __init__(
        self,
        source: RuleSource,
        golden: Sequence[Golden] = (),
        parsers: Sequence[CodeParser] = (),
        on_look: Callable[[WatchState], None] | None = None,
    ) -> None:
        self._source = source
        self._golden = tuple(golden)
        self._parsers = tuple(parsers)
        self._on_look = on_look
        self._turn = threading.Lock()
        found = self._pointers(None)
        self._shadowed: tuple[str, RuleSet] | None = None
        self._state = self._with_shadow(
            WatchState(self._tried(found.version), found.version), found.shadow
        )

    @property
    def rules(self) -> RuleSet:
        """The rules in force."""
        return self._state.rules

    @property
    def shadow(self) -> RuleSet | None:
        """The rules that read in the shadow, for `observe(..., shadow=...)`; None without any."""
        return self._state.shadow

    @property
    def state(self) -> WatchState:
        """What is in force, and how the last look went."""
        return self._state

    def look(self) -> bool:
        """Look once whether the source points elsewhere, and follow it.

        Returns:
            Whether the rules were swapped. False when nothing changed, and when something failed:
            `state` says what.
        """
        with self._turn:
            before = self._state
            self._state = self._next(before)
            if self._on_look is not None:
                self._on_look(self._state)
            return self._state.n_swaps > before.n_swaps

    def watch(self, every_seconds: float, stop: threading.Event) -> None:
        """Look again and again until told to stop; to be run in a thread of its own."""
        while not stop.wait(every_seconds):
            self.look()

    def _next(self, now: WatchState) -> WatchState:
        n_looks = now.n_looks + 1
        try:
            found = self._pointers(Told(now.pointer, now.refused, now.problem))
        except ObservationError as error:
            return replace(now, n_looks=n_looks, refused=None, problem=str(error))
        stays = WatchState(now.rules, now.pointer, now.n_swaps, n_looks)
        if found.version == now.pointer:
            return self._with_shadow(stays, found.shadow)
        try:
            rules = self._tried(found.version)
        except ObservationError as error:
            stays = replace(stays, refused=found.version, problem=str(error))
            return self._with_shadow(stays, found.shadow)
        swapped = WatchState(rules, found.version, now.n_swaps + 1, n_looks)
        return self._with_shadow(swapped, found.shadow)

    def _with_shadow(self, state: WatchState, version: str | None) -> WatchState:
        """The state with the version that the source names for the shadow, loaded once."""
        if version is None or version == state.pointer:
            self._shadowed = None
            return state
        if self._shadowed is None or self._shadowed[0] != version:
            try:
                self._shadowed = (version, self._tried(version))
            except ObservationError as error:
                self._shadowed = None
                return replace(state, shadow_problem=str(error))
        return replace(state, shadow=self._shadowed[1])

    def _pointers(self, told: Told | None) -> Pointers:
        """What the source points to; a server is told what is read by here, and what was refused."""
        if isinstance(self._source, HttpSource):
            return self._source.pointers(told)
        if isinstance(self._source, FolderSource):
            return self._source.pointers()
        return Pointers(self._source.pointer())

    def _tried(self, version: str) -> RuleSet:
        """A version that has proved itself.

        Raises:
            RuleSourceError: It fails a trial; the message says which.
        """
        rules = self._source.rules(version).with_parsers(*self._parsers)
        problems = [str(error) for error in pin_problems(rules)]
        problems += _golden_problems(rules, self._golden)
        problems += [
            f"{found.file}: {found.field}: {found.problem}"
            for found in check_totality(rules, n_inputs=N_TRIALS)
        ]
        if problems:
            raise RuleSourceError(
                f"{self._source.name}: version {rules.version}: not put in force: {problems[0]}; "
                "correct the rules and publish again"
            )
        return rules


def _golden_problems(rules: RuleSet, golden: Sequence[Golden]) -> list[str]:
    problems = []
    for known in golden:
        found = {(f.type, f.kind.value) for f in parse(known.output, rules, known.context)}
        missing = sorted(known.facts - found)
        if missing:
            facts = ", ".join(f"{fact_type} {kind}" for fact_type, kind in missing)
            problems.append(f"the golden answer of {known.output.tool} gives no {facts}")
    return problems
