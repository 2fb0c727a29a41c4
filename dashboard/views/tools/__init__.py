"""The Tools page: everything about one tool, or one version of its contract."""
