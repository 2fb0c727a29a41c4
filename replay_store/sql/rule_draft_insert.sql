-- Keep a draft as it is left now. Rows are only added: the newest one of a draft holds.
insert into rule_draft (
    draft_id, rule_set, base_version, version, body, edits, state, author, saved_time_ns
)
values (
    $draft_id, $rule_set, $base_version, $version, $body, $edits, $state, $author, $saved_time_ns
)
