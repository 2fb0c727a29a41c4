-- Put a version in force. Rows are only added: the newest one counts.
insert into rule_pointer (rule_set, version, moved_by, reason, moved_time_ns)
values ($rule_set, $version, $moved_by, $reason, $moved_time_ns)
