-- Traces that show one of these signs of a fault and did not recover from it.
list_has_any(fault_signs, $value::varchar[])
