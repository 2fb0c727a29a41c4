-- Copy the open rows of the chosen traces to the sealed tables, in time order.
insert into tool_call_sealed by name
from tool_call_open
semi join chosen using (trace_id)
order by hour, trace_id;
insert into attempt_sealed by name
from attempt_open
semi join chosen using (trace_id)
order by hour, trace_id;
insert into decision_sealed by name
from decision_open
semi join chosen using (trace_id)
order by hour, trace_id;
insert into guard_evaluation_sealed by name
from guard_evaluation_open
semi join chosen using (trace_id)
order by hour, trace_id;
insert into model_call_sealed by name
from model_call_open
semi join chosen using (trace_id)
order by hour, trace_id;
insert into call_retry_sealed by name
from call_retry_open
semi join chosen using (trace_id)
order by trace_id, call_index;
insert into observed_sealed by name
from observed_open
semi join chosen using (trace_id)
order by hour, trace_id;
insert into trace_sealed by name
from trace_open
semi join chosen using (trace_id)
order by hour, trace_id;
