-- What: the distinct recorded answers of one tool, the latest ones first, and how often each came.
-- Unit: one row an answer (tool, contract version and body). Answers of failed calls say nothing
-- about a tool's schema and are left out, and so are those of which only the beginning was kept.
select
    raw_output.body,
    raw_output.contract_version,
    count(*) as n_occurrences,
    max(raw_occurrence.time_ns) as last_time_ns
from raw_output
inner join raw_occurrence
    on raw_output.raw_id = raw_occurrence.raw_id
where raw_output.tool_name = $tool_name
    and raw_occurrence.error_class is null
    and not ends_with(raw_output.body, '…')
group by
    raw_output.raw_id,
    raw_output.body,
    raw_output.contract_version
order by
    last_time_ns desc nulls last,
    raw_output.raw_id
limit $max_outputs
