-- Keep the back-test with which a version is published.
insert into backtest (
    backtest_id, rule_set, base_version, version, start_time_ns, end_time_ns, n_observations,
    n_distinct, n_without_raw, n_partly_raw, n_facts_changed, n_traces_changed, n_unknown_removed,
    n_unknown_added, n_conflicts_made, n_conflicts_cleared, n_critical_lost, token_delta, n_cases,
    gates, code_version, created_by, created_time_ns
)
values (
    $backtest_id, $rule_set, $base_version, $version, $start_time_ns, $end_time_ns,
    $n_observations, $n_distinct, $n_without_raw, $n_partly_raw, $n_facts_changed,
    $n_traces_changed, $n_unknown_removed, $n_unknown_added, $n_conflicts_made,
    $n_conflicts_cleared, $n_critical_lost, $token_delta, $n_cases, $gates, $code_version,
    $created_by, $created_time_ns
)
