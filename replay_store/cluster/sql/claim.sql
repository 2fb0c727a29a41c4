-- The next version: the time in microseconds, or the last one and 1 where the clock is behind it.
update ship_target
set last_version = greatest(last_version + 1, $now_us)
where receiver = $receiver
returning last_version
