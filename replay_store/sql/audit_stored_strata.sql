-- The parts of the frame that a draw was made from, in order; none for draws from before they were kept.
select
    batch_id,
    stratum,
    tool_name,
    contract_version,
    is_suspicious,
    n_frame,
    n_traces,
    n_drawn
from audit_stratum
where audit_stratum.batch_id = $batch_id::uuid
order by stratum
