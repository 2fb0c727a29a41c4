-- Whether any chosen trace can be linked: most stores hold none that could. Keys that arrived at other
-- times ($from_ns to $to_ns) link nothing.
select 1
from trace_key
semi join chosen using (trace_id)
where received_time_ns between $from_ns and $to_ns
union all
select 1
from trace_key
semi join chosen
    on trace_key.other_trace_id = chosen.trace_id
where received_time_ns between $from_ns and $to_ns
union all
select 1
from trace_link
semi join chosen using (trace_id)
limit 1
