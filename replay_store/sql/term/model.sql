-- Traces that use that model.
len(list_filter(models, lambda model: model ilike $value escape '\')) > 0
