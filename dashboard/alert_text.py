"""Alerts as sentences: the figures of each with their units, in either language."""

from typing import TYPE_CHECKING, Final, Literal

from dashboard.formats import NO_VALUE, count_text, duration_text, number_text, rate_text

if TYPE_CHECKING:
    from metrics.alerts import Alert, Deploy, Incident
    from metrics.words import Text

__all__ = [
    "alert_sentence",
    "chance_text",
    "deploy_text",
    "figure_text",
    "incident_title",
    "part_text",
    "usual_text",
]

Lang = Literal["en", "zh"]
_ALL: Final = {"en": "all", "zh": "全部"}
_KINDS: Final = {
    "tool": {"en": "{name}", "zh": "{name}"},
    "rule": {"en": "guard rule {name}", "zh": "护栏规则 {name}"},
    "value": {"en": "{name}", "zh": "{name}"},
    "model": {"en": "model {name}", "zh": "模型 {name}"},
    "version": {"en": "{tool} version {name}", "zh": "{tool} 版本 {name}"},
}
_DEPLOYS: Final = {
    "contract": {"en": "contract {name} {version}", "zh": "契约 {name} {version}"},
    "model": {"en": "model {version}", "zh": "模型 {version}"},
    "dictionary": {"en": "dictionary {version}", "zh": "字典 {version}"},
    "template": {"en": "template {name} ({version})", "zh": "模板 {name}（{version}）"},
}
_MAX_VERSION: Final = 12
_LEAST_CHANCE: Final = 1e-12


def alert_sentence(alert: "Alert", lang: Lang = "en") -> str:
    """What is out of the ordinary, in one sentence. Names in it come from traces."""
    from metrics.alerts import CAUSES, figure_name

    said = _said(CAUSES[alert.cause], lang).format(
        figure=_said(figure_name(alert.key), lang),
        part=_spaced(part_text(alert, lang), lang),
        value=figure_text(alert.value, alert.unit),
        baseline=usual_text(alert.key.metric, alert.baseline, alert.unit),
        limit=figure_text(alert.limit, alert.unit),
        n=f"{alert.n:,}",
    )
    subject = alert.key.subject
    begins_with_word = subject is not None and subject.kind in {"rule", "model"}
    return said[0].upper() + said[1:] if lang == "en" and begins_with_word else said


def incident_title(incident: "Incident", lang: Lang = "en") -> str:
    """The sentence of its most severe alert."""
    return alert_sentence(incident.alerts[0], lang)


def part_text(alert: "Alert", lang: Lang = "en") -> str:
    """Which part of the system an alert is about."""
    subject = alert.key.subject
    if subject is None:
        return _ALL[lang]
    return _KINDS[subject.kind][lang].format(name=subject.name, tool=subject.tool_name or "")


def figure_text(value: float | None, unit: str) -> str:
    """A figure with its unit; a dash where there is none."""
    if value is None:
        return NO_VALUE
    if unit == "rate":
        return rate_text(value)
    if unit == "ms":
        return duration_text(value * 1e6)
    return count_text(value) if unit == "hits" else number_text(value)


def chance_text(p_value: float | None) -> str:
    """How probable something is by chance; what is next to impossible is not told apart."""
    if p_value is None:
        return NO_VALUE
    return "< 1e-12" if p_value < _LEAST_CHANCE else f"{p_value:.1g}"


def deploy_text(deploy: "Deploy", lang: Lang = "en") -> str:
    """What was new, such as `contract search 1.2.0`."""
    is_hash = deploy.kind == "dictionary"
    version = deploy.version[:_MAX_VERSION] if is_hash else deploy.version
    return _DEPLOYS[deploy.kind][lang].format(name=deploy.name, version=version)


def usual_text(metric: str, baseline: float | None, unit: str) -> str:
    """The usual figure with its unit; of a guard rule the share that hit or was evaluated."""
    return figure_text(baseline, "rate" if metric == "guard_hits" else unit)


def _spaced(name: str, lang: Lang) -> str:
    """Chinese words follow a Latin name after a space."""
    return f"{name} " if lang == "zh" and name[-1:].isascii() else name


def _said(text: "Text", lang: Lang) -> str:
    return text.zh if lang == "zh" else text.en
