-- Spans: each has a row that says what it is.
select
    hex_trace(span.trace_id) as example,
    role.trace_id is null as is_wrong
from (select distinct trace_id, span_id from span) as span
left join (select distinct trace_id, span_id from span_role) as role using (trace_id, span_id)
