-- Keep what somebody said of a version. Rows are only added: the newest one holds.
insert into rule_review (
    rule_set, base_version, version, action, change_key, author, note, is_withdrawn, time_ns
)
values (
    $rule_set, $base_version, $version, $action, $change_key, $author, $note, $is_withdrawn, $time_ns
)
