"""Replay: runs over recorded cases and what they changed, the cases, what noise takes."""
