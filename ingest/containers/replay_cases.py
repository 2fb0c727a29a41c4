"""Replay cases: one recorded situation and what is right in it a row. JSON Lines, or a file each."""

from dataclasses import asdict, replace

from ingest.canonical import repaired_value
from ingest.decoded import Decoded, Origin
from ingest.errors import Reason, RecordError
from ingest.values import plain_value
from pipeline.replay import CaseError, case_from_json
from pipeline.replay.case_json import CASE_FIELDS
from replay_store.records import ReplayCase
from replay_store.replay.cases import case_columns, columns_hash

__all__ = ["CASE_FIELDS", "decoded_case"]


def decoded_case(row: object, origin: Origin) -> Decoded:
    """The case, checked whole; its body is the JSON that its own file would hold.

    Raises:
        RecordError: A field is missing, unknown or impossible; names each of them.
    """
    plain = plain_value(row)
    storable = repaired_value(plain)
    try:
        case = case_from_json(storable)
    except CaseError as error:
        raise RecordError(Reason.FIELD, str(error)) from error
    decoded = origin.decoded(ReplayCase, case_columns(case), is_repaired=storable != plain)
    # Named by what was kept of it, so that a case made here and its file read in are one version.
    record = replace(decoded.record, record_hash=columns_hash(asdict(decoded.record)))
    return decoded._replace(record=record)
