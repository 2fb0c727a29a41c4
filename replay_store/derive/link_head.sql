-- chosen.head_id: the trace that heads the task of each.
update chosen set head_id = trace_link.head_id
from trace_link
where chosen.trace_id = trace_link.trace_id
