-- The sealed rows of the traces of `rolled` go.
delete from tool_call_sealed where trace_id in (select rolled.trace_id from rolled);
delete from attempt_sealed where trace_id in (select rolled.trace_id from rolled);
delete from decision_sealed where trace_id in (select rolled.trace_id from rolled);
delete from guard_evaluation_sealed where trace_id in (select rolled.trace_id from rolled);
delete from model_call_sealed where trace_id in (select rolled.trace_id from rolled);
delete from call_retry_sealed where trace_id in (select rolled.trace_id from rolled);
delete from trace_sealed where trace_id in (select rolled.trace_id from rolled);
