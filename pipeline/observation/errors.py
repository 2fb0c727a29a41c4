"""What can go wrong around an observation. Tool output is never among it: parsing is total.

ToolsightError
└── ObservationError
    ├── RuleFileError   a rule file cannot be used: names file, path, problem, allowed values
    ├── TemplateError   a template cannot be used: names template, line, problem
    ├── SettingError    an environment variable has a value that means nothing
    ├── UnknownVersionError  a version was asked for that is not loaded
    └── RuleSourceError  published rules cannot be fetched, or are not what they say they are
"""

from collections.abc import Sequence

from pipeline.errors import ToolsightError


class ObservationError(ToolsightError):
    """The observation pipeline cannot do what was asked."""


class RuleFileError(ObservationError):
    """A rule file cannot be used.

    Args:
        file: Name of the file.
        path: Place inside it, such as `output_schema[0].type`, or `line 3, column 7`.
        problem: What is wrong there.
        allowed: What may stand there; empty when the problem says it.
    """

    def __init__(self, file: str, path: str, problem: str, allowed: Sequence[str] = ()) -> None:
        expected = f": allowed: {', '.join(allowed)}" if allowed else ""
        super().__init__(f"{file}: {path}: {problem}{expected}; correct it and load again")
        self.file = file
        self.path = path
        self.problem = problem
        self.allowed = tuple(allowed)


class TemplateError(ObservationError):
    """A template cannot be used.

    Args:
        template: Its name.
        line: One-based line; None when the problem belongs to no line.
        problem: What is wrong there.
        allowed: What may stand there; empty when the problem says it.
    """

    def __init__(
        self, template: str, line: int | None, problem: str, allowed: Sequence[str] = ()
    ) -> None:
        place = template if line is None else f"{template}:{line}"
        expected = f": allowed: {', '.join(allowed)}" if allowed else ""
        super().__init__(f"{place}: {problem}{expected}; correct the template and render again")
        self.template = template
        self.line = line
        self.problem = problem
        self.allowed = tuple(allowed)


class SettingError(ObservationError):
    """An environment variable cannot be read; the message names it and what it may hold."""


class UnknownVersionError(ObservationError):
    """A version was asked for that is not loaded; the message lists those that are."""


class RuleSourceError(ObservationError):
    """Published rules cannot be fetched, or are not what they say they are."""
