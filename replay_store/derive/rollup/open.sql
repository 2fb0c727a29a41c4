-- The traces of `rolled` move back to the open tables.
insert into tool_call_open by name from tool_call_sealed semi join rolled using (trace_id);
insert into attempt_open by name from attempt_sealed semi join rolled using (trace_id);
insert into decision_open by name from decision_sealed semi join rolled using (trace_id);
insert into guard_evaluation_open by name
from guard_evaluation_sealed
semi join rolled using (trace_id);
insert into model_call_open by name from model_call_sealed semi join rolled using (trace_id);
insert into call_retry_open by name from call_retry_sealed semi join rolled using (trace_id);
insert into observed_open by name from observed_sealed semi join rolled using (trace_id);
insert into trace_open by name from trace_sealed semi join rolled using (trace_id);
