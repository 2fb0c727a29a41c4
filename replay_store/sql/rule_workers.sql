-- Agents as they told of themselves last, since a moment, by their name.
select
    rule_set,
    worker,
    version,
    refused_version,
    problem,
    time_ns
from rule_worker
where rule_set = $rule_set
    and time_ns >= $since_ns
qualify row_number() over (
    partition by worker
    order by time_ns desc
) = 1
order by worker
