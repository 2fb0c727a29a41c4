-- What the store holds to choose from: kind, value; most frequent first (of errors by their traces).
select
    kind,
    value
from seen
where kind in ('tool', 'error', 'agent', 'status')
group by kind, value
order by kind, sum(n) desc, value
