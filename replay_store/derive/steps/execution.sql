-- d_execution: tool spans that are one run each, named by their evidence.
-- turn_index: the last turn answered before the run began; NULL when none was.
create or replace temp table d_execution as
with runs as (
    select
        evidence_no as execution_no,
        trace_id,
        own_trace_id,
        span_id,
        tool_name,
        tool_call_id,
        arguments_hash,
        start_time_ns,
        end_time_ns
    from d_evidence
    anti join d_inner using (trace_id, span_id)
    where evidence = 'execution'
),

moments as (
    select
        trace_id,
        answered_time_ns as time_ns,
        turn_index,
        null as execution_no
    from d_turn
    where answered_time_ns is not null
    union all
    select
        trace_id,
        start_time_ns,
        null,
        execution_no
    from runs
    where start_time_ns is not null
),

placed as (
    select
        execution_no,
        last_value(turn_index ignore nulls) over (
            partition by trace_id
            order by time_ns, execution_no nulls first, turn_index
            rows between unbounded preceding and current row
        ) as turn_index
    from moments
)

select
    runs.*,
    placed.turn_index
from runs
left join placed using (execution_no)
