"""`toolsight replay`: recorded situations played again, to see what a change would have changed."""

from pathlib import Path
from typing import Any

import click

from dashboard.cli.options import db_option, json_option
from dashboard.cli.replay_steps import (
    keep,
    known_trace,
    named_chooser,
    now_text,
    planned,
    played_run,
    wanted_cases,
)

CASE_DIR = Path("tests/replay")
_KINDS = ("decision", "observation", "end_to_end")
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_CHOOSER_HELP = (
    "recorded, lexical, random, openai:MODEL@URL (key: TOOLSIGHT_CHOOSER_KEY), module:function or "
    "file.py:function."
)


def _case_dir_option(command: Any) -> Any:
    return click.option(
        "--case-dir",
        type=click.Path(file_okay=False, path_type=Path),
        default=CASE_DIR,
        show_default=True,
        help="Folder of case files.",
    )(command)


def _absolute(
    _ctx: click.Context, _parameter: click.Parameter, reference: str | None
) -> str | None:
    """A function in a file by its whole path: a server that runs the command stands elsewhere."""
    place, separator, name = (reference or "").rpartition(":")
    return f"{Path(place).absolute()}{separator}{name}" if place.endswith(".py") else reference


def _hand_down(ctx: click.Context, _parameter: click.Parameter, db: Path | None) -> None:
    """`replay --db X run` means `replay run --db X`."""
    if db is not None:
        ctx.default_map = {name: {"db": str(db)} for name in ("run", "case", "export")}


@click.group("replay", short_help="Play recorded cases again, before and after a change.")
@click.option(
    "--db",
    type=click.Path(dir_okay=False, path_type=Path),
    expose_value=False,
    callback=_hand_down,
    help="Store file, for the commands below that use one.",
)
def command() -> None:
    """Play recorded cases again, before and after a change. No tool is ever called.

    A case is a JSON file: what the model was given, what was on offer, what tools answered, and what
    is right. `replay case` makes them from traces, `replay run` plays them.
    """


@command.command("run", short_help="Play cases; exit 1 when one is broken.")
@_case_dir_option
@click.option("--stored", "is_stored", is_flag=True, help="Play the store's cases instead.")
@click.option(
    "--against",
    type=click.Choice(["code", "contracts", "rules", "adapter", "chooser"]),
    help="What to try; without it what is named below, else this installation.",
)
@click.option("--contracts", type=_FOLDER, help="Contracts to try, one JSON file each.")
@click.option("--base-contracts", type=_FOLDER, help="To compare with; else those of the cases.")
@click.option("--rules", type=_FOLDER, help="Rule files to try.")
@click.option("--base-rules", type=_FOLDER, help="To compare with; else what was recorded.")
@click.option(
    "--adapter", callback=_absolute, help="Adapter to try: module:function or file.py:function."
)
@click.option("--chooser", callback=_absolute, help=f"Who chooses: {_CHOOSER_HELP}")
@click.option(
    "--base-chooser", callback=_absolute, help="To compare a chooser with; else what was recorded."
)
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), help="HTML file to write."
)
@click.option("--keep", "is_kept", is_flag=True, help="Keep the run in the store.")
@click.option(
    "--by", default="command line", show_default=True, help="Who runs it, for the record."
)
@db_option
@json_option
@click.pass_context
def run(ctx: click.Context, /, db: Path | None, as_json: bool, **given: Any) -> None:
    """Play cases before and after a change: broken, fixed, the same, and McNemar's test.

    Exit status 1 when a case was right before and is wrong after, or none could be judged.
    """
    from dashboard.cli.replay_text import run_json, run_text
    from dashboard.replaying.report import report_html

    plan = planned(given)
    cases = wanted_cases(given["case_dir"], db, is_stored=given["is_stored"])
    played = played_run(plan, cases, given["by"])
    if given["is_kept"]:
        keep(db, cases, played)
    if given["report"] is not None:
        given["report"].parent.mkdir(parents=True, exist_ok=True)
        given["report"].write_text(report_html(played), encoding="utf-8")
    click.echo(run_json(played) if as_json else run_text(played))
    if played.run.n_broken or played.run.n_skipped == played.run.n_cases:
        ctx.exit(1)


@command.command("case", short_help="Make cases from a trace.")
@click.argument("trace_id")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(_KINDS),
    help="Which cases; decision and observation without it. May be repeated.",
)
@click.option(
    "--turn", type=click.IntRange(0), help="Only the decisions of this model turn, from 0."
)
@click.option("--expect", help="The tool that would have been right, or NO_CALL; with --turn.")
@click.option("--accept", is_flag=True, help="What was chosen was right, where no label says.")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the files."
)
@db_option
@json_option
def case(
    trace_id: str,
    kinds: tuple[str, ...],
    turn: int | None,
    expect: str | None,
    accept: bool,
    out: Path | None,
    db: Path | None,
    as_json: bool,
) -> None:
    """Make replay cases from TRACE_ID and keep them in the store.

    What is right comes from the trace's labels, or from --expect or --accept; without any of them a
    decision becomes no case, and the reason is told.
    """
    from dashboard.cli.replay_text import captured_text, cases_json
    from dashboard.cli.stores import open_store
    from pipeline.replay import CaseKind, write_case
    from replay_store.replay import keep_cases
    from replay_store.replay.capture import Wanted, capture

    if expect is not None and turn is None:
        raise click.UsageError("--expect: of which decision? give --turn too")
    found = frozenset(map(CaseKind, kinds or ("decision", "observation")))
    wanted = Wanted(found, turn, expect, accept)
    with open_store(db) as (database, _):
        captured = capture(database, known_trace(database, trace_id), wanted, now_text())
        n_new = keep_cases(database, captured.cases)
    paths = [write_case(item, out) for item in captured.cases] if out is not None else []
    for sentence in captured.left_out:
        click.echo(f"left out: {sentence}", err=True)
    click.echo(cases_json(captured.cases) if as_json else captured_text(captured, n_new, paths))


@command.command("export", short_help="Write the store's cases to files.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=CASE_DIR,
    show_default=True,
    help="Folder for the files.",
)
@click.option("--tool", help="Only cases that cover this tool.")
@db_option
def export(out: Path, tool: str | None, db: Path | None) -> None:
    """Write the newest version of each stored case to a JSON file, for review in git."""
    from dashboard.cli.stores import open_store
    from dashboard.cli.tables import plain
    from pipeline.replay import write_case
    from replay_store.replay import CaseFilter, stored_cases

    with open_store(db) as (database, _):
        kept = stored_cases(database, CaseFilter(tool_name=tool))
    for item in kept:
        write_case(item.case, out)
    click.echo(f"{len(kept):,} cases written to {plain(str(out))}")


@command.command(
    "gate", short_help="Refuse a contract change that no case covers or that breaks one."
)
@click.option("--base", required=True, type=_FOLDER, help="Contracts before the change.")
@click.option("--head", required=True, type=_FOLDER, help="Contracts after it.")
@_case_dir_option
@click.option(
    "--chooser",
    default="lexical",
    show_default=True,
    callback=_absolute,
    help=f"Who chooses: {_CHOOSER_HELP}",
)
@json_option
@click.pass_context
def gate(
    ctx: click.Context, base: Path, head: Path, case_dir: Path, chooser: str, as_json: bool
) -> None:
    """Compare two folders of contracts by the cases: for a check before a merge.

    Exit status 1 when a changed contract is covered by no case, or a case is broken by the change.
    """
    from dashboard.cli.replay_text import gate_json, gate_text
    from pipeline.replay import read_case_dir
    from pipeline.replay.contracts import read_contracts
    from pipeline.replay.gate import contract_gate

    found = contract_gate(
        read_contracts(base), read_contracts(head), read_case_dir(case_dir), named_chooser(chooser)
    )
    click.echo(gate_json(found) if as_json else gate_text(found))
    if not found.is_open:
        ctx.exit(1)


@command.command("robustness", short_help="What controlled noise takes from facts and choices.")
@_case_dir_option
@click.option("--stored", "is_stored", is_flag=True, help="Play the store's cases instead.")
@click.option(
    "--seeds", type=click.IntRange(5, 1_000), default=5, show_default=True, help="How many."
)
@click.option(
    "--chooser",
    default="recorded",
    show_default=True,
    callback=_absolute,
    help=f"For tasks: {_CHOOSER_HELP}",
)
@db_option
@json_option
@click.pass_context
def robustness(
    ctx: click.Context,
    case_dir: Path,
    is_stored: bool,
    seeds: int,
    chooser: str,
    db: Path | None,
    as_json: bool,
) -> None:
    """Play each observation and task clean and with noise: by kind, at intensities 0 to 0.4.

    Prints which share of facts reads the same, of prompts changes, of tasks goes another way, and of
    critical facts stays untouched. Exit status 1 when a critical fact was touched.
    """
    from dashboard.cli.replay_text import robustness_json, robustness_text
    from metrics.robustness import robustness as judged
    from pipeline.replay.robustness import looks
    from pipeline.replay.setup import Setup

    cases = wanted_cases(case_dir, db, is_stored=is_stored)
    found = judged(looks(cases, Setup("clean", named_chooser(chooser)), seeds=range(seeds)))
    click.echo(robustness_json(found) if as_json else robustness_text(found))
    if not all(row.is_critical_untouched for row in found):
        ctx.exit(1)
