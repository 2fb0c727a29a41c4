-- What was done last about shadow runs; no row before the first one.
select
    rule_set,
    base_version,
    version,
    body,
    action,
    author,
    time_ns
from rule_shadow
where rule_set = $rule_set
order by time_ns desc
limit 1
