-- Whether tools or model calls lie within answered model calls.
select 'models_around' as fact
from d_lineage
inner join d_model
    on d_lineage.trace_id = d_model.trace_id
    and d_lineage.ancestor_id = d_model.span_id
limit 1
