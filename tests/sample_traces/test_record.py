"""Recording: the same seed gives the same bytes, and they are the bytes in git."""

import gzip
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import sample_traces
from sample_traces.record import main, write
from sample_traces.timeline import WORLD_END, Timeline
from sample_traces.world import SEED, World, simulate

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def recorded(world: World, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write(world, tmp_path_factory.mktemp("recorded"))


def _spans(path: Path) -> Iterator[dict[str, Any]]:
    for line in gzip.decompress(path.read_bytes()).splitlines():
        for resource in json.loads(line)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                yield from scope["spans"]


def _short(seed: int = SEED, days: int = 2) -> World:
    """The last two days, with most of the conditions."""
    return simulate(seed, Timeline(start=WORLD_END - timedelta(days=days)))


def test_recording_twice_gives_the_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sample_traces.record.simulate", lambda seed: _short(seed, days=1))
    main(["--out", str(tmp_path / "one")])
    main(["--out", str(tmp_path / "other")])
    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "other")
    )
    assert one == other
    assert set(one) == {*sample_traces.DATA_FILES, sample_traces.STORIES_FILE}
    assert capsys.readouterr().out.count("bytes") == 2 * len(sample_traces.DATA_FILES)


def test_the_files_in_git_are_what_the_script_records(recorded: list[Path]) -> None:
    # Contents, not archives: another build of zlib packs the same bytes differently.
    for mine, kept in zip(recorded, sample_traces.paths(), strict=True):
        assert mine.name == kept.name
        assert gzip.decompress(mine.read_bytes()) == gzip.decompress(kept.read_bytes())
    mine, kept = (
        paths[0].with_name(sample_traces.STORIES_FILE)
        for paths in (recorded, sample_traces.paths())
    )
    assert mine.read_bytes() == kept.read_bytes()


def test_archives_carry_no_time(recorded: list[Path]) -> None:
    assert all(path.read_bytes()[4:8] == b"\0\0\0\0" for path in recorded)


def test_another_seed_gives_another_world_with_the_same_rules(world: World) -> None:
    other = _short(seed=7)
    assert not set(other.traces) & set(world.traces)
    assert 200 < len(other.traces) < 600


def test_ids_are_hex_times_are_text_and_enums_are_numbers(recorded: list[Path]) -> None:
    for span in _spans(recorded[0]):
        assert re.fullmatch("[0-9a-f]{32}", span["traceId"])
        assert re.fullmatch("[0-9a-f]{16}", span["spanId"])
        assert re.fullmatch("[0-9a-f]{16}", span.get("parentSpanId", "0" * 16))
        assert isinstance(span["startTimeUnixNano"], str)
        assert isinstance(span["endTimeUnixNano"], str)
        assert isinstance(span["kind"], int)
        assert isinstance(span["status"].get("code", 0), int)


def test_every_line_is_one_export_of_one_trace(recorded: list[Path], world: World) -> None:
    lines = gzip.decompress(recorded[0].read_bytes()).splitlines()
    assert len(lines) == len(world.traces)
    spans = list(_spans(recorded[0]))
    assert len(spans) == sum(len(found) for found in world.traces.values())
    assert len({span["traceId"] for span in spans}) == len(lines)
