"""What can be made whole again from received rows."""

from typing import Final

from replay_store.database import Database
from replay_store.derive import catch_up
from replay_store.doctor import Check
from replay_store.errors import StoreWriteError
from replay_store.statements import statement
from replay_store.tier.back import bring_back

__all__ = ["REPAIRED_HERE", "repair"]

_MENDS: Final = {
    Check.SPANS_TWICE: ("spans_twice",),
    Check.UNDERIVED: ("rollups", "underived"),
    Check.ROLLUPS: ("rollups",),
}
"""The texts that mend what a check finds; what they concern is in the temporary table `wrong`."""
REPAIRED_HERE: Final = frozenset(_MENDS)
"""What is read in a span needs `ingest.rebuild`; unreadable blocks, `replay_store.salvage`."""


def repair(database: Database, check: Check, *, now_ns: int) -> None:
    """Mend what a check finds, in one transaction, and derive what is behind then.

    Args:
        database: The store.
        check: One of `REPAIRED_HERE`.
        now_ns: Traces that were quiet for long before are sealed.

    Raises:
        KeyError: Another check.
        StoreWriteError: Rollups are made anew from all sealed traces, and some of those that were moved
            out of the store are not where they were put.
    """
    texts = _MENDS[check]
    if "rollups" in texts:
        bring_back(database)
        if database.missing_days:
            raise StoreWriteError(
                "rollups: some moved days are not where they were put: expected all of them, because "
                "figures are made anew from their rows; put their folder back, then repair"
            )
    listed = statement(f"sql/doctor_{check}")
    with database.transaction() as cursor:
        cursor.execute(f"create or replace temp table wrong as from ({listed}) where is_wrong")
        for name in texts:
            cursor.execute(statement(f"sql/doctor_mend_{name}"))
    catch_up(database, now_ns=now_ns)
