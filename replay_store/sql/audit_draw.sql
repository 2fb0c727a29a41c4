-- Draw decisions into a batch. Units (traces, or single decisions when $per_trace is NULL) in the
-- order of a hash of the seed: the first k of K. Of each drawn unit at most $per_trace decisions,
-- again in the order of a hash. k makes the expected number of decisions as near to $n as it gets.
-- A decision's chance of being drawn is k / K times taken / held of its unit.
insert into audit_item (batch_id, position, trace_id, turn_index, call_index, inclusion_probability)
with frame as (
    select
        decision.trace_id,
        decision.turn_index,
        decision.call_index,
        case
            when $per_trace is null then decision.decision_id
            else decision.trace_id
        end as unit_id,
        sha256(concat_ws('|', $seed, 'decision', decision.decision_id)) as decision_draw
    from decision
    left join trace on decision.trace_id = trace.trace_id
    where not decision.is_pseudo
        and coalesce(decision.time_ns, trace.start_time_ns) >= $start_time_ns
        and coalesce(decision.time_ns, trace.start_time_ns) < $end_time_ns
        and ($tool_name is null or decision.tool_name = $tool_name)
),

unit as (
    select
        unit_id,
        count(*) as n_held,
        least(count(*), coalesce($per_trace, 1)) as n_taken,
        row_number() over (order by sha256(concat_ws('|', $seed, 'unit', unit_id)), unit_id) as unit_rank
    from frame
    group by unit_id
),

size as (
    select
        count(*) as n_units,
        least(count(*), greatest(1, round($n * count(*) / sum(n_taken)))) as n_drawn_units
    from unit
),

ranked as (
    select
        frame.trace_id,
        frame.turn_index,
        frame.call_index,
        frame.decision_draw,
        unit.unit_rank,
        unit.n_held,
        unit.n_taken,
        row_number() over (
            partition by frame.unit_id
            order by frame.decision_draw, frame.turn_index, frame.call_index
        ) as decision_rank
    from frame
    inner join unit on frame.unit_id = unit.unit_id
)

select
    $batch_id::uuid as batch_id,
    row_number() over (order by unit_rank, decision_rank) - 1 as position,
    trace_id,
    turn_index,
    call_index,
    (n_drawn_units / n_units) * (n_taken / n_held) as inclusion_probability
from ranked
cross join size
where unit_rank <= n_drawn_units
    and decision_rank <= n_taken
order by position
