-- How a dictionary comes to be published. Rows are only added; nothing of a draft is ever lost.

-- Every state in which a draft was left; the newest row of a draft holds. `version` names its files
-- by content, `base_version` is what they were edited from.
create table rule_draft (
    draft_id uuid not null,
    rule_set varchar not null,
    base_version varchar not null,
    version varchar not null,
    body varchar using compression zstd,
    edits varchar not null,
    state varchar not null,
    author varchar,
    saved_time_ns bigint not null
);

-- What people said of one version beside one base: a class of change is known and meant, or the
-- whole is approved. The newest row of an author, action and class holds.
create table rule_review (
    rule_set varchar not null,
    base_version varchar not null,
    version varchar not null,
    action varchar not null,
    change_key varchar,
    author varchar not null,
    note varchar,
    is_withdrawn boolean not null,
    time_ns bigint not null
);

-- The back-test with which a version was published: its frame, what it counted, how the gates stood.
create table backtest (
    backtest_id uuid not null,
    rule_set varchar not null,
    base_version varchar not null,
    version varchar not null,
    start_time_ns bigint,
    end_time_ns bigint,
    n_observations bigint not null,
    n_distinct bigint not null,
    n_without_raw bigint not null,
    n_partly_raw bigint not null,
    n_facts_changed bigint not null,
    n_traces_changed bigint not null,
    n_unknown_removed bigint not null,
    n_unknown_added bigint not null,
    n_conflicts_made bigint not null,
    n_conflicts_cleared bigint not null,
    n_critical_lost bigint not null,
    token_delta bigint not null,
    n_cases bigint not null,
    gates varchar not null,
    code_version varchar not null,
    created_by varchar not null,
    created_time_ns bigint not null
);

create table diff_class (
    backtest_id uuid not null,
    change_key varchar not null,
    fact_type varchar not null,
    before varchar,
    after varchar,
    n_facts bigint not null,
    n_traces bigint not null,
    examples varchar not null
);

-- A version that reads live traffic beside the one in force, without anybody being shown it.
create table rule_shadow (
    rule_set varchar not null,
    base_version varchar not null,
    version varchar not null,
    body varchar using compression zstd,
    action varchar not null,
    author varchar not null,
    time_ns bigint not null
);

-- An agent that follows the rules of this server, as it told of itself at its last look.
create table rule_worker (
    rule_set varchar not null,
    worker varchar not null,
    version varchar,
    refused_version varchar,
    problem varchar,
    time_ns bigint not null
);
