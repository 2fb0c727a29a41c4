-- Draw decisions into a batch from the temp tables audit_frame and audit_quota. In each part of the
-- frame: units (traces, or single decisions when $per_trace is NULL) in the order of a hash of the
-- seed, the first k of K; of each at most $per_trace decisions, again in the order of a hash. k makes
-- the expected number of decisions as near to the part's quota as it gets. A decision's chance of
-- being drawn is k / K times taken / held of its unit. Items stand in a random order, decisions of
-- one unit together; $n_double of them, at random, are for two raters.
insert into audit_item (
    batch_id, position, trace_id, turn_index, call_index, inclusion_probability, stratum, n_raters
)
with frame as (
    select
        audit_frame.*,
        audit_quota.stratum,
        audit_quota.quota,
        sha256(concat_ws('|', $seed, 'decision', decision_id)) as decision_draw
    from audit_frame
    inner join audit_quota
        on audit_frame.tool_name is not distinct from audit_quota.tool_name
        and audit_frame.contract_version is not distinct from audit_quota.contract_version
        and audit_frame.is_suspicious is not distinct from audit_quota.is_suspicious
),

unit as (
    select
        stratum,
        unit_id,
        any_value(quota) as quota,
        count(*) as n_held,
        least(count(*), coalesce($per_trace, 1)) as n_taken,
        row_number() over (
            partition by stratum
            order by sha256(concat_ws('|', $seed, 'unit', stratum, unit_id)), unit_id
        ) as unit_rank
    from frame
    group by stratum, unit_id
),

size as (
    select
        stratum,
        count(*) as n_units,
        least(
            count(*), greatest(1, round(any_value(quota) * count(*) / sum(n_taken)))
        ) as n_drawn_units
    from unit
    group by stratum
),

ranked as (
    select
        frame.trace_id,
        frame.turn_index,
        frame.call_index,
        frame.unit_id,
        frame.stratum,
        frame.decision_id,
        frame.decision_draw,
        unit.unit_rank,
        unit.n_held,
        unit.n_taken,
        row_number() over (
            partition by frame.stratum, frame.unit_id
            order by frame.decision_draw, frame.turn_index, frame.call_index
        ) as decision_rank
    from frame
    inner join unit
        on frame.stratum = unit.stratum
        and frame.unit_id = unit.unit_id
),

drawn as (
    select
        ranked.*,
        (n_drawn_units / n_units) * (n_taken / n_held) as inclusion_probability
    from ranked
    inner join size on ranked.stratum = size.stratum
    where unit_rank <= n_drawn_units
        and decision_rank <= n_taken
)

select
    $batch_id::uuid as batch_id,
    row_number() over (
        order by sha256(concat_ws('|', $seed, 'order', unit_id)), unit_id, decision_draw
    ) - 1 as position,
    trace_id,
    turn_index,
    call_index,
    inclusion_probability,
    stratum,
    case
        when row_number() over (
            order by sha256(concat_ws('|', $seed, 'double', decision_id))
        ) <= $n_double then 2
        else 1
    end as n_raters
from drawn
order by position
