"""`toolsight rules`: rule files checked, started, drafted, tried on recorded outputs, published."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli import rules_publish
from dashboard.cli.options import db_option, handed_db_option, json_option
from dashboard.errors import DashboardError

if TYPE_CHECKING:
    from dashboard.cli.rules_text import Written
    from pipeline.observation.rules.check import CheckedRules
    from pipeline.observation.rules.generate import GeneratedFile


@click.group("rules", short_help="Check, draft, try and publish rule files.")
@handed_db_option("infer", *(str(sub.name) for sub in rules_publish.COMMANDS))
def command() -> None:
    """Check rule files, start a parser of your own, draft rules from recorded outputs.

    What is published passes the gates of the Dictionaries page; `backtest` and `publish` exit 1 where
    one is closed, so that a team keeps its rule files in git and judges them there.
    """


for _sub in rules_publish.COMMANDS:
    command.add_command(_sub)


@command.command("check", short_help="Find what is wrong with rule files.")
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--inputs",
    "n_inputs",
    type=click.IntRange(1, 100_000),
    default=200,
    show_default=True,
    help="Generated answers that each rule file has to read, twice each.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the generated answers.")
@json_option
@click.pass_context
def check(ctx: click.Context, path: Path | None, n_inputs: int, seed: int, as_json: bool) -> None:
    """Check a folder of rule files and parsers, one file, or (without PATH) the package's own.

    Errors name file, place, problem and what is allowed. Hooks of `*_parser.py` may read nothing
    but their arguments, and every rule file must have an answer for generated outputs, the same one
    each time; hooks that are pure are run for that. Exit status 1 when there is an error.
    """
    import json

    from dashboard.cli.rules_text import checked_json, checked_text

    checked = _checked(path, seed, n_inputs)
    text = json.dumps(checked_json(checked)) if as_json else checked_text(checked)
    click.echo(text)
    if checked.errors:
        ctx.exit(1)


@command.command("new", short_help="Start a parser for a rule file.")
@click.argument("schema", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the parser, its tests and the rule file.",
)
def new(schema: Path, out: Path) -> None:
    """Write a typed Python parser for SCHEMA, and its tests.

    Most of it is generated; you write between the marks. Run it again after the rule file has
    changed: what stands between the marks is kept, and code that has no place any more is put into
    a file beside it.
    """
    from dashboard.cli.rules_text import written_text
    from pipeline.observation.rules.generate import generate_parser

    texts = _with_types(schema)
    beside = {name: text for name, text in texts.items() if name != schema.name}
    files = generate_parser(schema.name, texts[schema.name], _existing(out), beside)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8")
    click.echo(written_text([_write(out, file) for file in files]))


@command.command("infer", short_help="Draft a rule file from recorded outputs.")
@click.argument("tool")
@db_option
@click.option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=2_000,
    show_default=True,
    help="Distinct outputs to read, the latest ones.",
)
def infer(tool: str, db: Path | None, limit: int) -> None:
    """Print a draft of the rule file of TOOL: types, enums with counts, formats, optional fields.

    It loads as it stands and says nothing about meaning: words, thresholds and confidence are yours.
    """
    from dashboard.cli.stores import open_store
    from pipeline.observation.rules.infer import draft_rules
    from replay_store.rules_inference import recorded_answers, recorded_tools

    with open_store(db) as (database, _):
        answers = recorded_answers(database, tool, limit)
        known = recorded_tools(database)
    draft = draft_rules(tool, [answer.body for answer in answers])
    if draft is None:
        raise DashboardError(_nothing_recorded(tool, known, len(answers)))
    click.echo(draft.text, nl=False)


def _checked(path: Path | None, seed: int, n_inputs: int) -> "CheckedRules":
    from pipeline.observation import package_rule_texts
    from pipeline.observation.rules.check import check_rules, read_parsers

    if path is None:
        return check_rules(package_rule_texts(), seed=seed, n_inputs=n_inputs)
    if path.is_dir():
        texts = {file.name: _text(file) for file in sorted(path.glob("*.yaml"))}
        if not texts:
            raise DashboardError(f"{path}: no *.yaml file in it; name a folder of rule files")
        return check_rules(texts, read_parsers(path), seed=seed, n_inputs=n_inputs)
    return check_rules(_with_types(path), seed=seed, n_inputs=n_inputs)


def _with_types(path: Path) -> dict[str, str]:
    """A file alone where that makes a rule set, else with the domain files that name its types.

    Those beside it count; the package's where there are none.
    """
    from pipeline.observation import package_rule_texts
    from pipeline.observation.rules.load import is_domain, rule_problems

    alone = {path.name: _text(path)}
    if not rule_problems(alone):
        return alone
    others = {p.name: _text(p) for p in sorted(path.parent.glob("*.yaml")) if p.name != path.name}
    for texts in (others, package_rule_texts()):
        domains = {name: text for name, text in texts.items() if is_domain(name, text)}
        if domains:
            return domains | alone
    return alone


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DashboardError(f"{path}: cannot be read as UTF-8; save it as UTF-8") from error


def _existing(out: Path) -> Mapping[str, str]:
    return {path.name: _text(path) for path in sorted(out.glob("*_parser.py"))}


def _write(out: Path, file: "GeneratedFile") -> "Written":
    from dashboard.cli.rules_text import Written

    path = out / file.name
    path.write_text(file.text, encoding="utf-8")
    if not file.orphans:
        return Written(path, file, None)
    beside = out / f"{file.name}.left_over.txt"
    with beside.open("a", encoding="utf-8") as left_over:
        for name, code in sorted(file.orphans.items()):
            left_over.write(f"{name}:\n{code}\n")
    return Written(path, file, beside)


def _nothing_recorded(tool: str, known: Sequence[str], n_answers: int) -> str:
    if n_answers:
        return f"{tool}: none of its {n_answers} recorded outputs holds a record; nothing to draft"
    tools = ", ".join(known[:10]) or "none"
    return f"{tool}: no output of it is recorded; recorded are: {tools}; name one of them"
