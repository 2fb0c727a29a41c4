"""Which SQL a derive runs, in which order, and what a chunk may not need."""

from dataclasses import dataclass
from typing import Final

__all__ = ["STEPS", "Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """Files beside this one that belong together.

    Each leaves or fills a temporary table, or fills a derived one.
    """

    names: tuple[str, ...]
    needs: str | None = None
    """A query; without a row these files would do nothing and are left out. None: always run."""


_ARRIVED: Final = (
    "(received_time_ns between $first_ns and $last_ns"
    " or received_time_ns between $known_first_ns and $known_last_ns)"
)

_NESTED: Final = """
    select 1
    from d_span
    inner join d_span as parent
        on d_span.trace_id = parent.trace_id
        and d_span.parent_span_id = parent.span_id
    where parent.role in ('tool', 'model')
    limit 1
"""
_SAID: Final = f"""
    select 1 from span_log where {_ARRIVED} and event_name like 'gen_ai.%' limit 1
"""  # noqa: S608
_FOLDED: Final = """
    select 1
    from d_lineage
    inner join d_model
        on d_lineage.trace_id = d_model.trace_id
        and d_lineage.ancestor_id = d_model.span_id
    union all
    (select 1 from d_model group by trace_id, response_id having count(response_id) > 1)
    union all
    select 1 from d_model where not is_told
    union all
    select 1 from chosen inner join trace_link using (trace_id) where linked_by like '%same%'
    limit 1
"""
_INNER: Final = """
    select 1 from d_lineage
    union all
    select 1 from chosen inner join trace_link using (trace_id) where linked_by like '%mcp%'
    limit 1
"""
_UNPAIRED: Final = """
    select 1
    from (from d_request anti join d_pair using (request_no) limit 1)
    cross join (from d_execution anti join d_pair using (execution_no) limit 1)
"""
_TRIED: Final = "select 1 from d_evidence where evidence = 'attempt' limit 1"
_FAILED: Final = "select 1 from d_call where status = 'error' or is_rejected limit 1"
_GUARDED: Final = f"""
    select 1 from guard_event where {_ARRIVED}
    union all
    select 1 from d_call where status = 'blocked'
    limit 1
"""  # noqa: S608 - texts of this module
_REPEATED: Final = """
    select 1
    from d_call
    where not is_pseudo
    group by trace_id, tool_name, arguments_hash
    having count(*) > 1 or any_value(arguments_hash) is null
    limit 1
"""
_TRIED_AGAIN: Final = """
    select 1 from d_retry where retry_of is not null
    union all
    select 1 from d_call where n_attempts > 1
    limit 1
"""
_LOGGED: Final = f"select 1 from span_log where {_ARRIVED} limit 1"  # noqa: S608
_DISTURBED: Final = f"""
    select 1 from noise_log where {_ARRIVED}
    union all
    select 1 from observed_noise where {_ARRIVED}
    limit 1
"""  # noqa: S608

STEPS: Final = (
    Step(("steps/span", "steps/evidence")),
    Step(("steps/lineage",), _NESTED),
    Step(("steps/model",)),
    Step(("steps/said",), _SAID),
    Step(("steps/fold",), _FOLDED),
    Step(("steps/turn",)),
    Step(("steps/inner",), _INNER),
    Step(("steps/request", "steps/execution", "steps/pair_by_id")),
    Step(("steps/pair_by_arguments", "steps/pair_by_turn", "steps/pair_by_order"), _UNPAIRED),
    Step(("steps/attempt",), _TRIED),
    Step(("steps/call",)),
    Step(("steps/retry",), _FAILED),
    Step(("steps/count_calls",)),
    Step(("steps/count_repeats",), _REPEATED),
    Step(("steps/evaluation", "steps/count_guards", "guard_evaluation"), _GUARDED),
    Step(("steps/count_logs",), _LOGGED),
    Step(("steps/count_noise",), _DISTURBED),
    Step(("tool_call", "attempt", "decision", "model_call", "trace")),
    Step(("call_retry",), _TRIED_AGAIN),
)
"""First what temporary tables tell of the chosen traces, then the rows of the derived tables."""
