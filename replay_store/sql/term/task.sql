-- Traces of that task.
task_id ilike $value escape '\'
