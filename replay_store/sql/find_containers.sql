-- The kinds of file that ever came in: native ids are hashed with the name of theirs.
select distinct container
from ingest_file
where container is not null
order by container
