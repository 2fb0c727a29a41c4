-- d_count, guards: evaluations that came to a verdict, and hits; canaries apart.
insert into d_count by name
select
    own_trace_id as trace_id,
    sum((decision not in ('unknown', 'pending') and not is_synthetic)::integer) as n_evaluations,
    sum((is_hit and not is_synthetic)::integer) as n_hits
from d_evaluation
group by own_trace_id
