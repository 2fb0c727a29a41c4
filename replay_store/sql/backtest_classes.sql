-- The classes of change of one back-test, those with most facts first.
select *
from diff_class
where backtest_id = $backtest_id::uuid
order by
    n_facts desc,
    fact_type,
    change_key
