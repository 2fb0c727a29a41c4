"""Do idempotency keys keep their word: one step, one key, and the same one each time?"""

from dataclasses import dataclass

from metrics.statements import Store, answer
from metrics.values import Scope


@dataclass(frozen=True, slots=True)
class KeyHonesty:
    """The idempotency keys of one tool."""

    tool_name: str
    n_calls: int
    """Executed calls."""
    n_with_key: int
    n_deterministic: int
    """Calls whose key is the one that their task and step give."""
    n_steps: int
    """Steps with a key."""
    n_steps_with_several: int
    """Steps that were tried under several keys: a repeat could take effect twice."""

    @property
    def deterministic_share(self) -> float | None:
        """Of the calls with a key, those whose key follows from task and step; None without keys."""
        return self.n_deterministic / self.n_with_key if self.n_with_key else None


def idempotency_honesty(database: Store, scope: Scope) -> tuple[KeyHonesty, ...]:
    """Every tool that was called, most calls first; empty without calls.

    Source: S3 §4.1, a key made by the model is made up anew each time; the orchestrator derives it.
    """
    return tuple(
        KeyHonesty(
            row["tool_name"],
            **{key: int(value) for key, value in row.items() if key.startswith("n_")},
        )
        for row in answer(database, "idempotency_honesty", scope)
    )
