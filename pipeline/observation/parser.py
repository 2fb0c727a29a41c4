"""SAP: what one tool output says, as typed evidence. Pure and total.

`parse` answers for any input: JSON values, text, bytes, None, megabytes, a thousand levels deep.
What cannot be read becomes a fragment that says so. Bounds (`payload.MAX_TEXT`, `MAX_RECORDS`,
`MAX_FACTS`, `MAX_ITEMS`, `MAX_PARTS`, `values.MAX_TEXT_VALUE`) are said in the fragment's reason, never
applied silently.

Source: S0 §3.1, §4.2; S4 §3.3, §4.4, §5.2.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, NamedTuple

from pipeline.observation.answer import Answer, answer_of, stated
from pipeline.observation.fragment import (
    CONFIDENCE,
    ConfidenceOrigin,
    EntityRef,
    FragmentKind,
    SemanticFragment,
    Value,
    ValueType,
    Words,
)
from pipeline.observation.inputs import (
    ANY_TOOL,
    Context,
    ToolOutput,
    scalar_text,
)
from pipeline.observation.lists import read_list
from pipeline.observation.ordering import Matched
from pipeline.observation.paths import MISSING, at_path
from pipeline.observation.payload import (
    MAX_FACTS,
    Payload,
    decode,
    error_class_of,
    is_empty,
    unwrap,
)
from pipeline.observation.preview import MASK, preview
from pipeline.observation.privacy import entity_ref, pseudonym
from pipeline.observation.reading import Reading
from pipeline.observation.rules.model import FieldRule, RuleSet, ToolRules
from pipeline.observation.times import day_start, read_datetime
from pipeline.observation.values import read_value

PARSER_MISSING: Final = "parser_missing"
"""The reason of the fragment that stands for an answer whose rules pin code that is not here."""
RECORDS_LEFT_OUT: Final = "records_left_out"
"""The reason of the fragment that says, in `raw`, how many records were not read."""
MAX_ID: Final = 200
"""Characters of an id; a longer one is none, and the context decides."""


class _Subject(NamedTuple):
    """What a record is about, and whether only the context said so."""

    entity: EntityRef
    is_from_context: bool


def parse(output: ToolOutput, rules: RuleSet, context: Context) -> list[SemanticFragment]:
    """The evidence in one tool output: at least one fragment, whatever it is.

    A failed call gives one FAILED fragment; an output of a fallback gives DEGRADED ones; an
    output without rules one UNPARSED. Fields that the rules do not name are ignored.
    """
    if output.error is not None:
        source = answer_of(
            output, rules, _first(rules.readers(output.tool, output.version)), context
        )
        error_class = error_class_of(output.error)
        return [stated(source, FragmentKind.FAILED, error_class, "error")]
    value, problem = decode(output.body, is_lazy=True)
    if output.tool == ANY_TOOL:
        readers = _by_keys(value, rules)
    else:
        readers = rules.readers(output.tool, output.version)
    if not readers or problem is not None:
        source = answer_of(output, rules, _first(readers), context)
        reason = problem or "no_rules"
        kind = FragmentKind.UNPARSED
        if problem is None and is_empty(value):
            kind, reason = FragmentKind.EMPTY, "no_data"
        return [stated(source, kind, None, reason)]
    fragments: list[SemanticFragment] = []
    for tool_rules in readers:
        source = answer_of(output, rules, tool_rules, context)
        if rules.lacks_parser(tool_rules):
            fragments.append(stated(source, FragmentKind.UNPARSED, None, PARSER_MISSING))
        else:
            fragments += _parse_with(source, tool_rules, value)
    return fragments


def _first(readers: Sequence[ToolRules]) -> ToolRules | None:
    return readers[0] if readers else None


def _by_keys(value: object, rules: RuleSet) -> tuple[ToolRules, ...]:
    """Every rule file whose required keys a bare answer has (S0 §4.4)."""
    found = []
    for tool_rules in rules.readers_of_bare():
        records = unwrap(value, tool_rules).records
        if records and tool_rules.required_keys and tool_rules.required_keys <= records[0].keys():
            found.append(tool_rules)
    return tuple(found)


def _parse_with(source: Answer, rules: ToolRules, value: object) -> list[SemanticFragment]:
    payload = unwrap(value, rules)
    if payload.kind is not FragmentKind.FACT:
        return [_empty_handed(source, rules, payload)]
    fragments: list[SemanticFragment] = []
    fields = rules.fields_for(source.context.intent)
    n_left_out = payload.n_left_out
    for n_read, record in enumerate(payload.records):
        if len(fragments) >= MAX_FACTS:
            n_left_out += len(payload.records) - n_read
            break
        fragments += _of_record(source, rules, fields, record)
    if n_left_out:
        kind = FragmentKind.UNPARSED
        fragments.append(stated(source, kind, None, RECORDS_LEFT_OUT, str(n_left_out)))
    if not fragments:
        fragments.append(stated(source, FragmentKind.EMPTY, None, "no_known_field"))
    return fragments


def _of_record(
    source: Answer,
    rules: ToolRules,
    fields: Sequence[FieldRule],
    record: Mapping[object, object],
) -> list[SemanticFragment]:
    subject = _subject(source, rules, record)
    matched: Matched = {}
    found = (_field(source, rule, record, subject, matched) for rule in fields)
    return [fragment for fragment in found if fragment is not None]


def _empty_handed(source: Answer, rules: ToolRules, payload: Payload) -> SemanticFragment:
    reason = payload.reason or "no_data"
    if payload.kind is not FragmentKind.EMPTY:
        return stated(source, payload.kind, payload.error_class, reason)
    fragment = stated(source, payload.kind, "not_found", reason)
    return replace(fragment, words=rules.empty_words, type=rules.empty_fact_type or fragment.type)


def _subject(source: Answer, rules: ToolRules, record: Mapping[object, object]) -> _Subject:
    """What a record is about: what it says, else what the context says, else nothing known."""
    context = source.context
    if rules.entity is None:
        return _Subject(context.primary or EntityRef("", ""), True)
    for path in rules.entity.paths:
        identity = scalar_text(at_path(record, path))
        if identity is not None and len(identity) <= MAX_ID:
            return _Subject(_ref(source, rules.entity.type, identity), False)
    for key in rules.entity.context_keys:
        if key in context.values:
            return _Subject(_ref(source, rules.entity.type, context.values[key]), True)
    return _Subject(EntityRef(rules.entity.type, ""), True)


def _ref(source: Answer, entity_type: str, identity: str) -> EntityRef:
    return entity_ref(source.rules, entity_type, identity, source.context.pseudonym_key)


def _field(
    source: Answer,
    rule: FieldRule,
    record: Mapping[object, object],
    subject: _Subject,
    matched: Matched,
) -> SemanticFragment | None:
    raw, path = _raw(rule, record)
    if (raw is MISSING or raw is None) and rule.is_optional:
        return None
    moment: datetime | None = None
    if rule.list_rule is not None and raw is not MISSING and raw is not None:
        found = read_list(rule.list_rule, raw, matched)
        if found is None:
            return None
        reading, moment = found
    else:
        reading = read_value(rule, raw)
    if source.parser is not None:
        reading = source.parser.read(rule, raw, reading, source.context)
    valid_at = None if rule.is_sensitive else moment or _valid_at(rule, record, reading.value)
    return _fragment(source, rule, reading, subject, ".".join(path), raw, valid_at)


def _raw(rule: FieldRule, record: Mapping[object, object]) -> tuple[object, tuple[str, ...]]:
    for path in rule.paths:
        raw = at_path(record, path)
        if raw is not MISSING and raw is not None:
            return raw, path
    return MISSING, rule.paths[0]


def _valid_at(rule: FieldRule, record: Mapping[object, object], value: Value) -> datetime | None:
    if rule.event_time is not None:
        return read_datetime(at_path(record, rule.event_time), rule.formats, rule.zone)
    if isinstance(value, datetime):
        return value
    if rule.value_type is ValueType.DATE and value is not None:
        return day_start(value, rule.zone)  # type: ignore[arg-type]  # a date, by its type
    return None


def _fragment(
    source: Answer,
    rule: FieldRule,
    reading: Reading,
    subject: _Subject,
    path: str,
    raw: object,
    valid_at: datetime | None,
) -> SemanticFragment:
    confidence, origin = _confidence(rule, reading)
    value, words, shown_raw = _protected(source, rule, reading, raw)
    kind, reason = reading.kind, reading.reason
    if source.output.degradation is not None and kind is FragmentKind.FACT:
        kind, reason = FragmentKind.DEGRADED, source.output.degradation
    return SemanticFragment(
        type=rule.fact_type,
        kind=kind,
        value=value,
        confidence=confidence,
        confidence_origin=origin,
        source=f"{source.tool}.{path}{_suffix(rule)}",
        entity=subject.entity,
        tool=source.tool,
        words=words,
        value_type=rule.value_type,
        is_optional=rule.is_optional,
        is_entity_from_context=subject.is_from_context,
        ages_from_event=rule.ages_from_event,
        observed_at=source.observed_at,
        valid_at=valid_at,
        raw=shown_raw,
        reason=reason,
        contract_version=source.output.version,
        rule_version=source.rule_version,
        parser_version=source.parser_version,
    )


def _confidence(rule: FieldRule, reading: Reading) -> tuple[float, ConfidenceOrigin]:
    """The owner's word for a value read as declared; the operation's worth otherwise."""
    is_ordinary = reading.is_value and reading.origin is not ConfidenceOrigin.FALLBACK
    if is_ordinary and rule.confidence is not None:
        return rule.confidence, ConfidenceOrigin.DECLARED
    return CONFIDENCE[reading.origin], reading.origin


def _protected(
    source: Answer, rule: FieldRule, reading: Reading, raw: object
) -> tuple[Value, Words, str | None]:
    """Value, words and raw text as they may be kept."""
    if not rule.is_sensitive:
        return reading.value, reading.words, None if raw is MISSING else preview(raw)
    refers_to = source.rules.fact_types[rule.fact_type].refers_to
    if refers_to is not None and isinstance(reading.value, str):
        key = source.context.pseudonym_key
        return pseudonym(refers_to, reading.value, key), (), MASK
    return (None if reading.value is None else MASK), (), MASK


def _suffix(rule: FieldRule) -> str:
    """`.latest` after the source of a chosen item (S0 §4.2 writes `logistics_info.latest`)."""
    if rule.list_rule is None:
        return ""
    return f".{rule.list_rule.strategy.removesuffix('_by_time')}"
