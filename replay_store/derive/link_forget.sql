-- What linked the chosen traces before; `link` says it anew.
delete from trace_link where trace_id in (select chosen.trace_id from chosen)
