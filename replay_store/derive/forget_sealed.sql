-- Sealed traces that changed open again: their sealed rows go.
delete from tool_call_sealed where trace_id in (select trace_id from chosen);
delete from attempt_sealed where trace_id in (select trace_id from chosen);
delete from decision_sealed where trace_id in (select trace_id from chosen);
delete from guard_evaluation_sealed where trace_id in (select trace_id from chosen);
delete from trace_sealed where trace_id in (select trace_id from chosen);
