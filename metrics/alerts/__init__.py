"""Alerts: hourly series out of the store, the detectors that watch them, and incidents.

Owns what is watched, what is worth telling, and what is told as one. Keeps nothing: what was told,
acknowledged and noted is `replay_store.alerts`'.
"""

from metrics.alerts.alert import Alert, AlertKey, Cause, Deploy, Incident, Severity
from metrics.alerts.canary import CanaryState, canary_states
from metrics.alerts.evaluate import Evaluation, alert_scope, deploys, evaluate_alerts
from metrics.alerts.grouping import incidents
from metrics.alerts.words import CAUSES, HELP, figure_name, help_text

__all__ = [
    "CAUSES",
    "HELP",
    "Alert",
    "AlertKey",
    "CanaryState",
    "Cause",
    "Deploy",
    "Evaluation",
    "Incident",
    "Severity",
    "alert_scope",
    "canary_states",
    "deploys",
    "evaluate_alerts",
    "figure_name",
    "help_text",
    "incidents",
]
