"""What one draw says: how it was made, its accuracy, how far raters agree, what judges add."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard.formats import NO_VALUE, count_text, rate_text
from dashboard.i18n import t
from dashboard.views.audit import queries as audit_queries
from dashboard.views.audit.disputes import disputes
from dashboard.views.audit.figures import accuracy_table, bounds, figures, tool_text
from dashboard.views.audit.files import files
from dashboard.views.audit.words import LABEL_KEYS, label_name, skip_name
from metrics import Agreement, Band, DrawnPart, JudgeFigure, RaterAgreement, Unmet
from replay_store.records import AuditBatch, AuditStratum, Label

_BANDS: Final[Mapping[Band, str]] = {
    Band.RELIABLE: "audit_band_reliable",
    Band.TENTATIVE: "audit_band_tentative",
    Band.UNRELIABLE: "audit_band_unreliable",
    Band.TOO_FEW: "audit_band_too_few",
    Band.NO_VARIETY: "audit_band_no_variety",
}
_UNMET: Final[Mapping[Unmet, str]] = {
    Unmet.TOO_FEW: "audit_unmet_too_few",
    Unmet.TOO_FEW_ERRORS: "audit_unmet_too_few_errors",
    Unmet.DISAGREES: "audit_unmet_disagrees",
    Unmet.NOT_WHOLE_FRAME: "audit_unmet_not_whole_frame",
}
_ALLOCATIONS: Final[Mapping[str, str]] = {
    "proportional": "audit_allocation_proportional",
    "equal": "audit_allocation_equal",
    "neyman": "audit_allocation_neyman",
}


def batch_results(batch: AuditBatch) -> None:
    """Draw the part of the results that is about one draw."""
    st.subheader(t("audit_of_draw", name=_plain(batch.name)), anchor=False)
    st.caption(_design(batch))
    found = audit_queries.batch_accuracy(batch.batch_id)
    figures(found.selection, found.call, "draw")
    labels = audit_queries.batch_labels(batch.batch_id)
    if not labels:
        st.caption(t("audit_batch_unlabelled"))
    _skipped(batch)
    _judges(audit_queries.powered(batch.batch_id))
    _parts(found.parts)
    _strata(audit_queries.strata(batch.batch_id))
    if not labels:
        return
    st.subheader(t("audit_batch_labels"), anchor=False)
    st.dataframe(_counts(labels), key="audit_counts", height="content", width="content")
    files(t("audit_files_batch"), labels, "batch")
    _agreement(audit_queries.agreement(batch.batch_id))
    disputes(batch)


def _plain(name: str) -> str:
    """A name that people gave, in a heading: nothing in it may be read as markup."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]()<>#+-.!|$:~" else char for char in name)


def _design(batch: AuditBatch) -> str:
    """How the draw was made, in one line."""
    parts = [
        t("audit_design_size", n=count_text(batch.n_drawn), frame=count_text(batch.n_frame)),
        t("audit_design_seed", seed=str(batch.seed)),
    ]
    if batch.per_trace is not None:
        parts.append(t("audit_design_per_trace", n=str(batch.per_trace)))
    if batch.strata:
        names = [t(f"audit_stratum_{name}") for name in batch.strata]
        parts.append(t("audit_design_strata", strata=" × ".join(names)))
        parts.append(t(_ALLOCATIONS[batch.allocation or "proportional"]))
    if batch.n_double:
        parts.append(t("audit_design_double", n=count_text(batch.n_double)))
    return " · ".join(parts)


def _skipped(batch: AuditBatch) -> None:
    counts = audit_queries.skip_counts(batch.batch_id)
    if counts:
        said = [f"{skip_name(reason)} {count_text(n)}" for reason, n in counts.items()]
        st.caption(t("audit_skipped_open", reasons=" · ".join(said)))


def _parts(parts: Sequence[DrawnPart]) -> None:
    rows = [part for part in parts if part.metric.n]
    if not rows:
        return
    st.subheader(t("audit_of_draw_parts"), anchor=False)
    accuracy_table(
        [part.metric for part in rows],
        {
            "audit_chosen": [tool_text(part.tool_name) for part in rows],
            "audit_column_version": [
                part.contract_version or t("audit_all_versions") for part in rows
            ],
        },
        "audit_draw_parts",
    )


def _strata(strata: Sequence[AuditStratum]) -> None:
    if len(strata) < 2:
        return
    with st.expander(t("audit_strata_of", n=count_text(len(strata)))):
        st.dataframe(
            pd.DataFrame([_stratum(part) for part in strata]),
            key="audit_strata_table",
            hide_index=True,
            height="content",
        )


def _stratum(part: AuditStratum) -> dict[str, object]:
    told: dict[str, object] = {}
    if part.tool_name is not None:
        told[t("audit_chosen")] = tool_text(part.tool_name)
    if part.contract_version is not None:
        told[t("audit_column_version")] = part.contract_version or NO_VALUE
    if part.is_suspicious is not None:
        key = "audit_suspicious" if part.is_suspicious else "audit_clean"
        told[t("audit_stratum_suspicion")] = t(key)
    told[t("audit_column_frame")] = part.n_frame
    told[t("audit_column_drawn")] = part.n_drawn
    return told


def _counts(labels: Sequence[Label]) -> pd.DataFrame:
    """One row an annotator, one column a label that was given."""
    given = Counter((label.annotator, label.label) for label in labels)
    shown = [known for known in LABEL_KEYS if any(label == known for _, label in given)]
    annotators = sorted({label.annotator for label in labels})
    return pd.DataFrame(
        [[given[annotator, label] for label in shown] for annotator in annotators],
        index=pd.Index(annotators, name=t("audit_column_annotator")),
        columns=[label_name(label) for label in shown],
    )


def _agreement(found: RaterAgreement) -> None:
    st.subheader(t("audit_agreement"), anchor=False)
    if not found.selection.n_units:
        st.caption(t("audit_agreement_none"))
        return
    st.caption(t("audit_agreement_note"))
    rows = (("audit_agreement_selection", found.selection), ("audit_agreement_label", found.label))
    st.dataframe(
        pd.DataFrame([_agreement_row(t(key), of) for key, of in rows]),
        key="audit_agreement",
        hide_index=True,
        height="content",
    )
    if found.pairs:
        st.dataframe(
            pd.DataFrame(
                {
                    t("audit_column_raters"): [f"{p.one} · {p.other}" for p in found.pairs],
                    t("audit_column_both"): [p.n for p in found.pairs],
                    t("audit_column_raw"): [rate_text(p.raw) for p in found.pairs],
                    t("audit_column_kappa"): [_coefficient(p.kappa) for p in found.pairs],
                }
            ),
            key="audit_rater_pairs",
            hide_index=True,
            height="content",
        )


def _agreement_row(name: str, found: Agreement) -> dict[str, object]:
    return {
        t("audit_column_question"): name,
        t("audit_column_both"): found.n_units,
        t("audit_column_raw"): rate_text(found.raw),
        t("audit_column_alpha"): _coefficient(found.alpha),
        t("audit_column_interval"): NO_VALUE
        if found.interval is None
        else f"{found.interval.low:.2f} – {found.interval.high:.2f}",
        t("audit_column_ac1"): _coefficient(found.ac1),
        t("audit_column_band"): t(_BANDS[found.band]),
    }


def _coefficient(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:.2f}"


def _judges(found: Sequence[JudgeFigure]) -> None:
    """What rules and models add; where a condition is unmet only which."""
    if not found:
        return
    with st.expander(t("audit_judges")):
        st.caption(t("audit_judges_note"))
        for figure in found:
            st.text(_judge_text(figure))


def _judge_text(figure: JudgeFigure) -> str:
    name = figure.judge or t("audit_judge_rule")
    powered = figure.powered
    if powered is None:
        reasons = "; ".join(t(_UNMET[reason]) for reason in figure.unmet)
        return t("audit_judge_unmet", judge=name, n=count_text(figure.n), reasons=reasons)
    return t(
        "audit_judge_figure",
        judge=name,
        value=rate_text(powered.value),
        interval=bounds(powered.interval),
        correlation=_coefficient(powered.correlation),
        n=count_text(powered.n),
        frame=count_text(powered.n_of_judge),
    )
