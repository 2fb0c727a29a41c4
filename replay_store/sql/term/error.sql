-- Traces whose run, or one of whose calls, failed with that class of error.
(
    error_type ilike $value escape '\'
    or len(list_filter(call_error_types, lambda class: class ilike $value escape '\')) > 0
)
