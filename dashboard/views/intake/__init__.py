"""The Intake page."""
