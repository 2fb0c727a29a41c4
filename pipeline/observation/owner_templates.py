"""Templates that owners keep beside the package's, in a folder: `<name>.<language>.j2`.

They are read whole and checked when they are loaded; a prompt never touches the disk. Loading the
folder again switches them without a restart.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pipeline.observation.errors import TemplateError
from pipeline.observation.render import LANGUAGES, TEMPLATES

if TYPE_CHECKING:
    from pathlib import Path

MAX_TEMPLATES: Final = 200
_NAME: Final = re.compile(r"([a-z][a-z0-9_-]{0,63})\.([a-z]{2})\.j2")


@dataclass(frozen=True, slots=True)
class OwnerTemplates:
    """Checked templates by name and language."""

    sources: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> "OwnerTemplates":
        """Check templates.

        Args:
            texts: Sources by file name.

        Raises:
            TemplateError: A name is no `<name>.<language>.j2`, is one of the package's, or the
                source cannot be used in the sandbox; names file, line and problem.
        """
        if len(texts) > MAX_TEMPLATES:
            raise TemplateError("folder", None, f"holds more than {MAX_TEMPLATES} templates")
        return cls({_key(name): _checked(name, texts[name]) for name in sorted(texts)})

    @classmethod
    def from_folder(cls, folder: "Path") -> "OwnerTemplates":
        """Read and check the `*.j2` files of a folder; none when it holds none.

        Raises:
            TemplateError: See `from_texts`; also when a file is no UTF-8 or cannot be read.
        """
        texts = {}
        for path in sorted(folder.glob("*.j2")):
            try:
                texts[path.name] = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise TemplateError(path.name, None, "cannot be read as UTF-8") from error
        return cls.from_texts(texts)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the templates, sorted."""
        return tuple(sorted({name for name, _ in self.sources}))

    def in_language(self, language: str) -> tuple[str, ...]:
        """The names of the templates that are written in a language, sorted."""
        return tuple(sorted(name for name, known in self.sources if known == language))

    def source(self, name: str, language: str) -> str | None:
        """The source of a template; None for a name that is not an owner's.

        Raises:
            TemplateError: The owner has the template, but not in this language.
        """
        if name not in self.names:
            return None
        if (name, language) not in self.sources:
            known = [other for other_name, other in self.sources if other_name == name]
            raise TemplateError(name, None, f"not written in {language!r}", sorted(known))
        return self.sources[name, language]


def _key(file: str) -> tuple[str, str]:
    found = _NAME.fullmatch(file)
    if found is None or found[2] not in LANGUAGES:
        allowed = [f"<name>.{language}.j2" for language in LANGUAGES]
        raise TemplateError(file, None, "is no name of a template", allowed)
    if found[1] in TEMPLATES:
        raise TemplateError(file, None, f"{found[1]} is the package's own", ["another name"])
    return found[1], found[2]


def _checked(file: str, source: str) -> str:
    from pipeline.observation.sandbox import check_template  # Jinja comes with first use

    check_template(file, source)
    return source
