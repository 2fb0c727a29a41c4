"""What may run at all: rules in code between the model's wish and the first try (S3 §7.1).

Owns danger levels, confirmation tokens, rates, daily quotas, rules on batches and on writes that
come again, and canaries. Every
evaluation is an event, whatever it says: a rule that falls silent can then be told from one that
had nothing to stop. Refuses to run calls: that is `pipeline.execution`.
"""

from pipeline.guard.buckets import SHARE_OF_PEAK, Buckets, TokenBucket
from pipeline.guard.canary import Canary, CanaryFailure, try_canaries
from pipeline.guard.confirmation import Confirmations, TokenProblem, token_of
from pipeline.guard.daily import DailyQuotas
from pipeline.guard.duplicates import DuplicateWriteRule
from pipeline.guard.guard import Guard
from pipeline.guard.rules import BatchRule, ConfirmationRule, DangerRule, QuotaRule, RateRule
from pipeline.guard.verdict import GuardRule, Verdict, allow

__all__ = [
    "SHARE_OF_PEAK",
    "BatchRule",
    "Buckets",
    "Canary",
    "CanaryFailure",
    "ConfirmationRule",
    "Confirmations",
    "DailyQuotas",
    "DangerRule",
    "DuplicateWriteRule",
    "Guard",
    "GuardRule",
    "QuotaRule",
    "RateRule",
    "TokenBucket",
    "TokenProblem",
    "Verdict",
    "allow",
    "token_of",
    "try_canaries",
]
