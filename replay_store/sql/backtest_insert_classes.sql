-- Keep the classes of change of one back-test.
insert into diff_class (
    backtest_id, change_key, fact_type, before, after, n_facts, n_traces, examples
)
select
    backtest_id,
    change_key,
    fact_type,
    before,
    after,
    n_facts,
    n_traces,
    examples
from batch
