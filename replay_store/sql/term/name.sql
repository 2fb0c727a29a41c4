-- Traces of that name.
name ilike $value escape '\'
