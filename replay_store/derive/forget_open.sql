-- The open derived rows of the chosen traces go.
delete from tool_call_open where trace_id in (select trace_id from chosen);
delete from attempt_open where trace_id in (select trace_id from chosen);
delete from decision_open where trace_id in (select trace_id from chosen);
delete from guard_evaluation_open where trace_id in (select trace_id from chosen);
delete from model_call_open where trace_id in (select trace_id from chosen);
delete from call_retry_open where trace_id in (select trace_id from chosen);
delete from trace_open where trace_id in (select trace_id from chosen);
