-- The open derived rows of the traces that come back go.
delete from tool_call_open where trace_id in (select trace_id from recalled);
delete from attempt_open where trace_id in (select trace_id from recalled);
delete from decision_open where trace_id in (select trace_id from recalled);
delete from guard_evaluation_open where trace_id in (select trace_id from recalled);
delete from model_call_open where trace_id in (select trace_id from recalled);
delete from call_retry_open where trace_id in (select trace_id from recalled);
delete from observed_open where trace_id in (select trace_id from recalled);
delete from trace_open where trace_id in (select trace_id from recalled);
