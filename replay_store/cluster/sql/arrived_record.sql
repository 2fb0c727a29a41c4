-- arrived_record: the versions of spans, and the log records, that are new in the traces of `shipping`;
-- shipping_raw: the raw outputs that they hold, and those of `shipping`: one that went may have come back.
create or replace temp table arrived_record as
select
    span.trace_id,
    span.record_hash
from span
inner join shipping
    on span.trace_id = shipping.unit
where span.received_time_ns between $lo and $hi
    and span.received_time_ns between shipping.first_ns and shipping.last_ns;
create or replace temp table shipping_raw as
select
    held.raw_id,
    coalesce(ship_base.base_version, 0) as base_version
from (
    select distinct raw_occurrence.raw_id
    from raw_occurrence
    where (raw_occurrence.trace_id, raw_occurrence.record_hash) in (
        select
            arrived_record.trace_id,
            arrived_record.record_hash
        from arrived_record
    )
) as held
left join main.ship_base
    on held.raw_id = ship_base.unit
where held.raw_id not in (select shipping.unit from shipping where shipping.is_raw)
union all
select
    shipping.unit as raw_id,
    shipping.base_version
from shipping
where shipping.is_raw
