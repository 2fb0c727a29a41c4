-- What: what one trace did, in the counts that derive keeps of it.
-- Unit: calls, tokens. Denominator: none.
-- Excluded: with a scope, traces that start outside it or do not tell when. NULL: not visible.
with scoped as (
    select
        trace_id,
        start_time_ns,
        n_llm_calls,
        n_tool_calls,
        n_tool_errors,
        n_retries,
        input_tokens,
        output_tokens,
        cached_input_tokens,
        is_run_failed,
        longest_identical_run
    from trace
    where
        ($start_time_ns is null or start_time_ns >= $start_time_ns)
        and ($end_time_ns is null or start_time_ns < $end_time_ns)
        and ($agent_name is null or agent_name = $agent_name)
        and (
            $tool_name is null
            or trace_id in (select trace_id from tool_call where tool_name = $tool_name)
        )
),

final as (
    select
        hex_trace(trace_id) as trace_id,
        start_time_ns,
        n_llm_calls,
        n_tool_calls,
        n_tool_errors,
        n_retries,
        input_tokens,
        output_tokens,
        cached_input_tokens,
        is_run_failed,
        longest_identical_run
    from scoped
)

select
    trace_id,
    n_llm_calls,
    n_tool_calls,
    n_tool_errors,
    n_retries,
    input_tokens,
    output_tokens,
    cached_input_tokens,
    is_run_failed,
    longest_identical_run
from final
order by
    start_time_ns nulls last,
    trace_id
