"""Dictionaries tried, judged and published as people ask for it, on the page and the command line.

Brings together what the store counts, what replay cases say and what `metrics` judges. Owns the
order of the steps, the words of the gates and the refusal to publish while one is closed; reading
outputs again is `replay_store`'s.
"""
