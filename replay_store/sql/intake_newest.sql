-- The newest minute in which anything was received; NULL before the first.
select max(minute) as minute
from intake_minute
