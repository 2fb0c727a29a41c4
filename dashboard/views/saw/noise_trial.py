"""What controlled noise would do to a recorded observation, at any strength, with any seed. Pure.

Nothing is stored. The same clean evidence, profile, seed and strength give the same texts everywhere.
"""

from dataclasses import dataclass, replace

from dashboard.views.saw.panes import Pane, pane
from dashboard.views.saw.reading import CLEAN, NOISY, Reading, Renderer
from pipeline.observation import (
    PROFILES,
    Injection,
    NoiseProfile,
    ObservationError,
    decode_snapshot,
    inject,
    primary_entity,
    related_entities,
    resolve,
)
from replay_store.records import Observation
from replay_store.rereading import recorded_context
from replay_store.saw import RecordedObservation

DEFAULT_PROFILE = PROFILES["seed-v1"]
"""Of observations that were recorded without noise."""
DEFAULT_INTENSITY = 0.3


@dataclass(frozen=True, slots=True)
class NoiseTrial:
    """One disturbance, and how the prompts read then."""

    injection: Injection
    reading: Reading


def try_noise(clean: Reading, renderer: Renderer, seed: int, intensity: float) -> NoiseTrial | None:
    """Disturb the clean evidence of an observation.

    Args:
        clean: The observation as it reads without noise.
        renderer: Renders it.
        seed: Of the noise.
        intensity: Share of the eligible facts that are hit, in [0, 1].

    Returns:
        None when the clean evidence was not recorded, or cannot be read.
    """
    recorded = clean.recorded
    text = next((s.facts for s in recorded.snapshots if s.variant == CLEAN), None)
    if text is None:
        return None
    try:
        snapshot = decode_snapshot(text)
    except ObservationError:
        return None
    profile = profile_of(recorded.observation)
    injection = inject(snapshot, profile, seed, intensity, clean.critical)
    rules, context = clean.rules.rule_set, recorded_context(recorded)
    resolved = resolve(
        injection.snapshot,
        context.query_time,
        primary_entity(rules, context),
        rules=rules,
        related=related_entities(rules, context),
    )
    noisy = replace(clean, variant=NOISY, resolved=resolved, panes=())
    panes = tuple(_pane(noisy, renderer, known.template, injection) for known in clean.panes)
    return NoiseTrial(injection, replace(noisy, panes=panes))


def profile_of(observation: Observation) -> NoiseProfile:
    """The profile that an observation was recorded with; the seed's table where there is none."""
    name = (observation.noise_profile or "").split("@", 1)[0]
    return PROFILES.get(name, DEFAULT_PROFILE)


def is_recorded(recorded: RecordedObservation, seed: int, intensity: float) -> bool:
    """Whether this is the noise that the model was given."""
    seen = recorded.observation
    return (seen.noise_seed, seen.noise_intensity) == (seed, intensity)


def _pane(noisy: Reading, renderer: Renderer, template: str, injection: Injection) -> Pane:
    made, problem = renderer.render(
        noisy.resolved, template, noisy.language, NOISY, noise=injection.records
    )
    return pane(template, None, made, problem, noisy.cells, noisy.wording(), noisy.counter)
