insert into labelled_trace
select distinct label.trace_id
from label
anti join labelled_trace using (trace_id)
