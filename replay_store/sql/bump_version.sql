-- Tell caches that something changed.
update store_state
set version = version + 1
