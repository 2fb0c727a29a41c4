"""`toolsight contracts`: what tools promise, checked, compared, drafted and answered for."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import db_option, handed_db_option, json_option
from dashboard.errors import DashboardError

if TYPE_CHECKING:
    from pipeline.contracts import Contract

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.group("contracts", short_help="Check, compare, draft and mock tool contracts.")
@handed_db_option("lint")
def command() -> None:
    """Check, compare and draft the contracts of your tools, and answer for tools that do not exist yet."""


@command.command("lint", short_help="Find sentences that lead a model astray.")
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
@db_option
@click.option(
    "--lang",
    "language",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Of reasons and suggestions.",
)
@click.option(
    "--similar",
    type=click.FloatRange(0, 1),
    default=0.75,
    show_default=True,
    help="Descriptions at least this much alike are reported.",
)
@json_option
@click.pass_context
def lint(
    ctx: click.Context,
    path: Path | None,
    db: Path | None,
    language: str,
    similar: float,
    as_json: bool,
) -> None:
    """What is wrong with the contracts in PATH, and the sentence that would mend it.

    Without PATH the tools that recorded models were offered are looked at. Exit status 1 when there
    is an error: a tool that would not be on offer, or could do harm.
    """
    import json

    from dashboard.cli.contracts_text import findings_json, findings_text
    from pipeline.contracts import Severity, lint_contracts

    contracts = _recorded(db) if path is None else _contracts(path)
    found = lint_contracts(contracts, similar, seen_only=path is None)
    if as_json:
        click.echo(json.dumps(findings_json(found, language), ensure_ascii=False))
    else:
        click.echo(findings_text(found, len(contracts), language))
    if any(finding.severity is Severity.ERROR for finding in found):
        ctx.exit(1)


@command.command("diff", short_help="What differs between two sets, and what breaks calls.")
@click.argument("base", type=_FOLDER)
@click.argument("head", type=_FOLDER)
@json_option
@click.pass_context
def diff(ctx: click.Context, base: Path, head: Path, as_json: bool) -> None:
    """Every field that differs between the contracts in BASE and in HEAD.

    Exit status 1 when calls that were right are no longer: a tool or parameter gone, one newly
    required, a narrower type or pattern. What the model sees differently needs a replay case
    (`toolsight replay gate`).
    """
    import json

    from dashboard.cli.contracts_text import differences_json, differences_text
    from pipeline.contracts import contract_differences, read_contracts

    found = tuple(contract_differences(read_contracts(base), read_contracts(head)))
    text = json.dumps(differences_json(found), ensure_ascii=False)
    click.echo(text if as_json else differences_text(found))
    if any(difference.is_breaking for difference in found):
        ctx.exit(1)


@command.command("import", short_help="Draft contracts from OpenAPI, MCP or a tool list.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the contracts, one file each; files that are there stay as they are.",
)
def import_(file: Path, out: Path) -> None:
    """Draft a contract for each tool in FILE.

    FILE is OpenAPI 3 (JSON or YAML), an MCP `tools/list` answer, or a tool list of OpenAI or
    Anthropic. Then `toolsight contracts lint` says what to add.
    """
    from dashboard.cli.contracts_text import contract_text
    from pipeline.contracts import import_contracts

    out.mkdir(parents=True, exist_ok=True)
    for contract in import_contracts(_document(file), str(file)):
        path = out / f"{contract.name}.json"
        if path.exists():
            click.echo(f"{path}: is there already; left as it is", err=True)
            continue
        path.write_text(contract_text(contract), encoding="utf-8")
        click.echo(path)


@command.command("mock", short_help="Answer for tools with made-up data.")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8510,
    show_default=True,
    help="Port on this machine; 0 takes any free one.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the made-up data.")
def mock(path: Path, port: int, seed: int) -> None:
    """Serve the tools in PATH until Ctrl-C.

    `POST /NAME` with arguments as JSON answers with data that the contract's `returns` allows. Wrong arguments are answered with status 400 and the sentences that a model would read.
    """
    from dashboard.serving.tool_mock import serve_mock

    serve_mock(_contracts(path), port, seed, click.echo)


def _contracts(path: Path) -> "list[Contract]":
    from pipeline.contracts import read_contract, read_contracts

    return list(read_contracts(path).values()) if path.is_dir() else [read_contract(path)]


def _recorded(db: Path | None) -> "list[Contract]":
    from dashboard.cli.stores import open_store
    from replay_store.offered import offered_contracts

    with open_store(db) as (database, _):
        found = offered_contracts(database)
    if not found:
        raise DashboardError("no recorded span shows which tools were on offer; name a folder")
    return found


def _document(file: Path) -> object:
    import yaml

    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DashboardError(f"{file}: is neither JSON nor YAML; correct it") from error
