-- Which version of the dictionaries each service and instance of it read with, as its traces say: the
-- newest observation of each in a range, and how many there are by that version.
with seen as (
    select
        span.service_name,
        json_extract_string(span.resource, '$."service.instance.id"') as instance,
        observation.rule_version,
        observation.time_ns
    from observation
    inner join span_current as span
        on observation.trace_id = span.trace_id
        and observation.span_id = span.span_id
        and observation.record_hash = span.record_hash
    where observation.time_ns >= $start_time_ns
        and observation.time_ns < $end_time_ns
)

select
    service_name,
    instance,
    rule_version,
    count(*) as n,
    max(time_ns) as last_time_ns
from seen
group by
    service_name,
    instance,
    rule_version
order by
    last_time_ns desc,
    service_name,
    instance
limit 200
