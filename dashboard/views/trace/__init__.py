"""The Trace page."""
