-- The back-tests with which one version was published, newest first.
select *
from backtest
where rule_set = $rule_set
    and version = $version
order by created_time_ns desc
