"""Berkeley Function Calling Leaderboard: questions, possible answers and results, a line each.

A question is a case, not a run: it becomes a record only where it says itself what is right
(irrelevance: no call; live relevance: any call). Results become one trace a line; they tell how
long the model took, not when. Old results number their questions, in a file named after the
category.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ingest.containers.conversation import Conversation
from ingest.containers.drafts import (
    CaseRunDraft,
    Desk,
    Draft,
    ExpectationDraft,
    Format,
    Passed,
    Pieces,
    Refused,
    each,
    keys_sign,
)
from ingest.containers.fields import arr, decoded, length_ns, obj, real, txt, whole
from ingest.containers.parts import Part, call_part, message, text_part
from ingest.containers.python_calls import python_calls
from ingest.containers.turns import Turn, Usage
from ingest.errors import Reason, RecordError
from ingest.kinds import Container
from pipeline.vocabulary import Match

_PREFIX: Final = "bfcl/"
_CATEGORY: Final = re.compile(r"(?:_test_|BFCL_v\d+_)(?P<category>\w+?)(?:_result)?$")
_CATEGORIES: Final = {"simple": "simple_python", "relevance": "irrelevance"}
"""Names that categories had before."""

question_sign = keys_sign("id", "question")
answer_sign = keys_sign("id", "ground_truth")


def result_sign(value: Any) -> str | None:
    """A result: `id`, `result` and `latency`."""
    return "it has id, result and latency" if obj(value).keys() >= _RESULT_KEYS else None


_RESULT_KEYS: Final = frozenset({"id", "result", "latency"})


def read_question(value: Any) -> Iterator[Draft]:
    """What a question itself says of the right call; most say nothing."""
    case = _case(obj(value).get("id"))
    category = case.removeprefix(_PREFIX)
    if category.startswith(("irrelevance", "live_irrelevance")):
        yield ExpectationDraft(case_id=case, match=Match.NO_CALL, is_complete=True)
    elif category.startswith("live_relevance"):
        yield ExpectationDraft(case_id=case, match=Match.ANY_CALL, is_complete=True)
    else:
        yield Passed("questions without a verdict of their own")


def read_answer(value: Any) -> Iterator[Draft]:
    """The calls that are right for one question."""
    row = obj(value)
    case = _case(row.get("id"))
    truth = row.get("ground_truth")
    if not isinstance(truth, list):
        raise _shape("ground_truth")
    if any(isinstance(turn, list) for turn in truth):
        for index, turn in enumerate(truth):
            yield from _written_calls(case, index, arr(turn))
        return
    for position, call in enumerate(truth):
        yield from _possible_calls(case, position, call)


def _possible_calls(case: str, position: int, call: Any) -> Iterator[Draft]:
    if isinstance(call, str):
        yield from _written_calls(case, 0, [call], position)
        return
    for name, arguments in obj(call).items():
        yield ExpectationDraft(
            case_id=case,
            position=position,
            tool_name=name,
            arguments=arguments,
            match=Match.ANY_OF,
            is_complete=True,
        )


def _written_calls(
    case: str, turn: int, calls: Sequence[Any], first_position: int = 0
) -> Iterator[Draft]:
    found = [call for text in calls if isinstance(text, str) for call in python_calls(text)]
    for position, call in enumerate(found, first_position):
        yield ExpectationDraft(
            case_id=case,
            turn=turn,
            position=position,
            tool_name=call.name,
            arguments=call.arguments,
            is_ordered=True,
        )


def read_results(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
    """One trace a result."""
    for piece in pieces:
        row = obj(piece.value)
        if result_sign(row) is None:
            if "accuracy" in row:
                yield Passed("summary lines")
            else:
                yield Refused(piece.place, _shape("id, result and latency"), piece.value)
            continue
        case = _result_case(row["id"], desk.stem)
        yield from _result(row, case, f"{case}/{desk.stem}")


class _Step(NamedTuple):
    answer: Any
    seconds: Any
    input_tokens: Any
    output_tokens: Any


def _result(row: Mapping[str, Any], case: str, key: str) -> Iterator[Draft]:
    conversation = Conversation(key, agent="bfcl", attributes={"source.case_id": case})
    for step in _steps(row):
        turn = Turn(
            duration=length_ns(step.seconds),
            model=txt(row.get("model_name")),
            usage=Usage(whole(step.input_tokens), whole(step.output_tokens)),
        )
        conversation.say(message("assistant", *_parts(step.answer)), turn)
    yield from conversation.spans()
    yield CaseRunDraft(key, case)


def _steps(row: Mapping[str, Any]) -> Iterator[_Step]:
    """The model calls of one result: one, or the nested lists of several turns flattened."""
    columns = [row.get(name) for name in ("result", "latency", "input_token_count")]
    columns.append(row.get("output_token_count"))
    if not isinstance(row["latency"], list):
        yield _Step(*columns)
        return
    flat = [_leaves(column) for column in columns]
    for index, answer in enumerate(flat[0]):
        rest = [column[index] if index < len(column) else None for column in flat[1:]]
        yield _Step(answer, *rest)


def _leaves(value: Any) -> list[Any]:
    """The steps of nested turns; in `result` a step is itself a list of calls, or a text."""
    turns = value if isinstance(value, list) else [value]
    return [step for turn in turns for step in (turn if isinstance(turn, list) else [turn])]


def _parts(answer: Any) -> list[Part]:
    if isinstance(answer, str):
        written = python_calls(answer)
        if not written:
            return [text_part(answer)]
        return [call_part(None, call.name, call.arguments) for call in written]
    calls = answer if isinstance(answer, list) else [answer]
    return [
        call_part(None, name, decoded(arguments))
        for call in calls
        if isinstance(call, dict)
        for name, arguments in call.items()
    ]


def _case(value: Any) -> str:
    name = txt(value)
    if name is None:
        raise _shape("id")
    return _PREFIX + name


def _result_case(value: Any, stem: str) -> str:
    name = txt(value) or ""
    match = _CATEGORY.search(stem) if real(value) is not None else None
    if match is None:
        return _PREFIX + name
    category = match["category"]
    return f"{_PREFIX}{_CATEGORIES.get(category, category)}_{name}"


def _shape(field: str) -> RecordError:
    return RecordError(
        Reason.SHAPE, f"no row of BFCL: expected {field}; correct or remove the line"
    )


QUESTIONS: Final = Format(
    Container.BFCL_QUESTIONS, "BFCL questions", question_sign, each(read_question)
)
ANSWERS: Final = Format(
    Container.BFCL_ANSWERS, "BFCL possible answers", answer_sign, each(read_answer)
)
RESULTS: Final = Format(Container.BFCL_RESULTS, "BFCL results", result_sign, read_results)
