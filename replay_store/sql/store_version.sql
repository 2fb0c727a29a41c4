-- Grows with every commit.
select version
from store_state
