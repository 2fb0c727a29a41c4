-- Of equal records one stays.
delete from span where rowid in (select row_id from wrong);
