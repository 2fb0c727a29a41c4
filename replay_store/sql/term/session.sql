-- Traces of that session.
session_id ilike $value escape '\'
