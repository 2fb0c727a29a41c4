-- Begin or end a shadow run. Rows are only added: the newest one holds.
insert into rule_shadow (rule_set, base_version, version, body, action, author, time_ns)
values ($rule_set, $base_version, $version, $body, $action, $author, $time_ns)
