"""`toolsight rules draft|backtest|cases|shadow|publish|rollback|history|diff|export`, from a terminal.

The same steps and the same gates as on the page, so that rule files can be kept in git and judged in
a pipeline.
"""

from pathlib import Path
from typing import Any

import click

from dashboard.cli.options import db_option, json_option

__all__ = ["COMMANDS"]

_SOURCE_HELP = "A folder of rule files, a draft, a version, or in-force."


def _absolute(_ctx: click.Context, _parameter: click.Parameter, named: str | None) -> str | None:
    """A folder by its whole path: a server that runs the command stands elsewhere."""
    return str(Path(named).absolute()) if named and Path(named).is_dir() else named


def _source_argument(command: Any) -> Any:
    return click.argument("source", callback=_absolute)(command)


def _trial_options(command: Any) -> Any:
    """What a back-test is run on, and what is said of it."""
    for option in (
        click.option("--base", help="Version to compare with.  [default: in force]"),
        click.option(
            "--range",
            "range_key",
            default="all",
            show_default=True,
            help="Recorded time to try it on: all, 30d, 7d, 24h, 6h, 1h, before the newest data.",
        ),
        click.option("--tool", help="Only observations with an output of this tool."),
        click.option(
            "--case-dir",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="Replay cases as files; those of the store without it.",
        ),
        click.option(
            "--acknowledge",
            "acknowledged",
            multiple=True,
            metavar="KEY|all",
            help="A class of change is meant; may be repeated.",
        ),
        click.option("--approved-by", help="Another owner who has approved of it."),
        click.option("--by", help="Whose name stands beside it.  [default: the user's]"),
    ):
        command = option(command)
    return command


@click.command("draft", short_help="Keep a folder of rule files as a draft for the page.")
@_source_argument
@click.option("--base", default="in-force", show_default=True, help="Version it was made from.")
@click.option("--by", help="Whose draft it is.  [default: the user's]")
@db_option
@json_option
def draft(source: str, base: str, by: str | None, db: Path | None, as_json: bool) -> None:
    """Keep SOURCE as a draft that others open, try, approve and publish on the page.

    SOURCE is a folder of rule files, or a version to begin from.
    """
    import json
    import time

    from dashboard.cli.rules_steps import named_user
    from dashboard.cli.stores import open_store
    from dashboard.tuning.sources import known_version, read_source
    from replay_store.rule_drafts import save_draft

    with open_store(db) as (database, _):
        found = read_source(database, source)
        base_version = known_version(database, base)
        draft_id = save_draft(database, base_version, found.texts, [], named_user(by), time.time_ns)
    told = {"draft_id": draft_id, "version": found.version, "base_version": base_version}
    text = f"draft {draft_id}\nOpen it on the page: /dictionaries?draft={draft_id}"
    click.echo(json.dumps(told) if as_json else text)


@click.command(
    "backtest", short_help="Try rule files on recorded outputs; exit 1 on a failed gate."
)
@_source_argument
@_trial_options
@db_option
@json_option
@click.pass_context
def backtest(
    ctx: click.Context, /, source: str, db: Path | None, as_json: bool, **given: Any
) -> None:
    """Tell what SOURCE would change in facts, conflicts and prompts, and how every gate stands.

    SOURCE is a folder of rule files, a draft, or a version. Nothing is stored. Exit status 1 when a
    gate has failed; what only waits for a person (a change to be said meant, an approval) is told and
    does not fail.
    """
    from dashboard.cli.rules_steps import has_failed, tried
    from dashboard.cli.rules_trial_text import trial_json, trial_text
    from dashboard.cli.stores import open_store

    with open_store(db) as (database, settings):
        done = tried(database, settings, source, given, is_kept=False)
    click.echo(trial_json(done) if as_json else trial_text(done))
    if has_failed(done):
        ctx.exit(1)


@click.command("publish", short_help="Put rule files in force; exit 1 when a gate is closed.")
@_source_argument
@click.option("--reason", required=True, help="Why; stays in the history.")
@click.option(
    "--to",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also publish into this folder, for agents that watch one.",
)
@_trial_options
@db_option
@json_option
@click.pass_context
def publish(
    ctx: click.Context,
    /,
    source: str,
    reason: str,
    to: Path | None,
    db: Path | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Try SOURCE, and put it in force when every gate is open.

    SOURCE is a folder of rule files, a draft, or a version. The version, its author and approver, the
    back-test and how the gates stood are kept. Exit status 1 when a gate is closed; nothing is then
    published.
    """
    from dashboard.cli.rules_steps import published, tried
    from dashboard.cli.rules_trial_text import (
        published_json,
        published_text,
        trial_json,
        trial_text,
    )
    from dashboard.cli.stores import open_store
    from metrics.rule_gates import is_publishable

    with open_store(db) as (database, settings):
        done = tried(database, settings, source, given, is_kept=True)
        if not is_publishable(done.gates):
            click.echo(trial_json(done) if as_json else trial_text(done))
            ctx.exit(1)
        version, n_read = published(database, done, reason, to)
    click.echo(published_json(version, n_read) if as_json else published_text(version, n_read))


@click.command("cases", short_help="Keep the replay cases that a change of rules needs.")
@_source_argument
@click.option("--note", required=True, help="Why the new reading is right; stays with the cases.")
@_trial_options
@db_option
@json_option
def cases(source: str, note: str, db: Path | None, as_json: bool, **given: Any) -> None:
    """Guard every changed fact of SOURCE by an example, and bring the cases it breaks to it.

    With --case-dir the cases are read from its files and written there, for review in git.
    """
    from dashboard.cli.rules_steps import cases_made, tried
    from dashboard.cli.rules_trial_text import cases_json, cases_text
    from dashboard.cli.stores import open_store

    with open_store(db) as (database, settings):
        done = tried(database, settings, source, given, is_kept=False)
        made = cases_made(database, done, note, given["case_dir"])
    click.echo(cases_json(*made) if as_json else cases_text(*made))


@click.command("rollback", short_help="Put an earlier version in force again.")
@click.argument("version", required=False)
@click.option("--reason", required=True, help="Why; stays in the history.")
@click.option("--by", help="Whose name stands beside it.  [default: the user's]")
@db_option
@json_option
def rollback(
    version: str | None, reason: str, by: str | None, db: Path | None, as_json: bool
) -> None:
    """Put VERSION in force again; without it the version that was in force before."""
    from dashboard.cli.rules_steps import rolled_back
    from dashboard.cli.rules_trial_text import published_json, published_text
    from dashboard.cli.stores import open_store

    with open_store(db) as (database, _):
        found, n_read = rolled_back(database, version, reason, by)
    click.echo(published_json(found, n_read) if as_json else published_text(found, n_read))


@click.command("shadow", short_help="Let a draft read what arrives, without showing it to anybody.")
@click.argument("source", required=False, callback=_absolute)
@click.option("--stop", "is_stopped", is_flag=True, help="End the shadow run.")
@click.option("--by", help="Whose name stands beside it.  [default: the user's]")
@db_option
@json_option
def shadow(
    source: str | None, is_stopped: bool, by: str | None, db: Path | None, as_json: bool
) -> None:
    """Begin a shadow run of SOURCE beside the version in force; without SOURCE tell what it saw.

    What arrived since it began is read by both. One runs at a time.
    """
    from dashboard.cli.rules_steps import shadowed
    from dashboard.cli.rules_trial_text import shadow_json, shadow_text
    from dashboard.cli.stores import open_store

    with open_store(db) as (database, settings):
        found = shadowed(database, source, by, is_stopped=is_stopped)
        zone = settings.time_zone
    click.echo(shadow_json(found) if as_json else shadow_text(found, zone))


@click.command("history", short_help="List who put which version in force, when and why.")
@db_option
@json_option
def history(db: Path | None, as_json: bool) -> None:
    """List every move of the pointer, newest first, with what each version was published with."""
    from dashboard.cli.rules_trial_text import history_json, history_text
    from dashboard.cli.stores import open_store
    from replay_store import rule_store
    from replay_store.rule_reviews import kept_backtests

    with open_store(db) as (database, settings):
        moves = rule_store.history(database)
        kept = {move.version: kept_backtests(database, move.version) for move in moves}
        zone = settings.time_zone
    click.echo(history_json(moves, kept) if as_json else history_text(moves, kept, zone))


@click.command("diff", short_help="Print how two versions, drafts or folders differ.")
@click.argument("old", callback=_absolute)
@click.argument("new", callback=_absolute, default="in-force")
@db_option
def diff(old: str, new: str, db: Path | None) -> None:
    """Print the difference of OLD and NEW (the version in force without it), as `diff -u` does.

    Each is a folder of rule files, a draft, a version (its first digits do), v0, or in-force.
    """
    from dashboard.cli.rules_trial_text import plain_lines
    from dashboard.cli.stores import open_store
    from dashboard.tuning.difference import difference
    from dashboard.tuning.sources import read_source

    with open_store(db) as (database, _):
        before, after = read_source(database, old), read_source(database, new)
    found = difference(before.texts, after.texts, (before.name, after.name))
    click.echo(plain_lines(found) if found else f"{before.name} and {after.name} are equal.")


@click.command("export", short_help="Write the files of a version to a folder.")
@click.argument("source", callback=_absolute, default="in-force")
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the files; those that are there are overwritten.",
)
@db_option
def export(source: str, out: Path, db: Path | None) -> None:
    """Write the rule files of SOURCE (the version in force without it) to a folder, for git."""
    from dashboard.cli.stores import open_store
    from dashboard.cli.tables import plain
    from dashboard.tuning.sources import read_source

    with open_store(db) as (database, _):
        found = read_source(database, source)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in found.texts.items():
        (out / Path(name).name).write_text(text, encoding="utf-8")
    click.echo(f"{plain(found.name)}: {len(found.texts)} files written to {plain(str(out))}")


COMMANDS = (draft, backtest, cases, shadow, publish, rollback, history, diff, export)
"""What `toolsight rules` takes in."""
