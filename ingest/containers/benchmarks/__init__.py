"""Benchmarks: recorded runs with the calls that would have been right."""
