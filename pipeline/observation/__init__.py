"""The embedded observation pipeline: what an agent's tools said, as its model is to read it.

SAP (`parse`) reads each output by rules, CSA (`align`, `resolve`) brings the evidence together, CNI
(`inject`) disturbs it under control, `render` puts it into words; `build_observation_input` and
`observe` do all of it. Owns those stages, the rule files and the prompt templates.

Everything is a pure function of its arguments; clock, seed, dictionary and keys are passed in.
Refuses databases, web servers and any reading of the environment outside `settings`. Rules and
templates are brought in from outside by `published`, `watch` and what is called `*_folder` alone.
Importing it loads neither pydantic nor Jinja nor OpenTelemetry: they come with first use.
"""

from pipeline.observation.callers import Caller, caller_at
from pipeline.observation.criticality import CriticalityChecker
from pipeline.observation.entry import build_observation_input, observe
from pipeline.observation.errors import (
    ObservationError,
    RuleFileError,
    RuleSourceError,
    SettingError,
    TemplateError,
    UnknownVersionError,
)
from pipeline.observation.fragment import (
    ConfidenceOrigin,
    EntityRef,
    FragmentKind,
    SemanticFragment,
    ValueType,
)
from pipeline.observation.grouping import primary_entity, related_entities
from pipeline.observation.hooks import CodeParser, Hook
from pipeline.observation.inputs import Context, ToolOutput
from pipeline.observation.noise import Injection, inject, replay
from pipeline.observation.noise_log import (
    PROFILES,
    NoiseHeader,
    NoiseKind,
    NoiseOrigin,
    NoiseProfile,
    NoiseRecord,
)
from pipeline.observation.observation import Observation, PromptKey, Variant
from pipeline.observation.owner_templates import OwnerTemplates
from pipeline.observation.parser import parse
from pipeline.observation.reading import Reading
from pipeline.observation.render import LANGUAGES, TEMPLATES, CellCoverage, Coverage, Prompt, render
from pipeline.observation.resolved import (
    Alternative,
    Cell,
    CellKind,
    Group,
    Health,
    ResolvedSnapshot,
    Signal,
    SignalName,
)
from pipeline.observation.resolver import resolve
from pipeline.observation.rules import (
    RuleSet,
    RuleWarning,
    lint_rules,
    load_folder,
    load_rules,
    map_value,
    package_rule_texts,
    package_rules,
)
from pipeline.observation.settings import ObservationSettings
from pipeline.observation.shadow import ShadowReading, shadow_reading
from pipeline.observation.snapshot import SemanticSnapshot, align
from pipeline.observation.tokens import EstimatedTokens, TokenCounter, token_counter
from pipeline.observation.versions import RuleLibrary, Versions
from pipeline.observation.wire import (
    decode_context,
    decode_snapshot,
    encode_context,
    encode_snapshot,
    fragment_from_row,
    fragment_row,
)

__all__ = [
    "LANGUAGES",
    "PROFILES",
    "TEMPLATES",
    "Alternative",
    "Caller",
    "Cell",
    "CellCoverage",
    "CellKind",
    "CodeParser",
    "ConfidenceOrigin",
    "Context",
    "Coverage",
    "CriticalityChecker",
    "EntityRef",
    "EstimatedTokens",
    "FragmentKind",
    "Group",
    "Health",
    "Hook",
    "Injection",
    "NoiseHeader",
    "NoiseKind",
    "NoiseOrigin",
    "NoiseProfile",
    "NoiseRecord",
    "Observation",
    "ObservationError",
    "ObservationSettings",
    "OwnerTemplates",
    "Prompt",
    "PromptKey",
    "Reading",
    "ResolvedSnapshot",
    "RuleFileError",
    "RuleLibrary",
    "RuleSet",
    "RuleSourceError",
    "RuleWarning",
    "SemanticFragment",
    "SemanticSnapshot",
    "SettingError",
    "ShadowReading",
    "Signal",
    "SignalName",
    "TemplateError",
    "TokenCounter",
    "ToolOutput",
    "UnknownVersionError",
    "ValueType",
    "Variant",
    "Versions",
    "align",
    "build_observation_input",
    "caller_at",
    "decode_context",
    "decode_snapshot",
    "encode_context",
    "encode_snapshot",
    "fragment_from_row",
    "fragment_row",
    "inject",
    "lint_rules",
    "load_folder",
    "load_rules",
    "map_value",
    "observe",
    "package_rule_texts",
    "package_rules",
    "parse",
    "primary_entity",
    "related_entities",
    "render",
    "replay",
    "resolve",
    "shadow_reading",
    "token_counter",
]
