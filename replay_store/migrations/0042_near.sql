-- Traces that began in some hours, those without a start and those that are open: among them is one that is
-- known to have begun in these hours if it is sealed. All traces where first_hour is NULL.
create macro traces_near(first_hour, last_hour) as table
select *
from trace
where first_hour is null
    or hour between first_hour and last_hour
union all
select *
from trace
where first_hour is not null
    and hour is null
union all
select *
from trace_open
where first_hour is not null
    and hour not between first_hour and last_hour;
