"""Rows that Toolsight itself defines (noise log, labels): checked fields, sentences for errors."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, TypeVar

import orjson
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ingest import ids
from ingest.canonical import repaired_value
from ingest.errors import Reason, RecordError
from ingest.text import listed
from ingest.times import INT64_MAX, INT64_MIN, rfc3339_ns
from ingest.values import plain_value

ModelT = TypeVar("ModelT", bound="Row")


def _trace_id(value: Any) -> Any:
    if value is None or value == "":
        return None
    if found := ids.trace_id(value):
        return found
    raise ValueError(ids.describe("", value, ids.TRACE_ID_BYTES).removeprefix(": "))


def _span_id(value: Any) -> Any:
    if value is None or value == "":
        return None
    if found := ids.span_id(value):
        return found
    raise ValueError(ids.describe("", value, ids.SPAN_ID_BYTES).removeprefix(": "))


def _text(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value).decode()


def _written_time(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, str):
        return rfc3339_ns(value)
    raise ValueError("write 2026-01-01T00:00:00Z, or a number of nanoseconds as time_ns")


def _not_zero(value: int | None) -> int | None:
    return value or None


TraceId = Annotated[str, BeforeValidator(_trace_id)]
OptionalTraceId = Annotated[str | None, BeforeValidator(_trace_id)]
OptionalSpanId = Annotated[str | None, BeforeValidator(_span_id)]
"""An empty id is a missing one."""
Text = Annotated[str, BeforeValidator(_text)]
"""Any JSON value, as text: a string as it is, the rest as JSON."""
Int64 = Annotated[int, Field(ge=INT64_MIN, le=INT64_MAX)]
Index = Annotated[int, Field(ge=0, le=2**31 - 1)]
Number = Annotated[float, Field(allow_inf_nan=False)]


class Row(BaseModel):
    """One line: unknown fields are ignored, so that newer writers can be read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    time: Annotated[int | None, BeforeValidator(_written_time)] = None
    """RFC 3339 with offset; becomes nanoseconds."""
    time_ns: Annotated[Int64 | None, AfterValidator(_not_zero)] = None

    def columns(self) -> dict[str, Any]:
        """The fields as columns; `time` has become `time_ns`."""
        values = self.model_dump(mode="python", exclude={"time"})
        values["time_ns"] = self.time_ns if self.time_ns is not None else self.time
        return values


def parsed(model: type[ModelT], row: object, what: str) -> tuple[ModelT, bool]:
    """The checked row, and whether some text in it had to be escaped.

    Args:
        model: Its fields.
        row: The JSON value.
        what: What the row is called, such as `noise row`.

    Raises:
        RecordError: No object, or a field is missing or impossible; names each such field.
    """
    if not isinstance(row, dict):
        raise RecordError(
            Reason.SHAPE,
            f"a {type(row).__name__}: expected a {what}, one JSON object a line; remove the line",
        )
    plain = plain_value(row)
    storable = repaired_value(plain)
    try:
        return model.model_validate(storable), storable != plain
    except ValidationError as error:
        sentences = [_sentence(dict(item), storable, model) for item in error.errors()]
        raise RecordError(Reason.FIELD, f"{'; '.join(sentences)} ({what})") from error


def _sentence(error: Mapping[str, Any], row: Mapping[str, Any], model: type[BaseModel]) -> str:
    field = str(error["loc"][0]) if error["loc"] else "row"
    if error["type"] != "missing":
        shown = listed([_text(error["input"]) or "nothing"], 1)
        problem = str(error["msg"]).removeprefix("Value error, ")
        return f"{field}: {shown}: {problem[:1].lower()}{problem[1:]}"
    unknown = [str(key) for key in row if key not in model.model_fields]
    closest = get_close_matches(field, unknown, n=1)
    hint = f"rename {closest[0]!r} to {field!r}" if closest else f"add {field!r}"
    return f"{field}: missing: {hint}"
