-- What was shipped waits no more, unless it changed since; from which version what came with it counts.
delete from ship_outbox
where store_version <= $store_version
    and unit in (select unnest($units::uuid[]));
delete from ship_base
where unit in (select unnest($whole::uuid[]));
insert into ship_base (unit, base_version)
select
    unnest($whole::uuid[]),
    $version;
