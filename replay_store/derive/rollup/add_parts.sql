-- Sealed traces that count only together with others, or by hours that belong together.
insert into rollup_crossing by name
select * exclude (is_crossing)
from d_share
where is_crossing;
insert into task_part by name
select * exclude (is_own, is_part)
from d_task
where is_part;
