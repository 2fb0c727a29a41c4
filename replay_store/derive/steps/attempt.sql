-- d_try: the attempt spans beneath the runs, each under the nearest. A run without any is its own try.
insert into d_try by name
select
    tries.evidence_no as try_no,
    arg_min(d_execution.execution_no, d_lineage.generation) as execution_no
from d_evidence as tries
inner join d_lineage
    on tries.trace_id = d_lineage.trace_id
    and tries.span_id = d_lineage.span_id
inner join d_execution
    on d_lineage.trace_id = d_execution.trace_id
    and d_lineage.ancestor_id = d_execution.span_id
where tries.evidence = 'attempt'
group by tries.evidence_no
