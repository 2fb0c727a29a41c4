"""Records the world into its files: `python -P -m sample_traces.record [--out DIR]`.

The same seed gives the same bytes.
"""

import argparse
import gzip
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import orjson

from sample_traces import CASES_FILE, LABELS_FILE, NOISE_FILE, STORIES_FILE, TRACES_FILE, paths
from sample_traces.otlp_json import export_request
from sample_traces.stories import story_row
from sample_traces.world import SEED, World, simulate


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulates the world and writes its files."""
    parser = argparse.ArgumentParser(prog="sample_traces.record", description=__doc__)
    parser.add_argument("--out", type=Path, default=paths()[0].parent, help="folder to write to")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    for path in write(simulate(options.seed), options.out):
        sys.stdout.write(f"{path} {path.stat().st_size} bytes\n")


def write(world: World, folder: Path) -> list[Path]:
    """Writes the four files into the folder, made if need be, and returns their paths.

    The table of stories goes beside them; it is no trace data, so its path is not among them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        TRACES_FILE: trace_lines(world),
        NOISE_FILE: json_lines(world.noise_rows),
        LABELS_FILE: json_lines(world.label_rows),
        CASES_FILE: json_lines(world.case_rows),
    }
    rows = [story_row(story) for story in world.stories]
    (folder / STORIES_FILE).write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2) + b"\n")
    for name, content in contents.items():
        (folder / name).write_bytes(gzip.compress(content, compresslevel=9, mtime=0))
    return [folder / name for name in contents]


def trace_lines(world: World) -> bytes:
    """OTLP JSON Lines as the collector's file exporter writes them: one export request a line."""
    return json_lines(export_request(spans) for spans in world.traces.values())


def json_lines(rows: Iterable[Mapping[str, object]]) -> bytes:
    """One JSON object a line, UTF-8, each line ended by a newline."""
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


if __name__ == "__main__":
    main()
