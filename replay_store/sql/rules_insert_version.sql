-- Keep a version once: a body that was published before, and taken back, has its row already.
insert into rule_version (
    version, rule_set, base_version, body, author, reason, created_time_ns
)
select
    $version,
    $rule_set,
    $base_version,
    $body,
    $author,
    $reason,
    $created_time_ns
where not exists (
        select 1
        from rule_version
        where rule_set = $rule_set
            and version = $version
    )
