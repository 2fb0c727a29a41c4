"""Replay as people ask for it: what is compared with what, and the report of a run.

Shared by the command line and the page. Owns the choice of setups and the HTML report; playing is
`pipeline.replay`'s, keeping `replay_store.replay`'s, judging `metrics`'.
"""
