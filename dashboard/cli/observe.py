"""`toolsight observe`: raw outputs from files, read and put into words at the terminal."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import db_option, json_option
from dashboard.errors import DashboardError

if TYPE_CHECKING:
    from pipeline.observation import Context, Observation, RuleSet, ToolOutput


@click.command("observe", short_help="Show what a model would read of raw outputs.")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--tool", help="Tool that gave the outputs.  [default: found by their keys]")
@click.option("--version", "contract", help="Contract version of the tool.")
@click.option("--intent", help="What the user wants, such as track_delivery.")
@click.option("--about", help="Entity that the question is about, such as order:12345.")
@click.option(
    "--template",
    "templates",
    multiple=True,
    default=("concise",),
    show_default=True,
    help="concise, verbose, debug, or one of --templates; may be repeated.",
)
@click.option(
    "--templates",
    "template_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of your own templates, <name>.<language>.j2.",
)
@click.option(
    "--lang",
    "languages",
    multiple=True,
    default=("zh",),
    show_default=True,
    type=click.Choice(["zh", "en"]),
    help="Language of the prompts; may be repeated.",
)
@click.option("--noise", type=int, help="Seed of controlled noise.  [default: no noise]")
@click.option(
    "--intensity",
    type=click.FloatRange(0, 1),
    default=0.3,
    show_default=True,
    help="Share of the eligible facts that noise hits.",
)
@click.option(
    "--rules",
    "rule_folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of rule files.  [default: those in force in --db, else the package's]",
)
@db_option
@json_option
def command(
    files: tuple[Path, ...],
    tool: str | None,
    contract: str | None,
    intent: str | None,
    about: str | None,
    templates: tuple[str, ...],
    template_folder: Path | None,
    languages: tuple[str, ...],
    noise: int | None,
    intensity: float,
    rule_folder: Path | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Read each FILE as one output of a tool, and print raw output, facts and prompt.

    Nothing is stored. Sensitive values show as pseudonyms, here as everywhere.
    """
    from pipeline.observation import PROFILES, OwnerTemplates, observe

    owned = None if template_folder is None else OwnerTemplates.from_folder(template_folder)
    observation = observe(
        [_output(file, tool, contract) for file in files],
        _context(intent, about),
        rules=_rules(rule_folder, db),
        cni_enabled=noise is not None,
        cni_intensity=intensity,
        seed=noise or 0,
        profile=PROFILES["seed-v1"],
        templates=templates,
        languages=languages,
        owner_templates=owned,
    )
    click.echo(_shown(observation, [file.name for file in files], as_json=as_json))


def _output(file: Path, tool: str | None, contract: str | None) -> "ToolOutput":
    from pipeline.observation import ToolOutput
    from pipeline.observation.inputs import ANY_TOOL

    try:
        body = file.read_bytes()
    except OSError as error:
        raise DashboardError(
            f"{file}: {error.strerror}; name a file with one raw output"
        ) from error
    return ToolOutput(tool or ANY_TOOL, contract, None, body)


def _context(intent: str | None, about: str | None) -> "Context":
    from pipeline.observation import Context, EntityRef

    if about is None:
        return Context(intent=intent)
    entity_type, separator, identity = about.partition(":")
    if not separator or not entity_type or not identity:
        raise click.BadParameter("expected type:id, such as order:12345", param_hint="--about")
    values = {f"target_{entity_type}_id": identity}
    return Context(intent=intent, primary=EntityRef(entity_type, identity), values=values)


def _rules(folder: Path | None, db: Path | None) -> "RuleSet":
    from pipeline.observation import load_folder, package_rules
    from pipeline.observation.rules.check import load_parser, read_parsers

    if folder is not None:
        parsers = [load_parser(name, text) for name, text in read_parsers(folder).items()]
        return load_folder(folder).with_parsers(*parsers)
    if db is None:
        return package_rules()
    from dashboard.cli.stores import open_store
    from replay_store.rule_store import rules_in_force

    with open_store(db) as (database, _):
        return rules_in_force(database).rule_set


def _shown(observation: "Observation", names: Sequence[str], *, as_json: bool) -> str:
    import json

    from dashboard.cli.rules_text import observed_json, observed_text
    from pipeline.observation.privacy import raw_text
    from pipeline.observation.telemetry import MAX_RAW

    key = observation.context.pseudonym_key
    raw = [
        (name, raw_text(output, observation.rules, MAX_RAW, key))
        for name, output in zip(names, observation.outputs, strict=True)
    ]
    if as_json:
        return json.dumps(observed_json(observation, raw))
    return observed_text(observation, raw)
