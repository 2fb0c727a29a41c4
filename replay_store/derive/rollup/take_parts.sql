-- The traces of `rolled` are sealed no more; what stood apart was not in the rollup of tasks.
update d_task set is_part = trace_id in (select task_part.trace_id from task_part);
delete from rollup_crossing where trace_id in (select rolled.trace_id from rolled);
delete from task_part where trace_id in (select rolled.trace_id from rolled);
delete from labelled_decision where trace_id in (select rolled.trace_id from rolled);
