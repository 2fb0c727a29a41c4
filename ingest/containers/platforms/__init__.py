"""Platforms: what observability tools export, and flat dumps of spans."""
