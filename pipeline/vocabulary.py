"""The closed word lists that rows, metrics and pages share.

Source: evaluation practice of the seeds (S3 §3.3, §7.2; S4 §3.2) and OpenTelemetry GenAI.
"""

from enum import StrEnum


class Role(StrEnum):
    """What a span is to the agent: decided per span by the dialects, never by its name alone."""

    AGENT = "agent"
    MODEL = "model"
    TOOL = "tool"
    ATTEMPT = "attempt"
    """One try of a tool call, beneath the span of the call."""
    GUARD = "guard"
    OBSERVATION = "observation"
    CHAIN = "chain"
    """A wrapper: a turn, a graph node, a group of parallel calls. Never counted as a call."""
    RETRIEVER = "retriever"
    OTHER = "other"


class Evidence(StrEnum):
    """How a tool call shows itself in one span."""

    REQUEST = "request"
    """The model asked for it."""
    EXECUTION = "execution"
    """It ran."""
    ATTEMPT = "attempt"
    """One try of it ran."""
    ANSWER = "answer"
    """Its result was shown to the model."""


class KeyKind(StrEnum):
    """By what traces without a root are linked into one task."""

    CALL = "call"
    """One was shown the answer to a call that the other asked for."""
    MESSAGES = "messages"
    """The messages of one begin with the whole exchange of the other."""
    RESPONSE = "response"
    """Both tell of one response: one call, instrumented twice."""
    SAME = "same"
    """A call without text lies within one of equal model and tokens: one call, instrumented twice."""
    SESSION = "session"
    LINK = "link"
    """A span of one names the other."""
    MCP = "mcp"
    """The call of an MCP client or server lies within the run of the agent's tool."""
    ROOT = "root"
    """No link: the root of the trace is itself a model call or a tool."""


class CallStatus(StrEnum):
    """How a call or an attempt ended."""

    OK = "ok"
    ERROR = "error"
    BLOCKED = "blocked"
    PENDING = "pending"
    """Asked for; neither run nor answered in what was received."""
    UNKNOWN = "unknown"
    """Ran; nothing in the span says how it ended."""


class ErrorSource(StrEnum):
    """Where the verdict on a call comes from, strongest first."""

    FLAG = "flag"
    SPAN_STATUS = "span_status"
    EXCEPTION = "exception"
    CONTENT = "content"


class GuardDecision(StrEnum):
    """What a guard decided about one action."""

    ALLOW = "allow"
    BLOCK = "block"
    MODIFY = "modify"
    WARN = "warn"
    ESCALATE = "escalate"
    PENDING = "pending"
    """Waits for a person."""
    UNKNOWN = "unknown"
    """Evaluated; nothing in the span says with which verdict."""


GUARD_HITS = frozenset({GuardDecision.BLOCK, GuardDecision.MODIFY, GuardDecision.ESCALATE})
"""Decisions that count as a hit. Allow and warn are evaluations only."""


class RetryKind(StrEnum):
    """Why a call counts as the retry of an earlier one."""

    EXPLICIT = "explicit"
    """The dialect says so."""
    IDENTICAL = "identical"
    """Same tool and arguments after a failure."""
    CORRECTED = "corrected"
    """Same tool, other arguments after a failure."""
    INFERRED = "inferred"
    """Same tool after a failure; the arguments are not visible."""


class SelectionLabel(StrEnum):
    """The eight exclusive labels of one decision; the first rule that applies wins."""

    CANT_TELL = "CANT_TELL"
    CORRECT_NO_CALL = "CORRECT_NO_CALL"
    SHOULD_NOT_HAVE_CALLED = "SHOULD_NOT_HAVE_CALLED"
    SHOULD_HAVE_CALLED = "SHOULD_HAVE_CALLED"
    WRONG_TOOL = "WRONG_TOOL"
    RIGHT_TOOL_WRONG_ARGS = "RIGHT_TOOL_WRONG_ARGS"
    ACCEPTABLE_ALTERNATIVE = "ACCEPTABLE_ALTERNATIVE"
    RIGHT = "RIGHT"


class AnnotatorKind(StrEnum):
    """Who gave a label."""

    HUMAN = "HUMAN"
    RULE = "RULE"
    LLM = "LLM"


class Match(StrEnum):
    """How a call must agree with what a test case expects."""

    EXACT = "exact"
    """Tool and arguments."""
    ANY_OF = "any_of"
    """Tool, and each argument one of several values; an empty value may be left out."""
    NAME_ONLY = "name_only"
    NO_CALL = "no_call"
    """No tool is right."""
    ANY_CALL = "any_call"
    """Any tool is right, none is wrong."""


class ErrorClass(StrEnum):
    """Error classes an adapter may report, with their advice in S3 §3.3."""

    INVALID_ARGUMENT = "INVALID_ARGUMENT"
    NOT_FOUND = "NOT_FOUND"
    PERMISSION = "PERMISSION"
    AUTH = "AUTH"
    TIMEOUT = "TIMEOUT"
    TOO_LARGE = "TOO_LARGE"
    UNKNOWN_OUTCOME = "UNKNOWN_OUTCOME"
    UPSTREAM = "UPSTREAM"


NO_CALL = "NO_CALL"
"""The tool name of a decision that chose no tool."""
