-- Retention: what was taken out of the store because of its age is known by its id, and how old a
-- trace is is said once.
create table removed_trace (
    trace_id uuid not null,
    newest_time_ns bigint not null,
    removed_time_ns bigint not null
);

-- The age of a trace counts from its end; where it has none that was seen, from the newest arrival,
-- because more may come. Traces that wait to be derived have no age yet.
create view trace_age as
select
    trace_id,
    case
        when is_finished then coalesce(end_time_ns, start_time_ns, last_received_time_ns)
        else greatest(coalesce(end_time_ns, start_time_ns, 0), last_received_time_ns)
    end as newest_time_ns
from trace
anti join dirty_trace using (trace_id);

-- Who sent what was refused; NULL for files and for what came before this was kept.
alter table reject add column source varchar;
