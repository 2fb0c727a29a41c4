"""Sensitive values never leave the parser: masked values, keyed pseudonyms for ids."""

import hashlib
import hmac
import re
from collections.abc import Callable
from typing import Final

from pipeline.observation.fragment import EntityRef
from pipeline.observation.inputs import ToolOutput, scalar_text
from pipeline.observation.payload import decode
from pipeline.observation.preview import MASK, Masks, preview
from pipeline.observation.rules.model import RuleSet

_PSEUDONYM: Final = re.compile(r"anon-[0-9a-f]{16}")


def pseudonym(entity_type: str, identity: str, key: bytes | None) -> str:
    """A stable stand-in for an id: `anon-` and 16 hex digits of an HMAC-SHA-256.

    Without a key the digest is not secret: nobody can read the id, but whoever guesses it can
    check the guess. Equal ids of different types get different pseudonyms; a pseudonym stays
    itself, so that recorded answers can be read again.
    """
    if _PSEUDONYM.fullmatch(identity):
        return identity
    text = f"{entity_type}\0{identity}".encode("utf-8", "surrogatepass")
    return f"anon-{hmac.new(key or b'', text, hashlib.sha256).hexdigest()[:16]}"


def entity_ref(rules: RuleSet, entity_type: str, identity: str, key: bytes | None) -> EntityRef:
    """The reference to an entity as facts carry it: a pseudonym where its type is sensitive."""
    if rules.is_sensitive(entity_type):
        return EntityRef(entity_type, pseudonym(entity_type, identity, key))
    return EntityRef(entity_type, identity)


def masks_of(rules: RuleSet, tool: str, key: bytes | None) -> Masks:
    """What to show instead of the sensitive values of a tool's answers, by their keys.

    Ids of sensitive entities show as pseudonyms, so that an answer can be read again and means the
    same; everything else as `***`. A tool without a name counts as all of them.
    """
    masks: dict[str, Callable[[object], str]] = {}
    for known in rules.for_tool(tool) if tool else rules.tools:
        for field in known.fields:
            if field.is_sensitive:
                shown_as = _id_mask(rules.fact_types[field.fact_type].refers_to, key)
                masks |= dict.fromkeys((path[-1] for path in field.paths if path), shown_as)
        if known.entity is not None and known.entity.is_sensitive:
            shown_as = _id_mask(known.entity.type, key)
            masks |= dict.fromkeys((path[-1] for path in known.entity.paths), shown_as)
    return masks


def raw_text(output: ToolOutput, rules: RuleSet, limit: int, key: bytes | None) -> str:
    """An output's body as bounded text without sensitive values.

    Text that is no JSON cannot be masked by key: it is masked whole where the rules of its tool
    know of sensitive fields.
    """
    masks = masks_of(rules, output.tool, key)
    value, problem = decode(output.body)
    if problem is not None:
        return MASK if masks else preview(output.body, limit)
    return preview(value, limit, masks)


def _id_mask(entity_type: str | None, key: bytes | None) -> Callable[[object], str]:
    def shown(value: object) -> str:
        identity = scalar_text(value)
        if entity_type is None or identity is None:
            return MASK
        return pseudonym(entity_type, identity, key)

    return shown
