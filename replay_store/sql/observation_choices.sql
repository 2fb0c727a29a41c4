-- What the list of observations can be narrowed to, most frequent first.
select
    kind,
    value
from (
    select
        'tool' as kind,
        unnest(tool_names) as value
    from observation
    union all
    select
        'intent' as kind,
        intent as value
    from observation
)
where value is not null and value <> ''
group by kind, value
order by kind, count(*) desc, value
