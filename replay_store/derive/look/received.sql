-- What the chosen traces hold that most do not, and what arrived beside their spans: one row a fact.
-- linked, linked_by_…: linked traces, and by what.
select case when event_name like 'gen_ai.%' then 'answers_logged' else 'logs_beside' end as fact
from span_log
where received_time_ns between $first_ns and $last_ns
    or received_time_ns between $known_first_ns and $known_last_ns
union
select 'guards_beside'
from guard_event
where received_time_ns between $first_ns and $last_ns
    or received_time_ns between $known_first_ns and $known_last_ns
union
select 'noise_beside'
from noise_log
where received_time_ns between $first_ns and $last_ns
    or received_time_ns between $known_first_ns and $known_last_ns
union
select 'noise_beside'
from observed_noise
where received_time_ns between $first_ns and $last_ns
    or received_time_ns between $known_first_ns and $known_last_ns
union
select 'observations_made'
from d_span
where role = 'observation'
union
select 'attempts_told'
from d_evidence
where evidence = 'attempt'
union
select 'tasks_told'
from d_span
where task_id is not null
union
select 'spans_nested'
from d_span
inner join d_span as parent
    on d_span.trace_id = parent.trace_id
    and d_span.parent_span_id = parent.span_id
where parent.role in ('tool', 'model')
union
select 'answers_untold'
from d_model
where not is_told
union
select 'answers_told_twice'
from d_model
where response_id is not null
group by trace_id, response_id
having count(*) > 1
union
select 'linked_by_' || unnest(string_split(linked_by, ', '))
from chosen
where linked_by is not null
union
select 'linked'
from chosen
where linked_by is not null
