"""How long has a guard rule been silent? To the hour, as its alert tells it."""

from dataclasses import replace

from metrics.guard_rules import GuardRule
from metrics.statements import Store, answer
from metrics.values import Note, Scope


def guard_silence(database: Store, scope: Scope, rule: GuardRule) -> GuardRule:
    """A silent rule with the cases since its last sign of life, and the first hour without one.

    Time buckets are wide, and count the whole of one in which a rule died as alive.

    Args:
        database: The store.
        scope: Its period and filters; the period before it is looked at too.
        rule: Silent, as `judge_rules` found it.
    """
    rows = answer(
        database,
        "guard_silence",
        scope,
        rule=rule.rule or "",
        is_of_hits=rule.note is not Note.EVALUATIONS_STOPPED,
    )
    if not rows:
        return rule
    found = rows[0]
    return replace(rule, n_silent=int(found["n_silent"]), silent_since_ns=int(found["since_ns"]))
