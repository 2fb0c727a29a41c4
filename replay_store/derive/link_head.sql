-- chosen.head_id: the trace that heads the task of each; linked_by: by what it is linked.
update chosen set
    head_id = trace_link.head_id,
    linked_by = trace_link.linked_by
from trace_link
where chosen.trace_id = trace_link.trace_id
