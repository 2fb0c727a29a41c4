-- What an agent told of itself at a look. Rows are only added: the newest of an agent holds.
insert into rule_worker (rule_set, worker, version, refused_version, problem, time_ns)
values ($rule_set, $worker, $version, $refused_version, $problem, $time_ns)
