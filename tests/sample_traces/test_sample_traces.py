"""The package as others use it: file paths, and nothing that costs time to import."""

import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import sample_traces
from sample_traces.world import World

README = Path(sample_traces.__file__).with_name("README.md")


def test_paths_are_traces_then_noise_then_labels_then_cases_and_exist() -> None:
    found = sample_traces.paths()
    assert [path.name for path in found] == list(sample_traces.DATA_FILES)
    assert all(path.is_file() for path in found)


def test_the_files_stay_small_enough_for_git() -> None:
    assert sum(path.stat().st_size for path in sample_traces.paths()) < 6_000_000


def test_importing_the_package_loads_no_opentelemetry_and_no_protobuf() -> None:
    code = (
        "import sys, sample_traces; sample_traces.paths(); sample_traces.stories();"
        "print([n for n in sys.modules if n.split('.')[0] in ('opentelemetry', 'google')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=README.parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


def test_the_readme_tells_every_highlight_with_its_trace_id(world: World) -> None:
    text = README.read_text(encoding="utf-8").partition("## Traces worth opening")[2]
    told = [(row[0].strip(), row[1]) for row in re.findall(r"\| ([^|]+)\| `([0-9a-f]{32})`", text)]
    assert told == list(world.highlights.items())


def test_the_readme_tells_every_story_with_its_traces() -> None:
    text = README.read_text(encoding="utf-8")
    for story in sample_traces.stories():
        (line,) = [line for line in text.splitlines() if f"`{story.key}`" in line]
        assert f"**{story.title_en}**" in line
        assert re.findall("[0-9a-f]{32}", line) == list(story.trace_ids)


def test_the_readme_gives_the_sizes_of_the_world(world: World) -> None:
    text = README.read_text(encoding="utf-8")
    sizes = (
        f"{len(world.traces):,} traces",
        f"{sum(len(spans) for spans in world.traces.values()):,} spans",
        f"{sum(len(truth['tools']) for truth in world.truth.values()):,} tool calls",
        f"{sum(truth['observations'] for truth in world.truth.values()):,} observations",
        f"{len(world.noise_rows):,} injections",
        f"{sum(row['source'] == 'audit' for row in world.label_rows):,} audited decisions",
        f"{len(world.case_rows):,} replay cases",
        *(f"{n} {words}" for n, words in _cases_by_kind(world)),
    )
    assert [size for size in sizes if size.replace(",", "\N{NO-BREAK SPACE}") not in text] == []


def test_the_readme_describes_every_field_of_the_row_files() -> None:
    text = README.read_text(encoding="utf-8")
    for path in sample_traces.paths()[1:]:
        lines = gzip.decompress(path.read_bytes()).splitlines()
        held = {name for line in lines for name in json.loads(line)}
        missing = [name for name in held if f"`{name}`" not in text]
        assert not missing, path.name


def _cases_by_kind(world: World) -> Iterator[tuple[int, str]]:
    kinds = Counter(row["kind"] for row in world.case_rows)
    yield kinds["decision"], "replayed decisions"
    yield kinds["observation"], "observations"
    yield kinds["end_to_end"], "whole tasks"
