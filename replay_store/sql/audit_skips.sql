-- What one annotator passed over in a draw: the latest reason of each item.
select
    position,
    arg_max(reason, time_ns) as reason
from audit_skip
where audit_skip.batch_id = $batch_id::uuid
    and audit_skip.annotator = $annotator
group by position
order by position
