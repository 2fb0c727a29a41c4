-- The chosen traces are up to date.
delete from dirty_trace
where trace_id in (select trace_id from chosen)
