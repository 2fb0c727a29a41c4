-- What holds of what people said about a version beside its base: of each author, action and class
-- of change the newest row, oldest first; what was withdrawn is left out.
with newest as (
    select *
    from rule_review
    where rule_set = $rule_set
        and base_version = $base_version
        and version = $version
    qualify row_number() over (
        partition by action, change_key, author
        order by time_ns desc
    ) = 1
)

select
    rule_set,
    base_version,
    version,
    action,
    change_key,
    author,
    note,
    is_withdrawn,
    time_ns
from newest
where not is_withdrawn
order by
    time_ns,
    action,
    change_key,
    author
