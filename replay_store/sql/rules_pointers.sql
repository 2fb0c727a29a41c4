-- Every move of the pointer of one rule set, newest first: which version was put in force when, by
-- whom and why, with what the version was made from. `v0`, the package's own files, has no row in
-- rule_version.
select
    rule_pointer.version,
    rule_pointer.moved_by,
    rule_pointer.reason,
    rule_pointer.moved_time_ns,
    rule_version.base_version,
    rule_version.author,
    rule_version.created_time_ns
from rule_pointer
left join rule_version
    on rule_pointer.version = rule_version.version
    and rule_pointer.rule_set = rule_version.rule_set
where rule_pointer.rule_set = $rule_set
order by rule_pointer.moved_time_ns desc
