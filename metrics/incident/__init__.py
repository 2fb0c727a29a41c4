"""One trace in trouble: what went wrong first, how sure that is, what to do, and what is like it.

Owns the signs of a fault, their layers, and how they rank. Refuses to decide: a hint names its
evidence, and is undetermined where the store's own traces do not bear it out.
"""

from metrics.incident.advice import ADVICE, NEXT_ACTION, Advice
from metrics.incident.hints import Diagnosis, Hint, Outcome, diagnose, sign_outcomes
from metrics.incident.signs import SIGNS, SignKind
from metrics.incident.similar import Similar, SimilarDay, last_good, similar

__all__ = [
    "ADVICE",
    "NEXT_ACTION",
    "SIGNS",
    "Advice",
    "Diagnosis",
    "Hint",
    "Outcome",
    "SignKind",
    "Similar",
    "SimilarDay",
    "diagnose",
    "last_good",
    "sign_outcomes",
    "similar",
]
