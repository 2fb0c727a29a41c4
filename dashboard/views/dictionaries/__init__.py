"""The Dictionaries page."""
