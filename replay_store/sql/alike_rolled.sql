-- The traces that start in whole hours, or all, put together as trace_counts needs them: stands in the place
-- of its `alike`.
    select
        status,
        error_type,
        call_error_types,
        fault_signs,
        sum(n) as n
    from (
        select
            hour,
            status,
            error_type,
            call_error_types,
            fault_signs,
            n
        from rollup_alike
        union all
        select
            hour,
            status,
            error_type,
            call_error_types,
            fault_signs,
            1 as n
        from open_alike
    ) as told
    where ($start_time_ns is null or hour >= $start_time_ns // 3600000000000)
        and ($end_time_ns is null or hour < $end_time_ns // 3600000000000)
    group by status, error_type, call_error_types, fault_signs
