-- Traces that ended so.
status ilike $value escape '\'
