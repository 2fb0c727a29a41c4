"""The Compare page: two periods, versions, models or templates, figure by figure and layer by layer."""
