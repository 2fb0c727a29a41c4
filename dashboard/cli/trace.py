"""`toolsight trace`: one trace told at the terminal, found by whatever names it."""

from pathlib import Path
from typing import Literal

import click

from dashboard.cli.options import db_option, engine_option, json_option
from dashboard.cli.stores import open_store
from dashboard.engine import partial_sentence


@click.command("trace", short_help="Tell one trace, and what went wrong in it first.")
@click.argument("text")
@click.option(
    "--lang",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Language of the sentences.",
)
@db_option
@engine_option
@json_option
def command(text: str, lang: str, db: Path | None, engine: str | None, as_json: bool) -> None:
    """Tell the trace that TEXT names: its steps, and what may have gone wrong first.

    TEXT is anything that names it: an id in any spelling, the first six digits of one, a
    traceparent, a span, session, task or call id, an idempotency key, a line of a log. Exits with 1
    when it names no trace, saying whether it is arriving, was refused, was removed, or was never
    seen; and when it names several, listing them.
    """
    from zoneinfo import ZoneInfo

    from dashboard.cli.trace_text import (
        absence_text,
        choice_text,
        json_line,
        told_text,
    )
    from dashboard.telling import tell
    from dashboard.told_json import told_json
    from replay_store.finding import find, why_absent
    from replay_store.reader import TraceFilter, find_traces

    language: Literal["en", "zh"] = "zh" if lang == "zh" else "en"
    with open_store(db, engine=engine) as (database, settings):
        zone, found = ZoneInfo(settings.time_zone), find(database, text)
        ids = tuple(match.trace_id for match in found.matches)
        if found.n > 1:
            traces = find_traces(database, TraceFilter(trace_ids=ids), limit=len(ids))
            raise click.ClickException(choice_text(found, traces, zone))
        told = tell(database, ids[0]) if ids else None
        if partial := partial_sentence(database, language):
            click.echo(partial, err=True)
        if told is None:
            raise click.ClickException(absence_text(text, why_absent(database, text), zone))
    if as_json:
        click.echo(json_line(told_json(told, language)))
    else:
        click.echo(told_text(told, zone, language))
