-- Whether there are runs and requests that no call id has brought together.
select 'calls_unpaired' as fact
from (from d_request anti join d_pair using (request_no) limit 1)
cross join (from d_execution anti join d_pair using (execution_no) limit 1)
