-- Whether rollups tell of every sealed trace: not where days were moved out by a version that kept none.
select (select count(*) from trace_sealed) = (select coalesce(sum(n), 0) from rollup_alike) as is_whole
