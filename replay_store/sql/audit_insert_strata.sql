-- Keep the parts of the frame of a draw whose items are written; n_drawn counts them.
insert into audit_stratum (
    batch_id, stratum, tool_name, contract_version, is_suspicious, n_frame, n_traces, n_drawn
)
select
    $batch_id::uuid as batch_id,
    audit_quota.stratum,
    any_value(audit_quota.tool_name),
    any_value(audit_quota.contract_version),
    any_value(audit_quota.is_suspicious),
    any_value(audit_quota.n_frame),
    any_value(audit_quota.n_traces),
    count(audit_item.position)
from audit_quota
left join audit_item
    on audit_item.batch_id = $batch_id::uuid
    and audit_quota.stratum = audit_item.stratum
group by audit_quota.stratum
order by audit_quota.stratum
