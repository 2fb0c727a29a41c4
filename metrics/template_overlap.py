"""Do two templates stand on the same traces? Every observation may be rendered through several."""

from dataclasses import dataclass

from metrics.statements import Store, answer
from metrics.values import Scope


@dataclass(frozen=True, slots=True)
class Overlap:
    """How many traces hold one template, the other, and both."""

    n_left: int
    n_right: int
    n_both: int

    @property
    def is_nested(self) -> bool:
        """Whether all traces of one hold the other too: only their prompts tell the two apart."""
        return 0 < min(self.n_left, self.n_right) == self.n_both


def template_overlap(database: Store, scope: Scope, left: str, right: str) -> Overlap:
    """The overlap of two templates over the traces that start in a scope; zeros without any."""
    row = answer(database, "template_overlap", scope, left=left, right=right)[0]
    return Overlap(*(int(row[name]) for name in ("n_left", "n_right", "n_both")))
