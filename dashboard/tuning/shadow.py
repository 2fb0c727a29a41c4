"""What a shadow run has seen so far: both versions over what arrived since it began."""

from pipeline.observation import load_rules
from replay_store import rule_store
from replay_store.backtest import OnProgress, backtest
from replay_store.backtest_impact import Impact
from replay_store.database import Database
from replay_store.rule_shadows import Shadow
from replay_store.rule_store import short

__all__ = ["shadow_impact"]


def shadow_impact(
    database: Database,
    shadow: Shadow,
    *,
    on_progress: OnProgress | None = None,
) -> Impact:
    """How the draft would have read what arrived since the run began; nothing is stored.

    Raises:
        RuleStoreError: The version it is compared with is not kept.
        RuleFileError: This release cannot use one of them.
    """
    base = rule_store.texts_of(database, shadow.base_version)
    return backtest(
        database,
        load_rules(base, short(shadow.base_version)),
        load_rules(shadow.texts),
        received_since_ns=shadow.started_time_ns,
        base_version=shadow.base_version,
        on_progress=on_progress,
    )
