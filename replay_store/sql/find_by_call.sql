-- Traces with a call whose id is one of the words; one row a trace, newest first, and how many there
-- are. The words stand in the place of $word as a list of values: compared while the column is read,
-- which joining a table of them is not.
with found as (
    select
        trace_id,
        min(tool_call_id) as value,
        min(coalesce(span_id, llm_span_id)) as span_id
    from tool_call
    where tool_call_id in ($word)
    group by trace_id
)
select
    'call' as kind,
    found.value,
    hex_trace(found.trace_id) as trace_id,
    hex_span(found.span_id) as span_id,
    count(*) over () as n
from found
inner join trace using (trace_id)
order by
    trace.start_time_ns desc nulls last,
    found.trace_id
limit $limit
