"""Generated parsers: clean as they come, kept when they come again, and plugged in."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.observation import Context, RuleFileError, ToolOutput, load_rules, package_rule_texts
from pipeline.observation.rules.check import check_rules, load_parser
from pipeline.observation.rules.generate import GeneratedFile, generate_parser

ROOT = Path(__file__).parents[2]
TEXTS = package_rule_texts()
DOMAIN = {"domain.yaml": TEXTS["domain.yaml"]}
AWKWARD = """
name: odd tool-2
tools: [x]
output_schema:
  - {name: class, type: enum, values: [a, b]}
  - {name: 状态, fact_type: STATE, type: boolean, true_values: [是]}
  - {name: deep, type: number, path: a.b.c, bands: [{below: 1, code: low}, {from: 1, code: high}]}
  - {name: "with space", type: datetime, formats: [epoch_s]}
  - {name: tags, type: list, extract_strategy: join}
  - {name: total, type: list, path: lines, extract_strategy: sum, take: price,
     item_schema: [{name: price, type: number}], where: {state: [ok]}}
fact_types: {STATE: {}}
"""
FILES = {name: text for name, text in TEXTS.items() if name != "domain.yaml"} | {
    "awkward.yaml": AWKWARD
}


def _write(folder: Path, name: str, existing: dict[str, str] | None = None) -> list[GeneratedFile]:
    """The generated files of a rule file, beside it and the names it uses."""
    files = generate_parser(name, FILES[name], existing, DOMAIN)
    (folder / name).write_text(FILES[name], encoding="utf-8")
    (folder / "domain.yaml").write_text(TEXTS["domain.yaml"], encoding="utf-8")
    for file in files:
        (folder / file.name).write_text(file.text, encoding="utf-8")
    return list(files)


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{ROOT}:{folder}", "MYPYPATH": f"{ROOT}:{folder}", "PATH": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {}
    for name in FILES:
        made[name] = tmp_path_factory.mktemp(name.removesuffix(".yaml"))
        _write(made[name], name)
    return made


@pytest.mark.parametrize("name", FILES)
def test_what_is_generated_passes_the_linter_and_the_formatter(
    folders: dict[str, Path], name: str
) -> None:
    config = str(ROOT / "pyproject.toml")
    asserting = 'lint.extend-per-file-ignores = {"test_*.py" = ["S101"]}'
    house = ("--config", config, "--config", asserting)

    _run(folders[name], "ruff", "check", "--no-cache", *house, ".")
    _run(folders[name], "ruff", "check", "--no-cache", "--isolated", ".")
    _run(folders[name], "ruff", "format", "--no-cache", "--check", "--config", config, ".")


@pytest.mark.slow
def test_what_is_generated_passes_the_strict_type_checker(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    for folder in folders.values():
        for path in folder.glob("*.py"):
            (tmp_path / path.name).write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    names = sorted(path.name for path in tmp_path.glob("*.py"))
    config = str(ROOT / "pyproject.toml")

    assert len(names) == 2 * len(FILES)
    _run(tmp_path, "mypy", "--config-file", config, "--cache-dir", str(tmp_path / "cache"), *names)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["order_status.yaml", "awkward.yaml"])
def test_the_generated_tests_pass(folders: dict[str, Path], name: str) -> None:
    _run(folders[name], "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", ".")


def test_most_of_a_parser_is_generated() -> None:
    module, tests = generate_parser("order_status.yaml", FILES["order_status.yaml"], None, DOMAIN)

    assert module.n_kept_lines / module.n_lines < 0.2
    assert tests.n_kept_lines == 0


HOOK = """\
    if reading.value is None and isinstance(raw, dict):
        return replace(reading, reason="nested")
    return reading
"""


def _filled(text: str) -> str:
    """The owner's work: an import, a version and a hook."""
    text = text.replace(
        "# >>> keep imports\n", "# >>> keep imports\nfrom dataclasses import replace\n\n"
    )
    text = text.replace('VERSION: Final = "1"', 'VERSION: Final = "2"')
    start = text.index("    # >>> keep status\n") + len("    # >>> keep status\n")
    return text[:start] + HOOK + text[text.index("    # <<< keep status") :]


def test_generating_again_keeps_what_the_owner_wrote_and_nothing_else(tmp_path: Path) -> None:
    name = "order_status.yaml"
    module = _write(tmp_path, name)[0]
    edited = {module.name: _filled(module.text).replace("The rules read each", "Lost")}

    again = _write(tmp_path, name, edited)[0]

    assert again.text == _filled(module.text)
    assert again.orphans == {}
    assert generate_parser(name, FILES[name], {module.name: again.text}, DOMAIN)[0] == again


def test_code_without_a_place_is_handed_back_and_never_lost() -> None:
    name = "order_status.yaml"
    module = generate_parser(name, FILES[name], None, DOMAIN)[0]
    without = FILES[name].replace("name: status\n", "name: state\n").replace("[status,", "[state,")
    renamed = generate_parser(name, without, {module.name: _filled(module.text)}, DOMAIN)[0]

    assert renamed.orphans == {"status": HOOK}
    assert "read_state" in renamed.text
    assert 'VERSION: Final = "2"' in renamed.text


@pytest.mark.parametrize(
    ("before", "after", "place"),
    [
        ("# <<< keep version", "", "# >>> keep version has no end"),
        ("# >>> keep version", "", "# <<< keep version ends nothing"),
        ("keep imports", "keep version", "stands twice"),
        ("Generated from", "Written by", "was not generated"),
    ],
)
def test_broken_marks_are_an_error_that_names_the_line(before: str, after: str, place: str) -> None:
    name = "order_status.yaml"
    module = generate_parser(name, FILES[name], None, DOMAIN)[0]

    with pytest.raises(RuleFileError, match=place) as caught:
        generate_parser(
            name, FILES[name], {module.name: module.text.replace(before, after)}, DOMAIN
        )

    assert caught.value.file == module.name
    assert "line" in caught.value.path


def test_a_domain_file_and_two_names_that_become_one_are_refused() -> None:
    clash = "name: t\noutput_schema: [{name: a-b, type: string}, {name: a_b, type: string}]"

    with pytest.raises(RuleFileError, match="nothing to parse"):
        generate_parser("domain.yaml", TEXTS["domain.yaml"])
    with pytest.raises(RuleFileError, match="give one hook name"):
        generate_parser("t.yaml", clash)


def test_a_filled_parser_plugs_into_parse() -> None:
    name = "order_status.yaml"
    module = generate_parser(name, FILES[name], None, DOMAIN)[0]
    source = _filled(module.text)
    rules = load_rules({name: FILES[name]} | DOMAIN).with_parsers(load_parser(module.name, source))
    body = {"order_id": "1", "status": {"code": "shipped"}}
    from pipeline.observation import parse

    fact = parse(ToolOutput("order_api", None, None, body), rules, Context())[0]

    assert (fact.type, fact.reason, fact.parser_version) == (
        "STATUS",
        "nested",
        "order_status_api@2",
    )
    assert (
        check_rules({name: FILES[name]} | DOMAIN, {module.name: source}, n_inputs=50).errors == ()
    )
