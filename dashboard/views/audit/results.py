"""What the audit labels of a time range say: accuracy, per tool and version, what is confused."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from dashboard.filters import zone
from dashboard.formats import minute_text, zone_text
from dashboard.i18n import t
from dashboard.views.audit import queries as audit_queries
from dashboard.views.audit.batch_results import batch_results
from dashboard.views.audit.figures import UNKNOWN, accuracy_table, figures, tool_text
from dashboard.views.audit.files import files, take_in
from dashboard.views.audit.pairs import confusable_pairs
from metrics import Accuracy, AccuracyOf, Cell, Scope
from metrics.standouts import SubjectKind
from pipeline.vocabulary import NO_CALL
from replay_store.records import AuditBatch


def results(batch: AuditBatch | None, scope: Scope) -> None:
    """Draw the results of a draw and of the time range.

    Args:
        batch: The draw that is chosen; None when labels came from files alone.
        scope: The time range of the page.
    """
    if batch is not None:
        batch_results(batch)
    found = audit_queries.accuracy(scope)
    _range(found, scope)
    judged = audit_queries.judged(scope)
    take_in()
    if not judged:
        return
    _by_tool(found)
    _by_version(audit_queries.accuracy_by(scope))
    confusion = audit_queries.confusion(scope)
    _matrix(confusion.cells)
    confusable_pairs(confusion.pairs)
    files(t("audit_files_range"), [item.label for item in judged], "range")


def _range(found: Accuracy, scope: Scope) -> None:
    st.subheader(t("audit_of_range"), anchor=False)
    in_zone = zone()
    st.caption(
        t(
            "audit_period",
            start=minute_text(scope.start_time_ns, in_zone),
            end=minute_text(scope.end_time_ns, in_zone),
            zone=zone_text(in_zone, scope.end_time_ns),
        )
    )
    figures(found.selection, found.call, "range")


def _by_tool(found: Accuracy) -> None:
    rows = sorted(found.by_tool, key=lambda item: (-item.metric.n, item.tool_name))
    if not rows:
        return
    st.subheader(t("audit_by_tool"), anchor=False)
    accuracy_table(
        [item.metric for item in rows],
        {"audit_chosen": [tool_text(item.tool_name) for item in rows]},
        "audit_by_tool",
    )


def _by_version(found: Sequence[AccuracyOf]) -> None:
    rows = [
        item for item in found if item.subject.kind is SubjectKind.VERSION and item.metric.n > 0
    ]
    if not rows:
        return
    st.subheader(t("audit_by_version"), anchor=False)
    accuracy_table(
        [item.metric for item in rows],
        {
            "audit_chosen": [item.subject.tool_name or "" for item in rows],
            "audit_column_version": [item.subject.name for item in rows],
        },
        "audit_by_version",
    )


def _matrix(cells: Sequence[Cell]) -> None:
    if not cells:
        return
    st.subheader(t("audit_confusion"), anchor=False)
    st.caption(t("audit_confusion_note"))
    count = {(cell.needed, cell.chosen): cell.n for cell in cells}
    needed = sorted({cell.needed for cell in cells}, key=_tools_first)
    chosen = sorted({cell.chosen for cell in cells}, key=_tools_first)
    st.dataframe(
        pd.DataFrame(
            [[count.get((row, column)) for column in chosen] for row in needed],
            index=pd.Index([tool_text(row) for row in needed], name=t("audit_expected_chosen")),
            columns=[tool_text(column) for column in chosen],
            dtype="Int64",
        ),
        key="audit_confusion",
        height="content",
        placeholder="·",
    )


def _tools_first(tool: str) -> tuple[bool, bool, str]:
    return (tool == UNKNOWN, tool == NO_CALL, tool)
