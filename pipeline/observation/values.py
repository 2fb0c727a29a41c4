"""One raw value to one typed value, by its rule. Total: what cannot be read says so."""

import math
import re
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Final

from pipeline.observation.bands import band_of
from pipeline.observation.expression import Number, plain
from pipeline.observation.fragment import ConfidenceOrigin, FragmentKind, Value, ValueType
from pipeline.observation.inputs import scalar_text
from pipeline.observation.paths import MISSING
from pipeline.observation.reading import Reading, unparsed
from pipeline.observation.rules.model import FieldRule
from pipeline.observation.times import read_date, read_datetime

MAX_TEXT_VALUE: Final = 2_000
"""Characters of a text value; the rest is cut and the reason says `capped`."""
MAX_NUMBER: Final = 10**18
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?", re.ASCII)


def read_value(rule: FieldRule, raw: object) -> Reading:
    """Read one raw value as its rule says.

    Returns:
        A FACT with a typed value; UNKNOWN for enum values outside the dictionary; UNPARSED for
        what does not fit the type. Missing and null read as UNKNOWN (enums) or UNPARSED, reason
        `missing`. Source: S0 §4.2.
    """
    if raw is MISSING or raw is None:
        return _missing(rule)
    match rule.value_type:
        case ValueType.ENUM if not rule.bands:
            return _enum(rule, raw)
        case ValueType.STRING:
            return _string(raw)
        case ValueType.BOOLEAN:
            return _boolean(rule, raw)
        case ValueType.DATE:
            return _time(read_date(raw, rule.formats), "not_a_date")
        case ValueType.DATETIME:
            return _time(read_datetime(raw, rule.formats, rule.zone), "not_a_time")
        case _:
            return banded(rule, _number(rule, raw))


def banded(rule: FieldRule, reading: Reading) -> Reading:
    """The code of the band a number lies in, for rules with bands; anything else unchanged."""
    number = reading.value
    if not rule.bands or isinstance(number, bool) or not isinstance(number, int | float):
        return reading
    band = band_of(rule.bands, number)
    return replace(reading, value=band.code, words=band.words, origin=ConfidenceOrigin.CONVERSION)


def _missing(rule: FieldRule) -> Reading:
    if rule.value_type is ValueType.ENUM:
        return Reading(FragmentKind.UNKNOWN, None, ConfidenceOrigin.UNMAPPED, reason="missing")
    return unparsed("missing")


def _enum(rule: FieldRule, raw: object) -> Reading:
    text = ("true" if raw else "false") if isinstance(raw, bool) else scalar_text(raw)
    if rule.enum is None or text is None:
        return Reading(FragmentKind.UNKNOWN, None, ConfidenceOrigin.UNMAPPED, reason="unmapped")
    key = text.casefold() if rule.enum.ignores_case else text
    code = rule.enum.codes.get(key)
    if code is not None:
        words = rule.enum.words.get(code, ())
        return Reading(FragmentKind.FACT, code, ConfidenceOrigin.CONVERSION, words)
    if key in rule.enum.fallback:
        words = rule.enum.fallback[key]
        return Reading(FragmentKind.FACT, key, ConfidenceOrigin.FALLBACK, words, "fallback")
    return Reading(FragmentKind.UNKNOWN, None, ConfidenceOrigin.UNMAPPED, reason="unmapped")


def _string(raw: object) -> Reading:
    text = raw if isinstance(raw, str) else scalar_text(raw)
    if text is None:
        return unparsed("not_text")
    reason = "capped" if len(text) > MAX_TEXT_VALUE else None
    return Reading(FragmentKind.FACT, text[:MAX_TEXT_VALUE], ConfidenceOrigin.GET, reason=reason)


def _boolean(rule: FieldRule, raw: object) -> Reading:
    if isinstance(raw, bool):
        return Reading(FragmentKind.FACT, raw, ConfidenceOrigin.GET)
    text = scalar_text(raw)
    if text in rule.true_values or text in rule.false_values:
        return Reading(FragmentKind.FACT, text in rule.true_values, ConfidenceOrigin.CONVERSION)
    return unparsed("not_a_boolean")


def _time(moment: Value, reason: str) -> Reading:
    if moment is None:
        return unparsed(reason)
    return Reading(FragmentKind.FACT, moment, ConfidenceOrigin.CONVERSION)


def _number(rule: FieldRule, raw: object) -> Reading:
    if type(raw) is int and rule.scale is None and -MAX_NUMBER <= raw <= MAX_NUMBER:
        return Reading(FragmentKind.FACT, raw, ConfidenceOrigin.GET)  # the short way, mostly taken
    number = _exact(raw)
    if number is None:
        return unparsed("not_a_number")
    scaled = number if rule.scale is None else number * rule.scale
    if abs(scaled) > MAX_NUMBER:
        return unparsed("out_of_range")
    is_plain = rule.scale is None and not isinstance(raw, str)
    origin = ConfidenceOrigin.GET if is_plain else ConfidenceOrigin.CONVERSION
    return Reading(FragmentKind.FACT, _kept(raw, scaled, is_plain), origin)


def _kept(raw: object, number: Fraction, is_plain: bool) -> Number:
    if is_plain and isinstance(raw, float):
        return raw
    return plain(number)


def _exact(raw: object) -> Fraction | None:
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return Fraction(raw) if raw.bit_length() < 128 else None
    if isinstance(raw, float):
        return Fraction(Decimal(repr(raw))) if math.isfinite(raw) else None
    if isinstance(raw, str) and _NUMBER.fullmatch(raw.strip()):
        try:
            return Fraction(Decimal(raw.strip()))
        except InvalidOperation:
            return None
    return None
