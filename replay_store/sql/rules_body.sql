-- The body of one version: a JSON object of file name to YAML text. No row for an unknown version.
select body
from rule_version
where rule_set = $rule_set
    and version = $version
order by created_time_ns
limit 1
