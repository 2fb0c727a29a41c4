-- Put the folded rows in the place of those they sum.
delete from intake_minute
where (minute, door, source, signal) in (
    select
        minute,
        door,
        source,
        signal
    from folded
);
insert into intake_minute by name
from folded
order by
    minute,
    door,
    source,
    signal;
