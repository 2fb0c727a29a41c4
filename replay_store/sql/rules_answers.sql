-- What: the distinct recorded answers of one tool with when each came first and last, and how often.
-- Unit: one row an answer (tool, contract version and body), the latest ones first. Answers of failed
-- calls and of fallbacks say nothing about a tool's schema and are left out, and so are those of
-- which only the beginning was kept, and those without a time.
select
    raw_output.body,
    raw_output.contract_version,
    count(*) as n,
    min(raw_occurrence.time_ns) as first_time_ns,
    max(raw_occurrence.time_ns) as last_time_ns,
    arg_min(hex_trace(raw_occurrence.trace_id), raw_occurrence.time_ns) as first_trace_id,
    arg_min(hex_span(raw_occurrence.span_id), raw_occurrence.time_ns) as first_span_id
from raw_output
inner join raw_occurrence
    on raw_output.raw_id = raw_occurrence.raw_id
where raw_output.tool_name = $tool_name
    and raw_occurrence.source = $source
    and raw_occurrence.error_class is null
    and raw_occurrence.degradation is null
    and raw_occurrence.time_ns is not null
    and not ends_with(raw_output.body, '…')
group by
    raw_output.raw_id,
    raw_output.body,
    raw_output.contract_version
order by
    last_time_ns desc,
    raw_output.raw_id
limit $max_outputs
